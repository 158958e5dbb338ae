"""Reads arbitrary files safely, and names temporary files and leftovers."""

from __future__ import annotations

import secrets
from contextlib import suppress
from typing import TYPE_CHECKING

from plugwright.errors import ConnectError
from plugwright.plugins import read_regular

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


MANIFEST_LIMIT = 1 << 20
RECORD_LIMIT = 64 << 20


def content_of(path: Path, limit: int) -> bytes | None:
    """The bytes of a regular file, or ``None`` where nothing has that name.

    Raises:
        ConnectError: ``sync.not-a-file``, if it is something else, larger than the limit, or
            cannot be read.
    """
    try:
        data = read_regular(path, limit + 1)
    except FileNotFoundError:
        if not path.is_symlink():
            return None
        raise _unusable(path, "is a link to nothing") from None
    except OSError as error:
        raise _unusable(path, f"cannot be read: {error.strerror}") from error
    if len(data) > limit:
        raise _unusable(path, f"is larger than {limit} bytes")
    return data


def _unusable(path: Path, what: str) -> ConnectError:
    return ConnectError(
        what,
        code="sync.not-a-file",
        hint="put a sound file there or remove it, then run the command again",
        facts={"path": str(path)},
    )


_PATTERN = ".*.cpp-*.tmp"
_LONGEST = 200


def temporary(target: Path) -> Path:
    """A new name next to a file, which discovery does not look at."""
    return target.with_name(f".{target.name[:_LONGEST]}.cpp-{secrets.token_hex(4)}.tmp")


def find_leftovers(root: Path, below: Iterable[Path] = (), *, of: str = "") -> list[Path]:
    """The files that an earlier run left in a directory and in some below it.

    Args:
        root: the directory.
        below: directories in it that are looked into, too.
        of: the name of the one file in whose temporary files there is interest, if not in all.
    """
    pattern = f".{_escaped(of[:_LONGEST])}.cpp-*.tmp" if of else _PATTERN
    found: set[Path] = set()
    for directory in (root, *below):
        with suppress(OSError):
            found.update(directory.glob(pattern))
    return sorted(found)


def _escaped(name: str) -> str:
    return "".join(f"[{letter}]" if letter in "*?[" else letter for letter in name)
