"""The file that is written: made new, filled in one pass, and given what the original has."""

from __future__ import annotations

import os
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from plugwright_toolkit.archives._errors import ArtifactError, flaw, unwritable

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["NewFile", "created"]

_CHUNK = 1 << 18


class NewFile:
    """A file that is written from its beginning to its end.

    Its methods raise `ArtifactError` (``archive.unwritable``) if the system refuses.

    Attributes:
        position: how many bytes it has.
    """

    def __init__(self, path: Path, descriptor: int) -> None:
        self._path = path
        self._descriptor = descriptor
        self.position = 0

    def write(self, data: bytes) -> None:
        """Append all of it."""
        with _writing(self._path):
            rest = memoryview(data)
            while rest:
                rest = rest[os.write(self._descriptor, rest) :]
        self.position += len(data)

    def copy(self, source: int, start: int, stop: int) -> None:
        """Append a range of another file piece by piece."""
        while start < stop:
            data = os.pread(source, min(_CHUNK, stop - start), start)
            if not data:
                raise flaw("it was cut off while it was copied")
            self.write(data)
            start += len(data)

    def sync(self) -> None:
        """Return when all of it is on the disk."""
        with _writing(self._path):
            os.fsync(self._descriptor)

    def take_after(self, source: int) -> None:
        """Take over owner, extended attributes and mode, as far as this user may give them."""
        status = os.fstat(source)
        with suppress(PermissionError):
            os.fchown(self._descriptor, status.st_uid, status.st_gid)
        if hasattr(os, "listxattr"):
            with suppress(OSError):
                for name in os.listxattr(source):
                    self._take_attribute(source, name)
        # Last, since a change of owner or of an access list may take bits away.
        with _writing(self._path):
            os.fchmod(self._descriptor, status.st_mode & 0o7777)

    def _take_attribute(self, source: int, name: str) -> None:
        with suppress(OSError):
            os.setxattr(self._descriptor, name, os.getxattr(source, name))


@contextmanager
def created(target: Path) -> Iterator[NewFile]:
    """A new file, which is gone if the block fails.

    Raises:
        ArtifactError: if there is such a file, or it cannot be written.
    """
    with _writing(target):
        descriptor = _open_new(target)
    try:
        try:
            yield NewFile(target, descriptor)
        finally:
            os.close(descriptor)
    except BaseException:
        target.unlink(missing_ok=True)
        raise


def _open_new(target: Path) -> int:
    try:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        return os.open(target, flags, 0o600)
    except FileExistsError as error:
        raise ArtifactError(
            f"{target} exists and is not overwritten",
            code="archive.target-exists",
            hint="remove it, or name another file",
            facts={"path": str(target)},
        ) from error


@contextmanager
def _writing(target: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise unwritable(target, error) from error
