"""The duration of each level, compared with the suite's targets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from plugwright_conformance.evidence.outcome import Level
from plugwright_conformance.report.wording import span

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plugwright_conformance.report.results import RunResults

_ASKED_S: Mapping[Level, int] = {
    Level.C1: 30,
    Level.C2: 120,
    Level.C3: 300,
    Level.C4: 1500,
    Level.C5: 2700,
}
_MINUTE = 60


@dataclass(frozen=True, slots=True)
class LevelTime:
    """The checks of one level, without those below it.

    Attributes:
        seconds: the sum of their durations, even if some ran at the same time.
        asked_s: the target duration of the level.
    """

    level: Level
    checks: int
    seconds: float
    asked_s: int

    @property
    def asked(self) -> str:
        """The target duration as text."""
        return f"{self.asked_s} s" if self.asked_s < _MINUTE else f"{self.asked_s // _MINUTE} min"

    @property
    def over(self) -> bool:
        """Whether it exceeded the target."""
        return self.seconds > self.asked_s


def level_times(results: RunResults) -> Sequence[LevelTime]:
    """One entry for each level that had checks in the run."""
    found = []
    for level, asked_s in _ASKED_S.items():
        durations = [r.duration_s for r in results.results if r.level is level]
        if durations:
            found.append(LevelTime(level, len(durations), round(sum(durations), 3), asked_s))
    return found


def set_up(results: RunResults) -> str:
    """The set-up time before the first check, which belongs to no level."""
    if not results.setup_s:
        return "without Spark and Kafka"
    return f"{span(results.setup_s)} for Spark and Kafka"


def durations_line(results: RunResults) -> str:
    """All levels in a line, with the number of workers and the set-up."""
    levels = ", ".join(
        f"{t.level.name} {span(t.seconds)} of {t.asked}{' (over)' if t.over else ''}"
        for t in level_times(results)
    )
    workers = f"{results.workers} worker{'' if results.workers == 1 else 's'}"
    return f"{levels}; {workers}; set-up {set_up(results)}" if levels else ""
