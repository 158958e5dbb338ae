"""A delayed call that can be cancelled or replaced."""

from __future__ import annotations

import threading
from collections.abc import Callable

from plugwright.retry import doubled_delay_s

TimerStart = Callable[[float, Callable[[], object]], Callable[[], object]]
"""Calls a function after a number of seconds on its own thread; returns a function that cancels."""


_FIRST_RETRY_S, _LAST_RETRY_S = 0.25, 60.0


def start_timer(seconds: float, work: Callable[[], object]) -> Callable[[], object]:
    """Call ``work`` after a delay, on a daemon thread."""
    timer = threading.Timer(min(seconds, threading.TIMEOUT_MAX), work)
    timer.daemon = True
    timer.start()
    return timer.cancel


class DelayedCall:
    """At most one pending delayed call.

    Args:
        start: schedules a call and returns a function that cancels it.
    """

    def __init__(self, start: TimerStart = start_timer) -> None:
        self._start = start
        self._lock = threading.Lock()
        self._cancel: Callable[[], object] | None = None
        self._made = 0

    @property
    def pending(self) -> bool:
        """Whether a call is pending."""
        return self._cancel is not None

    def schedule(self, seconds: float, work: Callable[[], object]) -> None:
        """Schedule a call, replacing the pending one."""
        with self._lock:
            self._cancel_pending()
            made = self._made

            def due() -> None:
                if self._is_due(made):
                    work()

            self._cancel = self._start(seconds, due)

    def cancel(self) -> None:
        """Cancel the pending call."""
        with self._lock:
            self._cancel_pending()

    def _cancel_pending(self) -> None:
        cancel, self._cancel = self._cancel, None
        self._made += 1
        if cancel is not None:
            cancel()

    def _is_due(self, made: int) -> bool:
        """Whether this call is still the pending one; a cancelled timer may already be running."""
        with self._lock:
            if made != self._made:
                return False
            self._cancel = None
            return True


class Backoff:
    """Calls a function again after failures, at growing distances.

    The distances are those at which Kafka Connect asks for task configurations again: a quarter of
    a second after the first failure, twice as long after each other one, a minute at most.

    Args:
        work: called on another thread.
        start: schedules a call and returns a function that cancels it.
    """

    def __init__(self, work: Callable[[], object], start: TimerStart = start_timer) -> None:
        self._work = work
        self._delayed_call = DelayedCall(start)
        self._failures = 0

    def failed(self) -> None:
        """Schedule another call."""
        self._failures += 1
        seconds = doubled_delay_s(_FIRST_RETRY_S, self._failures)
        self._delayed_call.schedule(min(seconds, _LAST_RETRY_S), self._work)

    def reset(self) -> bool:
        """Cancel the scheduled call and begin anew; whether there were failures."""
        self._delayed_call.cancel()
        failures, self._failures = self._failures, 0
        return failures > 0
