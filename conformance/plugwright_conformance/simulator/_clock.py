"""A virtual clock that advances only when code waits."""

from __future__ import annotations


class VirtualClock:
    """Seconds since the start of a simulation.

    Attributes:
        now: the time.
    """

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now

    def advance(self, seconds: float) -> None:
        """Let time pass."""
        self.now += max(seconds, 0.0)
