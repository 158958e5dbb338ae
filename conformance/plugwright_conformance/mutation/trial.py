"""Runs the offline checks on one connector, up to the first that does not pass."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from plugwright.errors import ConnectError
from plugwright_conformance.catalogue.check import PROOF_OF_CAPABILITIES
from plugwright_conformance.evidence.outcome import Outcome
from plugwright_conformance.execution.runner import RunOptions, run_checks
from plugwright_conformance.mutation._fate import Fate, How
from plugwright_conformance.report.silent_listener import SilentListener
from plugwright_conformance.subject.subject import open_subjects

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from plugwright_conformance.catalogue.check import Check
    from plugwright_conformance.evidence.outcome import CheckResult
    from plugwright_conformance.simulator import ExperimentProcesses
    from plugwright_conformance.subject.subject import Subject

__all__ = ["Baseline", "MutantTrial", "offline"]

_RECORDS = 1000
_MOST_S = 120.0
"""Below the budget of no check; with a limit, checks run one after the other."""
_PATIENCE, _LEAST_S = 6.0, 10.0


@dataclass(frozen=True, slots=True)
class Baseline:
    """The results of the unchanged connector.

    Attributes:
        seconds: how long each check took that it fulfils, by class and check.
    """

    seconds: Mapping[tuple[str, str], float]

    @property
    def checks(self) -> Sequence[str]:
        """Ids of the checks that a mutant can fail."""
        return sorted({name for _, name in self.seconds})

    def cost(self, check: str) -> float:
        """How long a check takes."""
        return sum(value for (_, name), value in self.seconds.items() if name == check)


def offline(checks: Sequence[type[Check]]) -> Sequence[type[Check]]:
    """The checks that a mutant is put before: all that need no live system."""
    return [check for check in checks if not check.live and check.id != PROOF_OF_CAPABILITIES]


@dataclass(frozen=True, slots=True, kw_only=True)
class MutantTrial:
    """Runs checks on connectors.

    Attributes:
        checks: the suite, without live checks.
        seed: of every run.
        experiment_processes: for simulated checks.
    """

    checks: Sequence[type[Check]]
    seed: str
    experiment_processes: ExperimentProcesses

    def baseline(self, location: Path, workspace: Path) -> Baseline:
        """Try the unchanged connector.

        Raises:
            ConnectError: ``mutation.unsound`` if it does not pass every check.
        """
        seconds: dict[tuple[str, str], float] = {}
        for subject in open_subjects(location, workspace):
            chosen = [check for check in self.checks if subject.kind in check.kinds]
            for result in self._results(subject, chosen, workspace):
                if result.outcome in {Outcome.FAIL, Outcome.ERROR}:
                    raise _unsound(location, result)
                if result.outcome.fulfils:
                    seconds[subject.name, result.id] = result.duration_s
        return Baseline(seconds)

    def fate(
        self, location: Path, workspace: Path, baseline: Baseline, order: Sequence[str]
    ) -> Fate:
        """Try a mutant, up to the first check that it does not pass.

        What hung or ended in an error is tried a second time, with all the patience of the check,
        because the machine may have been at fault.

        Args:
            location: the mutant.
            workspace: an empty directory.
            baseline: what the unchanged connector does.
            order: ids of checks, first those that are to be run first.
        """
        try:
            subjects = open_subjects(location, workspace)
        except ConnectError as error:
            return Fate(How.FAILED, "", str(error))
        known = {check.id: check for check in self.checks}
        for subject in subjects:
            name = subject.name
            chosen = [
                _hurried(known[each], baseline.seconds[name, each])
                for each in order
                if (name, each) in baseline.seconds
            ]
            found = self._first(subject, chosen, workspace)
            if found is not None:
                return Fate.of(found)
        return Fate(How.SURVIVED)

    def _first(
        self, subject: Subject, chosen: Sequence[type[Check]], workspace: Path
    ) -> CheckResult | None:
        """The first check that was not passed."""
        left = list(chosen)
        while left:
            results = self._results(subject, left, workspace, _is_short)
            last = results[-1]
            if last.outcome.fulfils:
                return None
            if Fate.of(last).how is How.FAILED:
                return last
            same = [check for check in self.checks if check.id == last.id]
            (again,) = self._results(subject, same, workspace)
            if _is_short(again):
                return again
            left = left[len(results) :]
        return None

    def _results(
        self,
        subject: Subject,
        chosen: Sequence[type[Check]],
        workspace: Path,
        until: Callable[[CheckResult], bool] | None = None,
    ) -> Sequence[CheckResult]:
        options = RunOptions(
            seed=self.seed,
            records=_RECORDS,
            selection=tuple(check.id for check in chosen),
            most_s=_MOST_S,
            experiment_processes=self.experiment_processes,
            until=until,
        )
        rest = [check for check in self.checks if check.id not in options.selection]
        return run_checks(
            subject,
            [*chosen, *rest],
            options,
            workspace=workspace,
            live=None,
            listener=SilentListener(),
        ).results


def _is_short(result: CheckResult) -> bool:
    """Whether a check is not fulfilled."""
    return not result.outcome.fulfils


def _hurried(check: type[Check], seconds: float) -> type[Check]:
    """The same check with less patience, for who may hang; it knows how long the good one took."""
    budget_s = min(check.budget_s, max(_LEAST_S, _PATIENCE * seconds))
    return type(check.__name__, (check,), {"__doc__": check.__doc__, "budget_s": budget_s})


def _unsound(location: Path, result: CheckResult) -> ConnectError:
    return ConnectError(
        f"{location} does not pass {result.id} as it is, so that its mutants would prove nothing: "
        f"{result.message}",
        code="mutation.unsound",
        hint=f"mend it first: {result.replay}",
        facts={"location": str(location), "check": result.id},
    )
