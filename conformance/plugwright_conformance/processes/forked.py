"""The parent's view of a forked process."""

from __future__ import annotations

import os
import select
import signal
import sys
import time
import warnings
from contextlib import suppress

__all__ = ["Forked", "fork"]

_LOOK_S, _EXIT_TIMEOUT_S = 0.005, 2.0


def fork() -> int:
    """Fork; what is buffered is written once."""
    sys.stdout.flush()
    sys.stderr.flush()
    with warnings.catch_warnings():  # threads of Spark or Kafka are not needed over there
        warnings.simplefilter("ignore", DeprecationWarning)
        return os.fork()


class Forked:
    """A process that only its parent waits for.

    Attributes:
        pid: its process id.
        code: the exit code with which it has ended, as far as that was noticed.
    """

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.code: int | None = None

    def has_ended(self) -> bool:
        """Whether it has ended by now."""
        if self.code is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            self.code = os.waitstatus_to_exitcode(status) if pid else None
        return self.code is not None

    def await_end(self) -> None:
        """Give it some moments to end, because its line is cut before."""
        until = time.monotonic() + _EXIT_TIMEOUT_S
        while not self.has_ended() and time.monotonic() < until:
            select.select([], [], [], _LOOK_S)  # a wait that no virtual time passes over

    def end(self) -> None:
        """End it, if it has not ended, and forget it."""
        if self.code is None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
            self.code = -signal.SIGKILL
