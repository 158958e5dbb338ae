"""A mutation run: generates, samples and runs the mutants of a connector."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING

from plugwright.errors import ConnectError
from plugwright_conformance.mutation._making import mutants_of, own_modules
from plugwright_conformance.mutation._report import MutationRun, Tried
from plugwright_conformance.mutation.campaign import Campaign
from plugwright_conformance.mutation.fate_journal import FateJournal
from plugwright_conformance.mutation.operators import OPERATORS
from plugwright_conformance.mutation.order import KillOrder
from plugwright_conformance.mutation.trial import MutantTrial, offline
from plugwright_conformance.simulator import ExperimentProcesses
from plugwright_conformance.subject.subject import open_subjects, unpacked

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from plugwright_conformance.catalogue.check import Check
    from plugwright_conformance.mutation._equivalents import Equivalents
    from plugwright_conformance.mutation._fate import Fate
    from plugwright_conformance.mutation._making import CodeMutant
    from plugwright_conformance.mutation.mutation_operator import Operator
    from plugwright_conformance.subject.subject import Subject

__all__ = ["MutationPlan", "find_operators"]


def find_operators(names: Sequence[str]) -> Sequence[Operator]:
    """The operators of these names, or all.

    Raises:
        ConnectError: ``mutation.no-such-operator``.
    """
    known = {each.name: each for each in OPERATORS}
    if strange := [name for name in names if name not in known]:
        raise ConnectError(
            f"no operator is called {', '.join(strange)}",
            code="mutation.no-such-operator",
            hint=f"operators: {', '.join(sorted(known))}",
            facts={"unknown": tuple(strange)},
        )
    return [each for each in OPERATORS if not names or each.name in names]


@dataclass(frozen=True, slots=True, kw_only=True)
class MutationPlan:
    """The selection of mutants for a run.

    Attributes:
        checks: the suite.
        operators: what to make mutants with.
        seed: of the sample and of the checks.
        sample: how many to try at most; ``None`` for all.
        jobs: how many to try at a time.
        equivalents: the table.
        journal: keeps the fates, if it is there.
        progress: called with each mutant when its fate is known.
    """

    checks: Sequence[type[Check]]
    operators: Sequence[Operator]
    seed: str
    sample: int | None
    jobs: int
    equivalents: Equivalents
    journal: Path | None
    progress: Callable[[str], None]

    def made(self, given: Path, scratch: Path) -> tuple[Sequence[CodeMutant], int]:
        """The mutants that are to be tried, and how many there are."""
        subjects = open_subjects(given, scratch)
        drivers = {each.declaration.endpoint.partition(":")[0] for each in subjects}
        root = unpacked(given, scratch)
        mutants = mutants_of(root, own_modules(root, drivers), self.operators)
        if self.sample is None or self.sample >= len(mutants):
            return mutants, len(mutants)
        numbers = Random(self.seed).sample(range(len(mutants)), self.sample)  # noqa: S311  # repeatable
        return [mutants[number] for number in sorted(numbers)], len(mutants)

    def run(self, given: Path, scratch: Path) -> MutationRun:
        """Make and try the mutants of a connector.

        Args:
            given: its location or wheel.
            scratch: an empty directory.

        Raises:
            ConnectError: ``mutation.unsound`` if the connector does not pass as it is;
                ``mutation.no-mutant`` if there is nothing to try.
        """
        mutants, count = self.made(given, scratch)
        if not mutants:
            raise _nothing(given)
        subject = open_subjects(given, scratch)[0]
        fates = self._fates(mutants, subject, scratch)
        plugin = subject.descriptor.distribution
        rows = [Tried(m, fates[m.id], self.equivalents.reason(plugin, m)) for m in mutants]
        return MutationRun(
            location=given.resolve().name,
            plugin=plugin,
            version=subject.descriptor.version,
            digest=subject.digest,
            seed=self.seed,
            made=count,
            rows=rows,
        )

    def _fates(
        self, mutants: Sequence[CodeMutant], subject: Subject, scratch: Path
    ) -> Mapping[str, Fate]:
        checks = offline(self.checks)
        suite = sorted(f"{check.id} rev {check.revision}" for check in checks)
        identity = "\n".join([subject.digest, self.seed, *suite])
        journal = FateJournal(self.journal, hashlib.sha256(identity.encode()).hexdigest()[:16])
        known = {mutant.id: journal.find(mutant.id) for mutant in mutants}
        fates = {name: fate for name, fate in known.items() if fate is not None}
        due = [mutant for mutant in mutants if mutant.id not in fates]
        if due:
            campaign = self._campaign(checks, subject, scratch)
            for mutant in mutants:
                if mutant.id in fates:
                    campaign.kills.learn(mutant, fates[mutant.id])
            for mutant, fate in campaign.fates(due):
                fates[mutant.id] = fate
                journal.enter(mutant.id, fate)
                self.progress(_progress_line(mutant, fate, f"{len(fates)} of {len(mutants)}"))
        return fates

    def _campaign(self, checks: Sequence[type[Check]], subject: Subject, scratch: Path) -> Campaign:
        self.progress(f"trying {subject.given} as it is")
        with ExperimentProcesses() as experiment_processes:
            trial = MutantTrial(
                checks=checks, seed=self.seed, experiment_processes=experiment_processes
            )
            baseline = trial.baseline(subject.root, scratch)
        return Campaign(
            location=subject.root.resolve(),
            checks=checks,
            baseline=baseline,
            seed=self.seed,
            jobs=self.jobs,
            scratch=scratch,
            kills=KillOrder(baseline),
        )


def _progress_line(mutant: CodeMutant, fate: Fate, progress: str) -> str:
    by = f" by {fate.by}" if fate.by else ""
    return f"{progress} {mutant.module}:{mutant.line} {mutant.operator} {fate.how.value}{by}"


def _nothing(given: Path) -> ConnectError:
    return ConnectError(
        f"{given} offers nothing that these operators could change",
        code="mutation.no-mutant",
        hint="name other operators, or a location whose modules are Python source",
        facts={"location": str(given)},
    )
