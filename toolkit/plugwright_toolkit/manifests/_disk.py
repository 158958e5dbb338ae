"""The file system calls of a sync in one place, so that tests can make any of them fail."""

from __future__ import annotations

import errno
import os
import shutil
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_UNNAMED = getattr(os, "O_TMPFILE", 0)
_NO_UNNAMED = frozenset({errno.EOPNOTSUPP, errno.EISDIR, errno.EINVAL, errno.ENOENT})


class Disk:
    """Every write, rename, flush and removal of a sync."""

    def create(self, path: Path, data: bytes, mode: int = 0o644) -> None:
        """Write a new file and flush it; the file must not exist.

        Raises:
            OSError: if that cannot be done.
        """
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        descriptor = os.open(path, flags, mode)
        try:
            self.write(descriptor, data)
            self.flush(descriptor)
        finally:
            os.close(descriptor)

    def write(self, descriptor: int, data: bytes) -> None:
        """Write everything."""
        view = memoryview(data)
        while view:
            view = view[os.write(descriptor, view) :]

    def flush(self, descriptor: int) -> None:
        """Flush a file or directory to its medium."""
        os.fsync(descriptor)

    def flush_directory(self, path: Path) -> None:
        """Make renames in a directory durable; some file systems cannot, and need not."""
        descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            self.flush(descriptor)
        except OSError as error:
            if error.errno not in {errno.EINVAL, errno.EOPNOTSUPP, errno.EBADF}:
                raise
        finally:
            os.close(descriptor)

    def rename(self, source: Path, target: Path) -> None:
        """Rename a file or directory, replacing the target."""
        source.rename(target)

    def link(self, source: Path, target: Path) -> None:
        """Give a file a second name; of a symbolic link, the link itself."""
        os.link(source, target, follow_symlinks=False)

    def copy(self, source: Path, target: Path) -> None:
        """Copy one file and flush the copy."""
        shutil.copyfile(source, target)
        descriptor = os.open(target, os.O_RDONLY | os.O_CLOEXEC)
        try:
            self.flush(descriptor)
        finally:
            os.close(descriptor)

    def copy_tree(self, source: Path, target: Path) -> None:
        """Copy a directory with all that is in it; links stay links."""
        shutil.copytree(source, target, symlinks=True)

    def make_directory(self, path: Path) -> None:
        """Make one directory, which must not exist."""
        path.mkdir()

    def make_directories(self, path: Path) -> None:
        """Make a directory and its missing parents."""
        path.mkdir(parents=True, exist_ok=True)

    def remove(self, path: Path) -> None:
        """Remove a file, or a directory with all that is in it."""
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()

    def touch(self, path: Path, seconds: int | None = None) -> None:
        """Set the time of a file or directory, by default to now."""
        os.utime(path, None if seconds is None else (seconds, seconds))

    def resemble(self, path: Path, model: Path) -> None:
        """Give a file the mode, owner and extended attributes of another.

        What this user or file system cannot set is left as it is; access control lists and labels
        are extended attributes.
        """
        status = model.stat()
        with suppress(OSError):
            os.chown(path, status.st_uid, status.st_gid)
        path.chmod(status.st_mode & 0o7777)
        with suppress(OSError):
            for name in os.listxattr(model):
                with suppress(OSError):
                    os.setxattr(path, name, os.getxattr(model, name))

    def probe(self, directory: Path) -> None:
        """Really write and flush a file in a directory, and leave no trace.

        An access check would not do: it is wrong for root, access control lists and read-only
        mounts. Where the system has unnamed files, not even the directory's times change.

        Raises:
            OSError: if nothing can be written there.
        """
        try:
            descriptor = os.open(directory, _UNNAMED | os.O_WRONLY | os.O_CLOEXEC, 0o600)
        except OSError as error:
            if error.errno not in _NO_UNNAMED or not directory.is_dir():
                raise
            self._probe_by_name(directory)
            return
        try:
            self.write(descriptor, b"probe")
            self.flush(descriptor)
        finally:
            os.close(descriptor)

    def _probe_by_name(self, directory: Path) -> None:
        path = directory / f".probe.cpp-{os.getpid()}.tmp"
        try:
            self.create(path, b"probe", 0o600)
        finally:
            with suppress(FileNotFoundError):
                self.remove(path)

    def free_space(self, directory: Path) -> int:
        """Bytes that this user may still write there."""
        status = os.statvfs(directory)
        return status.f_bavail * status.f_frsize

    def rewrite_archive(
        self, path: Path, changes: Mapping[str, bytes | None], target: Path
    ) -> None:
        """Write an archive anew with other members, all else verbatim, flushed.

        Raises:
            ConnectError: with a code ``archive.*``, if it is not to be rewritten.
            OSError: if the copy cannot be written.
        """
        from plugwright_toolkit.archives import rewrite  # noqa: PLC0415  # for archives only

        rewrite(path, changes, target)
