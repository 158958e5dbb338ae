"""Writes a new file exactly once."""

from __future__ import annotations

import io
import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

from plugwright_toolkit.archives._errors import ArtifactError, flaw, unwritable

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from _typeshed import ReadableBuffer

_CHUNK = 1 << 18


class NewFile(io.FileIO):
    """A new file; `ArtifactError` (``archive.unwritable``) if it cannot grow."""

    def __init__(self, path: Path) -> None:
        self._path = path
        with _writing(path):
            super().__init__(path, "x", opener=_open_new)

    def write(self, data: ReadableBuffer, /) -> int:
        """Write all of it."""
        with _writing(self._path):
            rest = memoryview(data)
            while rest:
                rest = rest[os.write(self.fileno(), rest) :]
        return len(memoryview(data))

    def copy(self, source: int, stop: int) -> None:
        """Append the first bytes of another file, piece by piece."""
        start = 0
        while start < stop:
            data = os.pread(source, min(_CHUNK, stop - start), start)
            if not data:
                raise flaw("it was cut off while it was copied")
            start += self.write(data)

    def sync(self) -> None:
        """Return when all of it is on the disk."""
        with _writing(self._path):
            os.fsync(self.fileno())


@contextmanager
def created(target: Path) -> Iterator[NewFile]:
    """A new file, which is gone if the block fails.

    Raises:
        ArtifactError: if there is such a file, or it cannot be written.
    """
    file = NewFile(target)
    try:
        with file:
            yield file
    except BaseException:
        target.unlink(missing_ok=True)
        raise


def _open_new(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


@contextmanager
def _writing(target: Path) -> Iterator[None]:
    try:
        yield
    except FileExistsError as error:
        raise ArtifactError(
            f"{target} exists and is not overwritten",
            code="archive.target-exists",
            hint="remove it, or name another file",
            facts={"path": str(target)},
        ) from error
    except OSError as error:
        raise unwritable(target, error) from error
