"""Interrupts code that exceeds its time budget."""

from __future__ import annotations

import os
import signal
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from plugwright_conformance.evidence.outcome import CheckEnd
from plugwright_conformance.processes.cpu_share import Patience

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["PROGRAMS_SHARE", "OverBudgetError", "time_budget"]

PROGRAMS_SHARE = 4.0
"""Work of the programs that a plugin starts which a budget leaves out, as a multiple of it."""
_GRACE_S = 30.0
_LEAST_S = 0.05
_BUSY_S = 1.0


class OverBudgetError(BaseException):
    """Ends a check that hangs; not an `Exception`, so plugins do not catch it.

    Attributes:
        busy: whether programs that the plugin has started were at work meanwhile. Nobody knows how
            long those that have ended had waited for a core, so the plugin may not hang at all.
    """

    ending = CheckEnd.HUNG

    def __init__(self, text: str, *, busy: bool = False) -> None:
        super().__init__(text)
        self.busy = busy


@contextmanager
def time_budget(seconds: float) -> Iterator[None]:
    """Interrupt whatever runs longer; only the main thread can be interrupted.

    Time in the queue for a core does not count, so that no check is slow because others are busy,
    nor does the work of programs that the plugin starts, within limits: some need seconds to begin.
    Where there are such programs, seconds in which anything had to wait for a core do not count
    either, within the same limits.

    The interruption repeats, because a plugin that hangs in one call may hang in ``stop`` again,
    and errors that follow do not take its place. A timer that somebody else had set goes on
    afterwards.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def over(*_: object) -> None:
        left_s = patience.left_s() + patience.contended_s()
        if left_s > 0:
            signal.setitimer(signal.ITIMER_REAL, max(left_s, _LEAST_S), min(seconds, _GRACE_S))
            return
        busy = patience.work_s() >= _BUSY_S
        raised.append(OverBudgetError(f"not done within its budget of {seconds:g} s", busy=busy))
        raise raised[-1]

    raised: list[OverBudgetError] = []
    patience = Patience(os.getpid(), seconds, work_s=PROGRAMS_SHARE * seconds)
    begun, handler = time.monotonic(), signal.signal(signal.SIGALRM, over)
    others_s, _ = signal.setitimer(signal.ITIMER_REAL, seconds, min(seconds, _GRACE_S))
    try:
        yield
        if time.monotonic() - begun > seconds:  # with waits that were passed over
            over()
    except Exception as error:
        if raised:  # of what an interrupted plugin does then nothing can be said
            raise raised[0] from error
        raise
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, handler)
        if others_s:
            left_s = others_s - (time.monotonic() - begun)
            signal.setitimer(signal.ITIMER_REAL, max(left_s, 0.001))
