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
"""The check that examines the other results of its run, so that it needs a complete one."""


class Check(ABC):
    """One entry of the catalogue.

    Attributes:
        id: identifier in the catalogue, which is never re-used.
        revision: raised with every change of the verdict logic.
        level: the lowest level that requires it.
        wave: release wave in which it was added; new checks have the highest.
        waivable: whether its level can be awarded while it is waived; only for heuristics and
            documentation, never for checks of data loss.
        after: id of the check that it follows in a run; by default, group and number determine its
            position.
        in_catalogue: set by `registered`, like the group.
        group: its heading in reports.
        title: the claim, in one sentence.
        why: what goes wrong in production if the claim does not hold.
        mend: what to change in a plugin that fails.
        kinds: which plugins it applies to.
        gate: the capability without which it does not apply; empty if it always does.
        origin: source of the requirement, as a code of the catalogue.
        live: whether it needs Spark and a Kafka broker.
        engines: the engines on which it runs if it is live and the plugin claims them.
        why_not_everywhere: why the claim cannot hold on the other engines; empty if there are none.
        engine: the engine on which this class runs, see `on_engine`; empty without Spark.
        detached: whether it starts processes of its own, so that it cannot crash the run.
        skips_waits: whether it runs in virtual time, where a plugin that is otherwise idle waits no
            real seconds; for checks in which it may wait long, and of which none measures time.
        in_turn: whether it uses the results of other checks, so that it does not run ahead of them.
        other_driver: whether it needs a separate driver, which is then started with the first live
            check.
        budget_s: time limit of a run in seconds.
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
    skips_waits: ClassVar[bool] = False
    in_turn: ClassVar[bool] = False
    other_driver: ClassVar[bool] = False
    budget_s: ClassVar[float] = 60.0

    @classmethod
    def label(cls) -> str:
        """Its id, with its engine if it has one."""
        return labelled(cls.id, cls.engine)

    @abstractmethod
    def run(self, bench: Bench) -> Evidence:
        """Test the claim.

        Returns:
            The observations; without any the outcome is ERROR.

        Raises:
            CheckFailedError: if the plugin does not keep the claim.
            NotApplicableError: if the plugin does not claim the capability.
            NotRunError: if this environment lacks what the check needs.
        """


def on_engine(check: type[Check], engine: str) -> type[Check]:
    """The same check for one engine."""
    return type(check.__name__, (check,), {"__doc__": check.__doc__, "engine": engine})
