"""Averages, minima and maxima of the recent past, as Kafka's metrics have them."""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

_WINDOW_S = 30.0
_NOTHING = (0, 0.0, math.inf, -math.inf)


class Meter:
    """Takes a figure for each batch; remembers the present window of 30 s and the one before.

    Kafka's defaults of ``metrics.sample.window.ms`` and ``metrics.num.samples``.

    Args:
        clock: seconds that only go forward.
    """

    __slots__ = ("_began", "_clock", "_former", "_present")

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._began = clock()
        self._present = _NOTHING  # how many, their sum, the smallest, the largest
        self._former = _NOTHING

    def add(self, value: float) -> None:
        """Take one figure. Once for each batch; a microsecond."""
        self._turn()
        count, total, least, most = self._present
        self._present = (count + 1, total + value, min(least, value), max(most, value))

    def figures(self, name: str) -> dict[str, float]:
        """Average, minimum and maximum: ``<name>-avg``, ``-min``, ``-max``; nothing if none came.

        Safe to call from another thread.
        """
        self._turn()
        present, former = self._present, self._former
        count = present[0] + former[0]
        if not count:
            return {}
        return {
            f"{name}-avg": round((present[1] + former[1]) / count, 3),
            f"{name}-min": round(min(present[2], former[2]), 3),
            f"{name}-max": round(max(present[3], former[3]), 3),
        }

    def _turn(self) -> None:
        """Begin a new window if the present one is over."""
        passed = self._clock() - self._began
        if passed >= _WINDOW_S:
            self._former = self._present if passed < 2 * _WINDOW_S else _NOTHING
            self._present = _NOTHING
            self._began += passed
