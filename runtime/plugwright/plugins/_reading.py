"""Reading a file that may be no file: a pipe, a device, a link to itself, or endless."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["NotRegularError", "TooLargeError", "read_regular"]

_CHUNK = 1 << 16


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
        data = os.read(descriptor, min(limit, status.st_size))
        while data and (rest := limit - len(data)):
            more = os.read(descriptor, min(rest, _CHUNK))
            if not more:
                break
            data += more
        return data
    finally:
        os.close(descriptor)
