"""A directory that appears whole, or not at all, and never in the place of another."""

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
    """Where a project of this name will stand.

    Raises:
        AlreadyExistsError: if something is there.
    """
    target = output_dir / distribution_of(name)
    if os.path.lexists(target):
        raise _exists(target)
    return target


def require_place(name: str, output_dir: Path) -> None:
    """Insist, before anything is asked, that a project can be made.

    Args:
        name: of the project, or an empty string while it is not known.
        output_dir: where to make its directory.

    Raises:
        AlreadyExistsError: if something is in its place.
        ConnectError: if nothing can be made there.
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
    """A temporary directory beside the target, and the target.

    What is made in the temporary directory under the target's name moves to the target at the end.
    If anything fails or is interrupted, nothing stays.

    Raises:
        AlreadyExistsError: if the target exists, now or at the end.
        ConnectError: if nothing can be made there.
    """
    target = refuse_existing(name, output_dir)
    # Named before it is made, so that an interrupt right after its making finds it, too.
    workshop = output_dir.resolve() / f".{target.name}-{secrets.token_hex(8)}"
    try:
        try:
            workshop.mkdir(mode=0o700)
        except OSError as error:
            raise _unwritable(target, error) from error
        try:
            yield workshop, target
            refuse_existing(name, output_dir)
            (workshop / target.name).rename(target)
        except OSError as error:
            if os.path.lexists(target):
                raise _exists(target) from error
            raise _unwritable(target, error) from error
    finally:
        _remove(workshop)


def _remove(directory: Path) -> None:
    try:
        shutil.rmtree(directory, ignore_errors=True)
    except KeyboardInterrupt:
        shutil.rmtree(directory, ignore_errors=True)
        raise


def _exists(target: Path) -> AlreadyExistsError:
    return AlreadyExistsError(
        f"{target} exists, and is left as it is",
        code="new.target-exists",
        hint="choose another name, or another directory with --output-dir",
        facts={"target": str(target)},
    )


def _unwritable(target: Path, error: OSError) -> ConnectError:
    return ConnectError(
        f"{target} cannot be made: {error.strerror or error}",
        code="new.target-unwritable",
        hint="name a directory that exists and may be written with --output-dir",
        facts={"target": str(target)},
    )
