"""Statistics of all values that a sensor has recorded."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from plugwright.metrics._samples import SampleWindow


class CumulativeSum:
    """The sum of all values."""

    def __init__(self, value: float = 0.0) -> None:
        self._total = value

    def record(self, value: float, now: float, window: SampleWindow) -> None:  # noqa: ARG002  # of any time
        """Add the value."""
        self._total += value

    def measure(self, now: float, window: SampleWindow) -> float:  # noqa: ARG002  # of any time
        """The sum so far."""
        return self._total


class CumulativeCount(CumulativeSum):
    """The number of values."""

    def record(self, value: float, now: float, window: SampleWindow) -> None:  # noqa: ARG002  # of any value
        """Count the value."""
        self._total += 1


class Value(CumulativeSum):
    """The last value."""

    def record(self, value: float, now: float, window: SampleWindow) -> None:  # noqa: ARG002  # of any time
        """Replace the value."""
        self._total = value
