"""Names of temporary files, and finding those of a run that did not end."""

from __future__ import annotations

import secrets
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

_PATTERN = ".*.cpp-*.tmp"
_LONGEST = 200


def temporary(target: Path) -> Path:
    """A new name next to a file, which discovery does not look at."""
    return target.with_name(f".{target.name[:_LONGEST]}.cpp-{secrets.token_hex(4)}.tmp")


def find_leftovers(root: Path, below: Iterable[Path] = (), *, of: str = "") -> list[Path]:
    """What an earlier run has left in a directory and in some of its own.

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
