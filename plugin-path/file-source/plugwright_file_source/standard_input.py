"""The standard input of the worker, read without waiting for ever."""

from __future__ import annotations

import os
import select

__all__ = ["StandardInput"]

_DESCRIPTOR = 0


class StandardInput:
    """The data of file descriptor 0; its end is not an error."""

    def read(self, size: int, patience_s: float) -> bytes:
        """At most so many bytes; none if none arrived in that time, or at the end.

        Args:
            size: how many at most.
            patience_s: how long to wait for the first one.

        Raises:
            OSError: if it cannot be read.
        """
        ready, _, _ = select.select([_DESCRIPTOR], [], [], patience_s)
        return os.read(_DESCRIPTOR, size) if ready else b""
