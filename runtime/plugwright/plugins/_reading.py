"""Reading a file that may be no file: a pipe, a device, a link to itself, or endless."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_FLAGS = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC
_SMALL = 1 << 16  # bytes that are read even from a block device, which is the only thing to be so
_UNTOLD = 1 << 16  # bytes of a file whose system does not tell its size


class NotRegularError(OSError):
    """Something else stands where a file should be."""


class TooLargeError(OSError):
    """A file is larger than any honest one."""


def read_regular(path: str | Path, limit: int, below: int | None = None) -> bytes:
    """At most the first ``limit`` bytes of a regular file. Hot path.

    Args:
        path: the file.
        limit: how many bytes at most.
        below: descriptor of the open directory that a relative path starts from, which is cheaper
            than a full path and keeps its meaning if somebody exchanges the directory.

    Raises:
        NotRegularError: if it is no regular file.
        OSError: if it cannot be read.
    """
    # Non-blocking, so that a named pipe in the place of a file cannot hang the scan.
    descriptor = os.open(path, _FLAGS, dir_fd=below)
    try:
        # A pipe has no end and an endless device ends at once; asking costs a fifth of `fstat`.
        size = os.lseek(descriptor, 0, os.SEEK_END)
        if 0 < size <= _SMALL:
            data = os.pread(descriptor, min(limit, size), 0)
            if len(data) == min(limit, size):
                return data
        return _carefully(descriptor, limit)
    except OSError:
        return _carefully(descriptor, limit)
    finally:
        os.close(descriptor)


def _carefully(descriptor: int, limit: int) -> bytes:
    """The same for large files, those that do not tell their size, and what is no file."""
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
        raise NotRegularError(None, "not a regular file")
    # A file object would cost more than the reading; a short read need not be the last.
    size = min(limit, status.st_size or _UNTOLD)
    data = b""
    while len(data) < size and (more := os.pread(descriptor, size - len(data), len(data))):
        data += more
    return data
