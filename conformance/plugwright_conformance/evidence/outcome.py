"""Outcomes, severities, levels, and the evidence of checks."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING

from plugwright_conformance.subject.engines import labelled

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = [
    "CheckEnd",
    "CheckFailedError",
    "CheckResult",
    "Evidence",
    "Level",
    "LiveEvent",
    "NotApplicableError",
    "NotRunError",
    "Outcome",
    "Severity",
    "TableCell",
]


class Outcome(Enum):
    """The outcome of a check; PASS and NOT_APPLICABLE satisfy a level."""

    PASS = "PASS"  # noqa: S105  # an outcome, not a password
    FAIL = "FAIL"
    WAIVED = "WAIVED"
    NOT_APPLICABLE = "NOT_APPLICABLE"
    NOT_RUN = "NOT_RUN"
    ERROR = "ERROR"

    @property
    def fulfils(self) -> bool:
        """Whether the check fulfils its level."""
        return self in {Outcome.PASS, Outcome.NOT_APPLICABLE}


class CheckEnd(Enum):
    """How the code of a check ended, if it neither returned nor raised."""

    REGULAR = "regular"
    HUNG = "hung"
    ENDED = "ended its process"


class Severity(Enum):
    """The weight of a check for a level."""

    MUST = "must"
    SHOULD = "should"
    MAY = "may"


class Level(Enum):
    """The certification levels, each containing those before it."""

    C1 = 1
    C2 = 2
    C3 = 3
    C4 = 4
    C5 = 5

    @property
    def title(self) -> str:
        """The title of the level, in one word."""
        return ("Discoverable", "Compatible", "Durable", "Resilient", "Exact")[self.value - 1]


@dataclass(frozen=True, slots=True)
class TableCell:
    """The observations of a check for one cell of a report table.

    Attributes:
        table: ``crashes``, ``faults``, ``scenarios``, ``discovery``, ``types`` or ``probes``.
        row: heading of its row, such as a boundary event.
        column: heading of its column, such as a kind of fault.
        text: the observation, in one or two words.
        sound: whether it is the expected observation.
    """

    table: str
    row: str
    column: str
    text: str
    sound: bool = True


@dataclass(frozen=True, slots=True)
class LiveEvent:
    """An event on the live system during a check.

    Attributes:
        at_s: seconds after the start of the run.
        kind: ``starting``, ``running``, ``kill``, ``back``, ``crash`` or ``stopped``.
        text: the process concerned.
    """

    at_s: float
    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class Evidence:
    """The observations of a passing check; without any there is no pass.

    Attributes:
        observations: how many comparisons were made.
        digest: SHA-256 over the compared values, or an empty string without any.
        figures: named counts for the report, such as in, out, lost and duplicated.
        cells: what was seen, place by place, for the tables of the report.
    """

    observations: int
    digest: str = ""
    figures: Mapping[str, int | float | str] = field(default_factory=dict)
    cells: Sequence[TableCell] = ()


@dataclass(eq=False)  # raising sets the traceback of an exception, so it cannot be frozen
class CheckFailedError(Exception):
    """Raised by a check if the plugin is at fault; requires an observation.

    Attributes:
        expected: what had to hold, in the plugin's terms.
        observed: what was seen instead.
        scenario: what had been done when it was seen.
        likely: the usual cause, or an empty string.
        evidence: the observations so far, at least one.
        mend: what to change, if it differs from the check's own `mend`.
    """

    expected: str
    observed: str
    scenario: str = ""
    likely: str = ""
    evidence: Evidence = field(default_factory=lambda: Evidence(1))
    mend: str = ""

    def __post_init__(self) -> None:
        if not self.observed.strip() or self.evidence.observations < 1:
            raise ValueError(f"a failure without an observation: expected {self.expected}")

    def __str__(self) -> str:
        return f"expected {self.expected}; observed {self.observed}"


class NotApplicableError(Exception):
    """Raised by a check whose capability is not declared, after a clean negative probe.

    Attributes:
        cells: the observations so far, for the tables of the report.
    """

    def __init__(self, reason: str, cells: Sequence[TableCell] = ()) -> None:
        super().__init__(reason)
        self.cells = cells


class NotRunError(Exception):
    """Raised by a check if the environment lacks a requirement; counts against the level."""


@dataclass(frozen=True, slots=True)
class CheckResult:
    """One result: outcome, evidence or error, and the command that repeats the check.

    Attributes:
        id: identifier of the check in the catalogue, such as ``SRC-OFF-03``.
        title: the claim in one sentence.
        revision: raised with every change of the verdict logic.
        observations: comparisons made; a pass has at least one.
        seed: hexadecimal seed of the check's random choices.
        duration_s: wall-clock seconds.
        message: what failed or why it did not run; empty for a pass.
        replay: one command that repeats this check with this seed.
        expected: what had to hold, for a failure.
        observed: what was seen instead, for a failure.
        scenario: what had been done when it was seen.
        likely: the usual cause.
        mend: what to change in the plugin.
        cells: what was seen, place by place, for the tables of the report.
        begun_s: seconds after the start of the run.
        events: the events on the live system during the check, in order.
        engine: the engine that ran the tasks on Spark; empty for other checks.
        ending: whether the code hung or ended its process; no report shows it.
    """

    id: str
    title: str
    group: str
    revision: int
    severity: Severity
    level: Level
    outcome: Outcome
    observations: int
    seed: str
    duration_s: float
    message: str
    replay: str
    expected: str = ""
    observed: str = ""
    scenario: str = ""
    likely: str = ""
    mend: str = ""
    figures: Mapping[str, int | float | str] = field(default_factory=dict)
    digest: str = ""
    cells: Sequence[TableCell] = ()
    begun_s: float = 0.0
    events: Sequence[LiveEvent] = ()
    engine: str = ""
    ending: CheckEnd = CheckEnd.REGULAR

    @property
    def label(self) -> str:
        """The id, with the engine if there is one, such as ``CON-DLV-01[stream]``."""
        return labelled(self.id, self.engine)
