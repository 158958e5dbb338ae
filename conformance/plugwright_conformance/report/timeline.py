"""The timeline of the live run: checks and kills on Spark and Kafka."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plugwright_conformance.evidence.outcome import CheckResult, LiveEvent
    from plugwright_conformance.report.results import RunResults

WIDTH = 1000
"""Units from the left edge of a picture to the right."""

_STATES = frozenset({"starting", "running", "stopped"})


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar of the timeline.

    Attributes:
        state: ``starting`` or ``running``.
        left: its beginning, in units of the picture.
    """

    state: str
    left: int
    width: int


@dataclass(frozen=True, slots=True)
class TimelineRow:
    """One check on the live system.

    Attributes:
        bars: the states of its workers.
        kills: when processes were killed, in units of the picture.
        events: what happened, with seconds since the start of the run.
    """

    check: CheckResult
    bars: Sequence[Bar]
    kills: Sequence[int]
    events: Sequence[LiveEvent]


def timeline(results: RunResults) -> Sequence[TimelineRow]:
    """One line for each check that ran tasks, in chronological order."""
    checks = sorted((r for r in results.results if r.events), key=lambda r: r.begun_s)
    if not checks:
        return []
    begin = checks[0].begun_s
    span_s = max(max(r.begun_s + r.duration_s, r.events[-1].at_s) for r in checks) - begin
    return [_line(check, begin, WIDTH / max(span_s, 0.001)) for check in checks]


def _line(check: CheckResult, begin: float, scale: float) -> TimelineRow:
    def place(at_s: float) -> int:
        return min(max(round((at_s - begin) * scale), 0), WIDTH)

    end = place(check.begun_s + check.duration_s)
    bars: list[Bar] = []
    current: dict[str, tuple[str, int]] = {}
    for event in check.events:
        if event.kind in _STATES:
            bars += _closed(current, event.text, place(event.at_s))
            if event.kind != "stopped":
                current[event.text] = (event.kind, place(event.at_s))
    for text in list(current):
        bars += _closed(current, text, end)
    kills = [place(event.at_s) for event in check.events if event.kind == "kill"]
    return TimelineRow(check, bars, kills, check.events)


def _closed(current: dict[str, tuple[str, int]], text: str, at: int) -> Sequence[Bar]:
    """The bar that ends at this event, if one is open."""
    if text not in current:
        return ()
    state, left = current.pop(text)
    return (Bar(state, left, max(at - left, 2)),)
