"""Interrupts code that exceeds its time budget."""

from __future__ import annotations

import os
import signal
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

from plugwright_conformance.evidence.outcome import CheckEnd
from plugwright_conformance.processes.cpu_share import Patience
from plugwright_conformance.processes.virtual_time import real_s

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from types import FrameType

__all__ = ["PROGRAMS_SHARE", "OverBudgetError", "time_budget"]

PROGRAMS_SHARE = 4.0
"""Work of the programs that a plugin starts which a budget leaves out, as a multiple of it."""
_GRACE_S = 30.0
_LEAST_S = 0.05
_BUSY_S = 1.0
_CALL_S = 10.0
"""A call that has not returned by then, after the budget, hangs."""


class OverBudgetError(BaseException):
    """Ends a check that hangs; not an `Exception`, so plugins do not catch it.

    Attributes:
        busy: whether programs that the plugin has started were at work meanwhile. Nobody knows how
            long those that have ended had waited for a core, so the plugin may not hang at all.
        lasting: the ids of the frames of calls that have lasted since the budget was over; a check
            of many calls, each of which returns, may be slow without any that hangs.
    """

    ending = CheckEnd.HUNG

    def __init__(
        self, text: str, *, busy: bool = False, lasting: Collection[int] = frozenset()
    ) -> None:
        super().__init__(text)
        self.busy = busy
        self.lasting = lasting


@contextmanager
def time_budget(seconds: float) -> Iterator[None]:
    """Interrupt whatever runs longer; only the main thread can be interrupted.

    Time in the queue for a core does not count, so that no check is slow because others are busy,
    nor does the work of programs that the plugin starts, within limits: some need seconds to begin.
    Where there are such programs, seconds in which anything had to wait for a core do not count
    either, within the same limits.

    When the budget is over, the calls of that moment are marked; those that have not returned 10 s
    later, or after as long as the budget, hang. The interruption repeats, because a plugin that
    hangs in one call may hang in ``stop`` again, and errors that follow do not take its place. A
    timer that somebody else had set goes on afterwards.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    alarm = _Alarm(seconds)
    begun, handler = real_s(), signal.signal(signal.SIGALRM, alarm)
    others_s, _ = signal.setitimer(signal.ITIMER_REAL, seconds, min(seconds, _GRACE_S))
    try:
        yield
        if real_s() - begun > seconds:
            alarm.require_time()
    except (Exception, OverBudgetError) as error:
        # Nothing can be said of what an interrupted plugin does; the first says what hangs.
        if alarm.ends and error is not alarm.ends[0]:
            raise alarm.ends[0] from error
        raise
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, handler)
        if others_s:
            left_s = others_s - (real_s() - begun)
            signal.setitimer(signal.ITIMER_REAL, max(left_s, 0.001))


class _Alarm:
    """The handler of the timer.

    Args:
        seconds: of the budget.

    Attributes:
        ends: what was raised.
    """

    def __init__(self, seconds: float) -> None:
        self.ends: list[OverBudgetError] = []
        self._seconds, self._call_s = seconds, min(seconds, _CALL_S)
        self._patience = _patience(seconds)
        self._with_call: Patience | None = None

    def __call__(self, _: int, frame: FrameType | None) -> None:
        """Set the timer again, or end what runs."""
        if self._with_call is not None:
            if (left_s := _left_s(self._with_call)) <= 0:
                raise self.end(frame)
        elif (left_s := _left_s(self._patience)) <= 0:
            _mark(frame)
            self._with_call, left_s = _patience(self._call_s), self._call_s
        again_s = min(self._seconds, _GRACE_S)
        signal.setitimer(signal.ITIMER_REAL, max(left_s, _LEAST_S), again_s)

    def require_time(self) -> None:
        """Object to what is done after the budget was spent."""
        if _left_s(self._patience) <= 0:
            raise self.end(None)

    def end(self, frame: FrameType | None) -> OverBudgetError:
        """The error that ends what runs in this frame."""
        busy = self._patience.work_s() >= _BUSY_S
        text = f"not done within its budget of {self._seconds:g} s"
        self.ends.append(OverBudgetError(text, busy=busy, lasting=_marked(frame)))
        return self.ends[-1]


def _patience(seconds: float) -> Patience:
    return Patience(os.getpid(), seconds, work_s=PROGRAMS_SHARE * seconds, clock=real_s)


def _left_s(patience: Patience) -> float:
    return patience.left_s() + patience.contended_s()


def _mark(frame: FrameType | None) -> None:
    """Mark the calls that are under way, in a field of frames that only tracers read."""
    while frame is not None:
        frame.f_trace_lines = False
        frame = frame.f_back


def _marked(frame: FrameType | None) -> frozenset[int]:
    """The ids of the frames that were marked and are still there."""
    found = set()
    while frame is not None:
        if not frame.f_trace_lines:
            found.add(id(frame))
        frame = frame.f_back
    return frozenset(found)
