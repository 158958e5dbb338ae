"""Reads regular files safely: rejects pipes, devices, link loops and endless files."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_FLAGS = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC
_SMALL = 1 << 16  # bytes that are read before the kind of file is checked
_UNTOLD = 1 << 16  # bytes of a file whose size is unknown


class NotRegularError(OSError):
    """The path is not a regular file."""


class TooLargeError(OSError):
    """A file exceeds its size limit."""


def read_regular(path: str | Path, limit: int, below: int | None = None) -> bytes:
    """Read at most the first ``limit`` bytes of a regular file. Hot path.

    Args:
        path: the file.
        limit: maximum number of bytes.
        below: descriptor of an open directory to which the path is relative, which is cheaper
            than a full path and stays valid if the directory is replaced.

    Raises:
        NotRegularError: if it is not a regular file.
        OSError: if it cannot be read.
    """
    # Non-blocking, so that a named pipe instead of a file cannot hang the scan.
    descriptor = os.open(path, _FLAGS, dir_fd=below)
    try:
        # A pipe cannot seek, and an endless device ends at once; seeking costs a fifth of `fstat`.
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
    """Read large files and files of unknown size, and reject other kinds of file."""
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
        raise NotRegularError(None, "not a regular file")
    # A file object would cost more than the read; a short read need not be the last.
    size = min(limit, status.st_size or _UNTOLD)
    data = b""
    while len(data) < size and (more := os.pread(descriptor, size - len(data), len(data))):
        data += more
    return data
