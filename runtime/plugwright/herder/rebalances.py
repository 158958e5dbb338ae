"""Counts and times the rebalances of this worker."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


class Rebalances:
    """Measures rebalances, from the revocation, if any, to the end of the assignment.

    Args:
        clock: monotonic seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._began: float | None = None
        self._ended: float | None = None
        self._completed = 0
        self._total_s = 0.0
        self._longest_s = 0.0

    def begin(self) -> None:
        """Start measuring, before connectors are revoked or assigned."""
        with self._lock:
            self._began = self._clock() if self._began is None else self._began

    def end(self) -> None:
        """They have."""
        with self._lock:
            now = self._clock()
            took = 0.0 if self._began is None else now - self._began
            self._began, self._ended = None, now
            self._completed += 1
            self._total_s += took
            self._longest_s = max(self._longest_s, took)

    def figures(self) -> dict[str, float]:
        """The metrics under Kafka Connect's names; durations exist after the first rebalance."""
        with self._lock:
            found: dict[str, float] = {
                "completed-rebalances-total": self._completed,
                "rebalancing": float(self._began is not None),
            }
            if self._ended is None:
                return found
            return found | {
                "rebalance-max-time-ms": round(self._longest_s * 1000, 3),
                "rebalance-avg-time-ms": round(self._total_s / self._completed * 1000, 3),
                "time-since-last-rebalance-ms": round((self._clock() - self._ended) * 1000, 3),
            }
