"""Ends a process that Spark starts when Spark itself has gone, even while it cannot look."""

from __future__ import annotations

import fcntl
import os
import select
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def ended_by_hangup(stdin: int = 0) -> Iterator[None]:
    """Within the block the process ends once nobody can write to its standard input any more.

    Spark's JVM holds the other end, and its daemon looks there only when all is imported, which
    takes seconds on a busy machine. The kernel tells by SIGIO, which ends who does not handle it;
    a thread to look would be one too many for a process that is to fork.

    Args:
        stdin: descriptor of a pipe's reading end.
    """
    flags = fcntl.fcntl(stdin, fcntl.F_GETFL)
    fcntl.fcntl(stdin, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(stdin, fcntl.F_SETFL, flags | os.O_ASYNC)
    if _has_hung_up(stdin):
        sys.exit(1)
    try:
        yield
    finally:
        fcntl.fcntl(stdin, fcntl.F_SETFL, flags)


def _has_hung_up(stdin: int) -> bool:
    poll = select.poll()
    poll.register(stdin, 0)
    return any(event & select.POLLHUP for _, event in poll.poll(0))
