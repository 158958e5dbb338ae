"""Averages and maxima of the recent past, as Kafka's metrics have them."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Meter"]

_WINDOW_S = 30.0


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
        self._present = (0, 0.0, 0.0)  # how many, their sum, the largest
        self._former = (0, 0.0, 0.0)

    def add(self, value: float) -> None:
        """Take one figure. Once for each batch; a microsecond."""
        self._turn()
        count, total, largest = self._present
        self._present = (count + 1, total + value, max(largest, value))

    def figures(self, name: str) -> dict[str, float]:
        """Average and maximum under ``<name>-avg`` and ``<name>-max``; nothing if there was none.

        Safe to call from another thread.
        """
        self._turn()
        (count, total, largest), (before, sum_before, largest_before) = self._present, self._former
        if not count + before:
            return {}
        average = (total + sum_before) / (count + before)
        most = max(largest, largest_before)
        return {f"{name}-avg": round(average, 3), f"{name}-max": round(most, 3)}

    def _turn(self) -> None:
        """Begin a new window if the present one is over."""
        passed = self._clock() - self._began
        if passed >= _WINDOW_S:
            self._former = self._present if passed < 2 * _WINDOW_S else (0, 0.0, 0.0)
            self._present = (0, 0.0, 0.0)
            self._began += passed
