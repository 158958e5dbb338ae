"""Something that is to be done after a while."""

from __future__ import annotations

import threading
from collections.abc import Callable

TimerStart = Callable[[float, Callable[[], object]], Callable[[], object]]
"""Has something done after so many seconds, on a thread of its own; returns what calls it off."""


def start_timer(seconds: float, work: Callable[[], object]) -> Callable[[], object]:
    """Have something done by a thread that ends no later than the process."""
    timer = threading.Timer(min(seconds, threading.TIMEOUT_MAX), work)
    timer.daemon = True
    timer.start()
    return timer.cancel


class Appointment:
    """At most one piece of work that waits for its time.

    Args:
        start: has something done after a while.
    """

    def __init__(self, start: TimerStart = start_timer) -> None:
        self._start = start
        self._lock = threading.Lock()
        self._cancel: Callable[[], object] | None = None
        self._made = 0

    @property
    def pending(self) -> bool:
        """Whether something waits for its time."""
        return self._cancel is not None

    def make(self, seconds: float, work: Callable[[], object]) -> None:
        """Have this done after so many seconds, and nothing that was to be done before."""
        with self._lock:
            self._call_off()
            made = self._made

            def due() -> None:
                if self._is_due(made):
                    work()

            self._cancel = self._start(seconds, due)

    def call_off(self) -> None:
        """Have nothing done."""
        with self._lock:
            self._call_off()

    def _call_off(self) -> None:
        cancel, self._cancel = self._cancel, None
        self._made += 1
        if cancel is not None:
            cancel()

    def _is_due(self, made: int) -> bool:
        """Whether this is what waits; a timer that was called off may be under way."""
        with self._lock:
            if made != self._made:
                return False
            self._cancel = None
            return True
