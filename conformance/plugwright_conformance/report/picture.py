"""A chart of delivery under faults: one bar per live scenario."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plugwright_conformance.evidence.outcome import CheckResult
    from plugwright_conformance.report.results import RunResults

WIDTH = 240
"""Width of the longest bar, in units of the picture."""

_SEEN = 3
_FAULTS: Mapping[str, str] = MappingProxyType(
    {
        "CON-DLV-01": "no fault",
        "CON-REB-01": "worker killed",
        "CON-REB-02": "worker stopped",
        "CON-SPK-05": "Spark's driver killed",
        "CON-BRK-01": "Kafka restarted",
        "CON-BRK-03": "Kafka out of reach",
    }
)


@dataclass(frozen=True, slots=True)
class DeliveryBar:
    """The record counts of one scenario.

    Attributes:
        fault: the fault, and the engine if the run has several.
        arrived, lost, repeated: lengths in units of `WIDTH`.
        words: the counts as text.
    """

    check: CheckResult
    fault: str
    arrived: int
    lost: int
    repeated: int
    words: str


def delivery_bars(results: RunResults) -> Sequence[DeliveryBar]:
    """One bar for each live scenario of the run, on one scale of shares."""
    found = [(r, _counts(r)) for r in results.results if r.id in _FAULTS]
    counted = [(check, counts) for check, counts in found if counts[0]]
    several = len({check.engine for check, _ in counted}) > 1
    longest = max((1 + repeated / given for _, (given, _, repeated) in counted), default=1.0)
    return [_bar(check, counts, longest, several=several) for check, counts in counted]


def _bar(
    check: CheckResult, counts: tuple[int, int, int], longest: float, *, several: bool
) -> DeliveryBar:
    given, lost, repeated = counts
    unit = WIDTH / longest / given
    engine = f", {check.engine}" if several and check.engine else ""
    return DeliveryBar(
        check,
        f"{_FAULTS[check.id]}{engine}",
        _length((given - lost) * unit),
        _length(lost * unit),
        _length(repeated * unit),
        f"{given:,} records, {lost:,} lost, {repeated:,} repeated",
    )


def _length(units: float) -> int:
    """Whole units; more than zero records have a visible length."""
    return max(round(units), _SEEN) if units else 0


def _counts(check: CheckResult) -> tuple[int, int, int]:
    """Counts of records that entered, were lost, and were repeated; zeros if there were none."""
    values = [check.figures.get(name, 0) for name in ("in", "lost", "duplicated")]
    given, lost, repeated = (value if isinstance(value, int) else 0 for value in values)
    return given, lost, repeated
