"""Files on a local disk, moved into place when they are durable."""

from __future__ import annotations

import errno
import os
import secrets
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["TEMPORARY", "LocalStore"]

TEMPORARY = "+tmp"
"""The folder of files that are being written, as Confluent's HDFS sink names it."""


class LocalStore:
    """A directory.

    Args:
        root: its path.
    """

    def __init__(self, root: str) -> None:
        self._root = Path(root)

    def prepare(self) -> None:
        """Make the directory."""
        _make(self._root)

    def write(self, path: str, data: bytes) -> None:
        """Write elsewhere, wait for the disk, move into place."""
        target = self._root / path
        _make(target.parent)
        _make(self._root / TEMPORARY)
        temporary = self._root / TEMPORARY / f"{target.name}.{secrets.token_hex(4)}"
        try:
            _write(temporary, data)
            temporary.replace(target)
        except OSError:
            temporary.unlink(missing_ok=True)
            raise
        _sync_directory(target.parent)

    def names(self, folder: str) -> Sequence[str]:
        """The names of the files of a folder, sorted."""
        try:
            with os.scandir(self._root / folder) as found:
                return sorted(each.name for each in found if each.is_file())
        except FileNotFoundError:
            return []

    def walk(self, folder: str, *, by_time: bool) -> Sequence[str]:
        """The paths of all files below a folder, sorted, or the one modified first first."""
        found = [
            Path(where) / name
            for where, _, names in os.walk(self._root / folder, onerror=_raise)
            for name in names
        ]
        found.sort()
        if by_time:
            found.sort(key=lambda path: path.stat().st_mtime_ns)
        return [str(path.relative_to(self._root)) for path in found]

    def move(self, path: str, target: str) -> None:
        """Give a file another path; nothing happens if it is not there any more."""
        if (self._root / path).exists():
            _make((self._root / target).parent)
            (self._root / path).replace(self._root / target)

    def read(self, path: str) -> bytes:
        """All bytes of a file."""
        return (self._root / path).read_bytes()

    def discard(self, prefix: str) -> None:
        """Remove what an interrupted write has left of files with that beginning."""
        for name in self.names(TEMPORARY):
            if name.startswith(prefix):
                (self._root / TEMPORARY / name).unlink(missing_ok=True)


def _raise(error: OSError) -> None:
    """Let a folder that cannot be read fail; one that is not there, or not any more, is empty."""
    if not isinstance(error, FileNotFoundError):
        raise error


def _write(path: Path, data: bytes) -> None:
    descriptor = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o666)
    try:
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(descriptor, rest) :]
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _make(directory: Path) -> None:
    """Make a directory and those above it; their entries are durable on return."""
    if directory.is_dir():
        return
    if directory.exists():
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(directory))
    if directory.parent != directory:
        _make(directory.parent)
    directory.mkdir(exist_ok=True)
    _sync_directory(directory.parent)


def _sync_directory(directory: Path) -> None:
    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
