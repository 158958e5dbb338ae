"""Runs checks on mutants, several at a time, each in its own process."""

from __future__ import annotations

import gc
import os
import shutil
from contextlib import ExitStack, closing
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from plugwright_conformance.mutation._fate import Fate, How
from plugwright_conformance.mutation.trial import MutantTrial
from plugwright_conformance.processes.side_by_side import side_by_side
from plugwright_conformance.simulator import ExperimentProcesses

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from plugwright_conformance.catalogue.check import Check
    from plugwright_conformance.mutation._making import CodeMutant
    from plugwright_conformance.mutation.order import KillOrder
    from plugwright_conformance.mutation.trial import Baseline
    from plugwright_conformance.processes.side_by_side import WorkEnd

    _Key: TypeAlias = tuple[CodeMutant, ExperimentProcesses, Path]

__all__ = ["Campaign"]

_MOST_S = 3600.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Campaign:
    """Runs the mutants of one connector.

    Attributes:
        location: the good connector.
        checks: the suite, without live checks.
        baseline: what the good connector does.
        seed: of every run.
        jobs: how many are tried at a time.
        scratch: an empty directory.
        kills: what was learned so far.
    """

    location: Path
    checks: Sequence[type[Check]]
    baseline: Baseline
    seed: str
    jobs: int
    scratch: Path
    kills: KillOrder

    def fates(self, mutants: Sequence[CodeMutant]) -> Iterator[tuple[CodeMutant, Fate]]:
        """Try them; yields each as soon as its fate is known."""
        with ExitStack() as stack:
            free = [stack.enter_context(ExperimentProcesses()) for _ in range(self.jobs)]
            ends = side_by_side(self._works(mutants, free), self.jobs, _MOST_S)
            for end in stack.enter_context(closing(ends)):
                mutant, experiment_processes, place = end.key
                free.append(experiment_processes)
                shutil.rmtree(place, ignore_errors=True)
                fate = _fate(end)
                self.kills.learn(mutant, fate)
                yield mutant, fate

    def _works(
        self, mutants: Sequence[CodeMutant], free: list[ExperimentProcesses]
    ) -> Iterator[tuple[_Key, Callable[[], str]]]:
        for number, mutant in enumerate(mutants):
            experiment_processes, place = free.pop(), self.scratch / str(number)
            experiment_processes.open_up()
            trial = MutantTrial(
                checks=self.checks, seed=self.seed, experiment_processes=experiment_processes
            )
            order = self.kills.order(mutant)
            yield (
                (mutant, experiment_processes, place),
                partial(self._try, mutant, trial, place, order),
            )

    def _try(
        self, mutant: CodeMutant, trial: MutantTrial, place: Path, order: Sequence[str]
    ) -> str:
        """Try a mutant in a process of its own."""
        gc.freeze()
        nothing = os.open(os.devnull, os.O_RDWR)
        for number in range(3):
            os.dup2(nothing, number)
        target, workspace = place / self.location.name, place / "work"
        workspace.mkdir(parents=True)
        mutant.materialise(self.location, target)
        return trial.fate(target, workspace, self.baseline, order).render()


def _fate(end: WorkEnd[_Key]) -> Fate:
    """The fate that a process has reported, or had itself."""
    if end.result is None:
        return Fate(How.HUNG if end.is_late else How.ENDED)
    return Fate.parse(end.result)
