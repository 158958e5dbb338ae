"""Creates a directory atomically, without replacing an existing one."""

from __future__ import annotations

import os
import secrets
import shutil
from contextlib import contextmanager
from errno import EACCES, ENOTDIR
from typing import TYPE_CHECKING

from plugwright.errors import AlreadyExistsError, ConnectError
from plugwright_templates import distribution_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def refuse_existing(name: str, output_dir: Path) -> Path:
    """The directory of a project with this name.

    Raises:
        AlreadyExistsError: if it exists.
    """
    target = output_dir / distribution_of(name)
    if os.path.lexists(target):
        raise _exists(target)
    return target


def require_writable(name: str, output_dir: Path) -> None:
    """Check that a project can be created.

    Args:
        name: the name of the project, or an empty string if it is not known yet.
        output_dir: the directory for the project.

    Raises:
        AlreadyExistsError: if the project's directory exists.
        ConnectError: if it cannot be created.
    """
    target = refuse_existing(name, output_dir) if name else output_dir
    try:
        output_dir.stat()
        if not output_dir.is_dir():
            raise NotADirectoryError(ENOTDIR, os.strerror(ENOTDIR))
        if not os.access(output_dir, os.W_OK | os.X_OK):
            raise PermissionError(EACCES, os.strerror(EACCES))
    except OSError as error:
        raise _unwritable(target, error) from error


@contextmanager
def new_project(name: str, output_dir: Path) -> Iterator[tuple[Path, Path]]:
    """A temporary directory next to the target, and the target.

    The directory with the target's name in the temporary directory is renamed to the target at the
    end. If anything fails or is interrupted, nothing remains.

    Raises:
        AlreadyExistsError: if the target exists, now or at the end.
        ConnectError: if it cannot be created.
    """
    target = refuse_existing(name, output_dir)
    # Named before it is created, so that an interrupt directly afterwards removes it as well.
    temporary = output_dir.resolve() / f".{target.name}-{secrets.token_hex(8)}"
    try:
        try:
            temporary.mkdir(mode=0o700)
        except OSError as error:
            raise _unwritable(target, error) from error
        try:
            yield temporary, target
            refuse_existing(name, output_dir)
            (temporary / target.name).rename(target)
        except OSError as error:
            if os.path.lexists(target):
                raise _exists(target) from error
            raise _unwritable(target, error) from error
    finally:
        _remove(temporary)


def _remove(directory: Path) -> None:
    try:
        shutil.rmtree(directory, ignore_errors=True)
    except KeyboardInterrupt:
        shutil.rmtree(directory, ignore_errors=True)
        raise


def _exists(target: Path) -> AlreadyExistsError:
    return AlreadyExistsError(
        f"{target} exists already and was not changed",
        code="new.target-exists",
        hint="choose another name, or another directory with --output-dir",
        facts={"target": str(target)},
    )


def _unwritable(target: Path, error: OSError) -> ConnectError:
    return ConnectError(
        f"{target} cannot be created: {error.strerror or error}",
        code="new.target-unwritable",
        hint="name an existing, writable directory with --output-dir",
        facts={"target": str(target)},
    )
