"""The `Check` base class: one claim about a plugin, with the code that tests it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, ClassVar

from plugwright_conformance.evidence.outcome import Level, Severity
from plugwright_conformance.subject.engines import ENGINES, labelled

if TYPE_CHECKING:
    from plugwright_conformance.catalogue.bench import Bench
    from plugwright_conformance.evidence.outcome import Evidence

__all__ = [
    "BOTH",
    "PROOF_OF_CAPABILITIES",
    "SINK_ONLY",
    "SOURCE_ONLY",
    "Check",
    "Level",
    "Severity",
    "on_engine",
]

BOTH = frozenset({"source", "sink"})
SOURCE_ONLY = frozenset({"source"})
SINK_ONLY = frozenset({"sink"})
PROOF_OF_CAPABILITIES = "CON-CAP-01"
"""The check that looks at the other results of its run, so that it needs a whole one."""


class Check(ABC):
    """One entry of the catalogue.

    Attributes:
        id: identifier in the catalogue; never re-used.
        revision: raised with every change of the verdict logic.
        level: the first level that asks for it.
        wave: of building, by column W of the catalogue.
        waivable: whether a level stands while the check is waived; only for heuristics and matters
            of documentation, never for what loses data.
        after: id of the check that it follows in a run; by default its group and number tell.
        in_catalogue: set by `registered`, as the group is.
        group: heading that the reports file it under.
        title: the claim, in one sentence.
        why: what goes wrong in production if the claim does not hold.
        mend: what to change in a plugin that fails.
        kinds: which plugins it applies to.
        gate: the capability without which it does not apply; empty if it always does.
        origin: where the demand comes from, by the catalogue's codes.
        live: whether it needs Spark and a Kafka broker.
        engines: where it is tried if it is live, as far as the plugin claims them.
        why_not_everywhere: why the claim cannot hold on the engines left out; empty for none.
        engine: where this one is tried, see `on_engine`; empty for what does not run on Spark.
        detached: whether it works in a process of its own, so that others may run at the same time.
        other_driver: whether it works with a driver of its own, which is then started with the
            first live check.
        budget_s: seconds after which a run of it is interrupted.
    """

    id: ClassVar[str]
    revision: ClassVar[int] = 1
    severity: ClassVar[Severity] = Severity.MUST
    level: ClassVar[Level]
    wave: ClassVar[int] = 1
    waivable: ClassVar[bool] = False
    after: ClassVar[str] = ""
    in_catalogue: ClassVar[bool] = False
    group: ClassVar[str]
    title: ClassVar[str]
    why: ClassVar[str]
    mend: ClassVar[str]
    kinds: ClassVar[frozenset[str]] = BOTH
    gate: ClassVar[str] = ""
    origin: ClassVar[str] = ""
    live: ClassVar[bool] = False
    engines: ClassVar[tuple[str, ...]] = ENGINES
    why_not_everywhere: ClassVar[str] = ""
    engine: ClassVar[str] = ""
    detached: ClassVar[bool] = False
    other_driver: ClassVar[bool] = False
    budget_s: ClassVar[float] = 60.0

    @classmethod
    def label(cls) -> str:
        """Its id, and its engine if it has one."""
        return labelled(cls.id, cls.engine)

    @abstractmethod
    def run(self, bench: Bench) -> Evidence:
        """Test the claim.

        Returns:
            What was observed; without a single observation the outcome is ERROR.

        Raises:
            CheckFailedError: if the plugin does not keep the claim.
            NotApplicableError: if the plugin does not claim the capability.
            NotRunError: if this environment lacks what the check needs.
        """


def on_engine(check: type[Check], engine: str) -> type[Check]:
    """The same check, tried on one engine."""
    return type(check.__name__, (check,), {"__doc__": check.__doc__, "engine": engine})
