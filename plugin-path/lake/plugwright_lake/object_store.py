"""Files in whatever fsspec has a driver for: S3, GCS, HDFS and others."""

from __future__ import annotations

import secrets
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Self

from plugwright_lake.local_store import TEMPORARY

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

__all__ = ["ObjectStore"]

_MOVING = frozenset({"hdfs", "webhdfs", "sftp", "ftp", "smb", "arrow_hdfs"})
"""File systems, where a file that is being written is seen; object stores put it all at once."""


@contextmanager
def _store_failures() -> Iterator[None]:
    """Let every failure of a driver be one of the store: each has classes of its own.

    Raises:
        OSError: if the driver fails.
    """
    try:
        yield
    except OSError:
        raise
    except Exception as error:
        raise OSError(str(error) or type(error).__name__) from error


class ObjectStore:
    """Files of an fsspec file system.

    Args:
        files: the file system.
        root: the path of the root, as the file system writes it.
        moves: whether a file is written elsewhere and moved into place.
    """

    def __init__(self, files: Any, root: str, *, moves: bool) -> None:
        self._files = files
        self._root = root.rstrip("/")
        self._moves = moves

    @classmethod
    def connect(cls, url: str, options: Mapping[str, Any]) -> Self:
        """The store of a URL, with options of its driver."""
        import fsspec  # noqa: PLC0415  # its drivers are heavy, and the local disk needs none

        files, root = fsspec.core.url_to_fs(url, **options)
        return cls(files, root, moves=url.partition("://")[0] in _MOVING)

    @_store_failures()
    def prepare(self) -> None:
        """Make the root where there are directories, and see that it can be listed."""
        if self._moves:
            self._files.makedirs(self._root, exist_ok=True)
        self.names("")

    @_store_failures()
    def write(self, path: str, data: bytes) -> None:
        """Put it at once; where that can be seen in part, elsewhere first."""
        target = f"{self._root}/{path}"
        if not self._moves:
            self._files.pipe_file(target, data)
            return
        if self._files.exists(target) and self._files.cat_file(target) == data:
            return  # a repetition: what has been promised is never away
        folder, _, name = target.rpartition("/")
        temporary = f"{self._root}/{TEMPORARY}/{name}.{secrets.token_hex(4)}"
        self._files.makedirs(folder, exist_ok=True)
        self._files.makedirs(f"{self._root}/{TEMPORARY}", exist_ok=True)
        self._files.pipe_file(temporary, data)
        if self._files.exists(target):
            self._files.rm_file(target)
        self._files.mv(temporary, target)

    @_store_failures()
    def names(self, folder: str) -> Sequence[str]:
        """The names of the files of a folder, sorted; listed again each time."""
        where = f"{self._root}/{folder}".rstrip("/")
        self._files.invalidate_cache()
        try:
            found = self._files.ls(where, detail=True)
        except FileNotFoundError:
            return []
        return sorted(each["name"].rpartition("/")[2] for each in found if each["type"] == "file")

    @_store_failures()
    def walk(self, folder: str, *, by_time: bool) -> Sequence[str]:
        """The paths of all files below a folder, sorted, or the one modified first first."""
        self._files.invalidate_cache()
        found = sorted(self._files.find(f"{self._root}/{folder}".rstrip("/")))
        if by_time:
            found.sort(key=self._files.modified)
        return [path[path.index(self._root) + len(self._root) + 1 :] for path in found]

    @_store_failures()
    def move(self, path: str, target: str) -> None:
        """Give a file another path; nothing happens if it is not there any more."""
        if not self._files.exists(f"{self._root}/{path}"):
            return
        end = f"{self._root}/{target}"
        if self._moves:
            self._files.makedirs(end.rpartition("/")[0], exist_ok=True)
        self._files.mv(f"{self._root}/{path}", end)

    @_store_failures()
    def read(self, path: str) -> bytes:
        """All bytes of a file."""
        return bytes(self._files.cat_file(f"{self._root}/{path}"))

    @_store_failures()
    def discard(self, prefix: str) -> None:
        """Remove what an interrupted write has left of files with that beginning."""
        if self._moves:
            for name in self.names(TEMPORARY):
                if name.startswith(prefix):
                    self._files.rm_file(f"{self._root}/{TEMPORARY}/{name}")
