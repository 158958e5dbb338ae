"""Limits the time that a worker waits for Kafka: shorter once it is stopping."""

from __future__ import annotations

import logging
import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

log = logging.getLogger(__name__)

_LEAVING_S = 5.0


class KafkaTimeouts:
    """Limits the waits of all clients of a worker.

    While the worker stops, the first wait that times out ends all others.

    Args:
        clock: seconds that only go forward.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._leaving_at: float | None = None
        self._given_up = False

    def shorten(self) -> None:
        """Shorten the waits because the worker stops: each ends within five seconds.

        They count from this call, or from the start of a later wait. Other workers notice that this
        member is missing when its session expires.
        """
        with self._lock:
            if self._leaving_at is None:
                self._leaving_at = self._clock()

    def wait(self, timeout_s: float) -> Wait:
        """Start a wait of at most this many seconds."""
        return Wait(self, self._clock(), timeout_s)

    def left(self, wait: Wait) -> float:
        """The seconds for which a wait may continue; see `Wait.left`."""
        now = self._clock()
        usual = wait.began + wait.timeout_s - now
        with self._lock:
            if self._leaving_at is None:
                return usual
            short = 0.0 if self._given_up else max(wait.began, self._leaving_at) + _LEAVING_S - now
            gives_up = short <= 0.0 < usual and not self._given_up
            self._given_up = self._given_up or gives_up
        if gives_up:
            log.warning(
                "Kafka did not answer for %g s during shutdown: this worker exits without "
                "notifying the others, which take over when session.timeout.ms has passed",
                _LEAVING_S,
            )
        return min(usual, short)


@dataclass(frozen=True, slots=True)
class Wait:
    """One wait for Kafka.

    Attributes:
        limits: the limits of the worker.
        began: when it started, by their clock.
        timeout_s: maximum time while the worker is running.
    """

    limits: KafkaTimeouts
    began: float
    timeout_s: float

    def left(self) -> float:
        """The remaining seconds; the wait is over at zero and below."""
        return self.limits.left(self)

    def slice(self, longest_s: float) -> float:
        """The time-out for the next blocking call of the wait; zero once it is over."""
        return max(0.0, min(self.left(), longest_s))
