"""The context shared by all checks of one run."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from plugwright_conformance.execution.facts import KnownFacts
from plugwright_conformance.execution.seeds import check_random
from plugwright_conformance.execution.workbench import Workbench
from plugwright_conformance.subject.engines import RESIDENT

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from plugwright_conformance.catalogue.check import Check
    from plugwright_conformance.evidence.outcome import CheckResult
    from plugwright_conformance.execution.options import RunOptions
    from plugwright_conformance.live.system import LiveSystem
    from plugwright_conformance.simulator import ExperimentProcesses
    from plugwright_conformance.subject.subject import Subject

__all__ = ["RunContext"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunContext:
    """One run on one plugin.

    Attributes:
        live: Spark and a broker; ``None`` if the run has none.
        other_driver: whether a check needs a separate driver.
        begun: reading of the monotonic clock.
    """

    subject: Subject
    options: RunOptions
    workspace: Path
    live: LiveSystem | None
    experiment_processes: ExperimentProcesses
    other_driver: bool
    begun: float
    facts: KnownFacts = field(default_factory=KnownFacts)

    def bench(self, check: type[Check], ask: Callable[[str], CheckResult | None]) -> Workbench:
        """A workbench for one run of a check, which may request the results of others."""
        options = self.options
        return Workbench(
            subject=self.subject,
            random=check_random(options.seed, check.id),
            records=options.records,
            workspace=self.workspace,
            live_system=self.live,
            ask=ask,
            facts=self.facts,
            settings=options.settings,
            engine=check.engine or RESIDENT,
            experiment_processes=self.experiment_processes,
        )
