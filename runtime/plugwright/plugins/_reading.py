"""Reading a file that may be no file: a pipe, a device, a link to itself, or endless."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["NotRegularError", "TooLargeError", "read_regular"]

_UNTOLD = 1 << 16  # bytes of a file whose system does not tell its size


class NotRegularError(OSError):
    """Something else stands where a file should be."""


class TooLargeError(OSError):
    """A file is larger than any honest one."""


def read_regular(path: str | Path, limit: int) -> bytes:
    """At most the first ``limit`` bytes of a regular file.

    Raises:
        NotRegularError: if it is no regular file.
        OSError: if it cannot be read.
    """
    # Non-blocking, so that a named pipe in the place of a file cannot hang the scan.
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise NotRegularError(None, "not a regular file")
        # A file object would cost more than the reading; a short read need not be the last.
        size = min(limit, status.st_size or _UNTOLD)
        data = os.read(descriptor, size)
        while len(data) < size and (more := os.read(descriptor, size - len(data))):
            data += more
        return data
    finally:
        os.close(descriptor)
