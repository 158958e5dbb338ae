"""Computes the kill matrix: which check fails which mutant, and any false alarms."""

from __future__ import annotations

import json
import math
import os
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from plugwright_conformance.catalogue.check import PROOF_OF_CAPABILITIES, on_engine
from plugwright_conformance.controls.journal import ControlJournal
from plugwright_conformance.evidence.outcome import Level, Outcome
from plugwright_conformance.execution.runner import RunOptions, run_checks
from plugwright_conformance.mutants import BENIGN, MUTANTS, materialise
from plugwright_conformance.processes.isolated_process import ChildError
from plugwright_conformance.processes.side_by_side import side_by_side
from plugwright_conformance.processes.temporary import temporary_directory
from plugwright_conformance.simulator import ExperimentProcesses
from plugwright_conformance.subject.subject import open_subjects

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from plugwright_conformance.catalogue.check import Check
    from plugwright_conformance.evidence.outcome import CheckResult
    from plugwright_conformance.live.system import LiveSystem
    from plugwright_conformance.mutants import Mutant
    from plugwright_conformance.report import RunListener

    _Due = tuple[int, str, Sequence[str]]
    _Found = tuple[Sequence[str], Mapping[str, str]]

__all__ = [
    "FORMAT",
    "BenignRow",
    "KillMatrix",
    "KillRow",
    "MatrixOptions",
    "compute_matrix",
]

FORMAT = "plugwright-kill-matrix/1"
_RECORDS = 2000
_MOST_S = 24 * 3600.0
_IMPATIENCE_S = 6.0
"""The time limit of other checks: a mutant that hangs in its designated check hangs in many."""


@dataclass(frozen=True, slots=True)
class KillRow:
    """The results of one mutant.

    Attributes:
        killed: whether its designated check found it, with the expected message; ``None`` if that
            check needs a live system and there was none.
        also: other checks that failed.
    """

    id: str
    fault: str
    base: str
    killed_by: str
    killed: bool | None
    also: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class BenignRow:
    """The results of one unusual but correct connector, over all seeds.

    Attributes:
        false_alarms: failed checks, once for each seed.
    """

    id: str
    oddity: str
    base: str
    checks: int
    false_alarms: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class KillMatrix:
    """The measured quality of the suite.

    Attributes:
        checks: id and revision of every check of the suite.
        seeds: the seeds of the benign controls.
    """

    checks: Sequence[str]
    seeds: Sequence[str]
    mutants: Sequence[KillRow]
    benign: Sequence[BenignRow]

    @property
    def survivors(self) -> Sequence[KillRow]:
        """Mutants that their designated check did not find."""
        return [row for row in self.mutants if row.killed is False]

    @property
    def false_alarms(self) -> Sequence[str]:
        """Benign control and check of each false alarm."""
        return [f"{row.id} {check}" for row in self.benign for check in row.false_alarms]

    @property
    def flakes(self) -> tuple[int, int]:
        """The number of unexpected verdicts on benign controls, and of all verdicts on them.

        FAIL and ERROR are unexpected, with every seed. The ratio of the numbers is the flake rate,
        which must be below one in a thousand.
        """
        return len(self.false_alarms), sum(row.checks for row in self.benign)

    @property
    def score(self) -> str:
        """The number of killed mutants, and of tested ones."""
        tried = [row for row in self.mutants if row.killed is not None]
        return f"{sum(row.killed is True for row in tried)} of {len(tried)}"

    def render(self) -> bytes:
        """The matrix as JSON; equal results give equal bytes."""
        document = {
            "benign": [_plain(row) for row in self.benign],
            "checks": list(self.checks),
            "flake_rate": dict(zip(("unexpected", "verdicts"), self.flakes, strict=True)),
            "format": FORMAT,
            "mutants": [_plain(row) for row in self.mutants],
            "seeds": list(self.seeds),
        }
        return (json.dumps(document, sort_keys=True, indent=1) + "\n").encode()


def _plain(row: KillRow | BenignRow) -> dict[str, object]:
    names = type(row).__slots__
    values = {name: getattr(row, name) for name in names}
    return {name: list(v) if isinstance(v, tuple | list) else v for name, v in values.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class MatrixOptions:
    """The extent of the matrix, and its inputs.

    Attributes:
        plugin_path: the directory of the bundled connectors.
        seeds: for the benign controls; mutants and live checks use the first one.
        live: the live system, or ``None`` to omit the checks that need it.
        whole: whether mutants also run against other checks than the designated one.
        controls_only: whether mutants are omitted.
        workers: how many controls run at a time; more than one run in separate processes.
    """

    plugin_path: Path
    seeds: Sequence[str]
    live: LiveSystem | None = None
    whole: bool = True
    controls_only: bool = False
    workers: int = 1


def compute_matrix(
    checks: Sequence[type[Check]],
    options: MatrixOptions,
    *,
    listener: RunListener,
    progress: Callable[[str], None],
    journal: ControlJournal | None = None,
) -> KillMatrix:
    """Run the checks on every mutant and every benign control.

    Checks of packages do not run on mutants of code, whose packages are generated.

    Args:
        checks: the suite.
        options: the extent and inputs.
        listener: notified of every run.
        progress: called with the name of each mutant before it runs, of each control afterwards.
        journal: has results of earlier runs of the controls, which are not repeated; receives new
            ones.
    """
    rows = []
    seeds, journal = options.seeds, journal or ControlJournal(None, checks)
    with _test_bed(checks, options, listener) as bed:
        for mutant in () if options.controls_only else MUTANTS:
            progress(f"{mutant.id} {mutant.fault}")
            rows.append(bed.run_mutant(mutant, seeds[0], whole=options.whole))
        for number, seed, outcome in bed.run_controls(seeds, journal, options.workers):
            control = BENIGN[number]
            progress(f"{control.id} {control.fault}, seed {seed}")
            journal.enter(control.id, seed, *outcome)
        benign = [_benign_row(control, seeds, journal) for control in BENIGN]
    names = [f"{check.id} rev {check.revision}" for check in checks]
    return KillMatrix(sorted(names), tuple(seeds), rows, benign)


@contextmanager
def _test_bed(
    checks: Sequence[type[Check]], options: MatrixOptions, listener: RunListener
) -> Iterator[_TestBed]:
    """A test bed with a directory and with processes, both of which exist until the block ends."""
    with (
        temporary_directory("matrix") as scratch,
        ExperimentProcesses() as experiment_processes,
    ):
        yield _TestBed(
            checks=checks,
            plugin_path=options.plugin_path,
            workspace=scratch,
            live=options.live,
            listener=listener,
            experiment_processes=experiment_processes,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _TestBed:
    """Creates broken or unusual connectors and runs checks on them."""

    checks: Sequence[type[Check]]
    plugin_path: Path
    workspace: Path
    live: LiveSystem | None
    listener: RunListener
    experiment_processes: ExperimentProcesses | None = None

    def results(
        self, mutant: Mutant, chosen: Iterable[type[Check]], seed: str, most_s: float = math.inf
    ) -> list[CheckResult]:
        """The results of the chosen checks for its kind of plugin."""
        location, workspace = self.workspace / mutant.id, self.workspace
        if not location.exists():
            materialise(mutant, self.plugin_path, workspace)
        subject = open_subjects(location, workspace)[0]
        ids = tuple(check.label() for check in chosen if subject.kind in check.kinds)
        if not ids:
            return []
        skip_waits = not mutant.killed_by  # good ones have no time limit
        options = RunOptions(
            seed=seed,
            records=_RECORDS,
            selection=ids,
            most_s=most_s,
            skip_waits=skip_waits,
            experiment_processes=self.experiment_processes,
        )
        run = run_checks(
            subject,
            self.checks,
            options,
            workspace=workspace,
            live=self.live,
            listener=self.listener,
        )
        return list(run.results)

    def run_mutant(self, mutant: Mutant, seed: str, *, whole: bool) -> KillRow:
        """Run the designated check on a mutant and, for the whole matrix, the others."""
        designated = [_designated(c, mutant) for c in self.checks if c.id == mutant.killed_by]
        found = self.results(mutant, designated, seed)
        others = _others(mutant, self.checks) if whole else []
        found += self.results(mutant, others, seed, _IMPATIENCE_S)
        return _row(mutant, found)

    def run_controls(
        self, seeds: Sequence[str], journal: ControlJournal, workers: int
    ) -> Iterator[tuple[int, str, _Found]]:
        """Run the checks on every control with every seed, except those in the journal.

        Yields:
            The number of a control, a seed, and its results, in any order if there are several
            workers; at the end those of the live checks, which share one Spark session.
        """
        due = self._due(seeds, journal, live=False)
        if workers > 1:
            yield from self._run_apart(due, workers)
            due = []
        if self.live:
            due += self._due(seeds[:1], journal, live=True)
        yield from ((*each[:2], self.control(*each)) for each in due)

    def _due(self, seeds: Sequence[str], journal: ControlJournal, *, live: bool) -> list[_Due]:
        met = {control.id: _for_benign(control, self.checks, live=live) for control in BENIGN}
        return [
            (number, seed, [check.id for check in missing])
            for seed in seeds
            for number, control in enumerate(BENIGN)
            if (missing := journal.missing(control.id, seed, met[control.id]))
        ]

    def _run_apart(self, due: Sequence[_Due], workers: int) -> Iterator[tuple[int, str, _Found]]:
        # Processes cannot receive the live system, nor other processes.
        apart = replace(self, live=None, experiment_processes=None)
        works = ((each[:2], partial(apart.control_apart, *each)) for each in due)
        with closing(side_by_side(works, workers, _MOST_S)) as ends:
            for end in ends:
                if end.result is None:
                    raise end.error or ChildError(f"{end.key}: not done within {_MOST_S:g} s")
                yield (*end.key, end.result)

    def control_apart(self, number: int, seed: str, ids: Sequence[str]) -> _Found:
        """Like `control`, in a process with its own directory."""
        place = self.workspace / str(os.getpid())
        place.mkdir(exist_ok=True)
        return replace(self, workspace=place).control(number, seed, ids)

    def control(self, number: int, seed: str, ids: Sequence[str]) -> _Found:
        """The checks of a control with one seed, and the messages of failed ones."""
        chosen = [check for check in self.checks if check.id in ids]
        found = self.results(BENIGN[number], chosen, seed)
        alarms = {r.id: r.message for r in found if r.outcome in {Outcome.FAIL, Outcome.ERROR}}
        return [result.id for result in found], alarms


def _designated(check: type[Check], mutant: Mutant) -> type[Check]:
    """The check that must find a mutant, on the engine where it must."""
    return on_engine(check, mutant.engine) if check.live else check


def _others(mutant: Mutant, checks: Sequence[type[Check]]) -> list[type[Check]]:
    """The checks other than the designated one that run on a mutant."""
    return [
        check
        for check in checks
        if check.id not in {mutant.killed_by, PROOF_OF_CAPABILITIES}
        and not check.live
        and (check.level is Level.C1) is not bool(mutant.module)
    ]


def _for_benign(control: Mutant, checks: Sequence[type[Check]], *, live: bool) -> list[type[Check]]:
    """Every check of its kind; without those of packages if its package is generated."""
    return [
        check
        for check in checks
        if control.kind in check.kinds
        and check.live is live
        and check.id not in {PROOF_OF_CAPABILITIES, *control.not_passed}
        and not (control.module and check.level is Level.C1)
    ]


def _row(mutant: Mutant, results: Sequence[CheckResult]) -> KillRow:
    killed: bool | None = None
    also = []
    for result in results:
        if result.id != mutant.killed_by:
            also += [result.id] if result.outcome in {Outcome.FAIL, Outcome.ERROR} else []
        elif result.outcome is not Outcome.NOT_RUN:
            text = f"{result.expected} | {result.observed} | {result.scenario}"
            killed = result.outcome is Outcome.FAIL and mutant.failure in text
    return KillRow(mutant.id, mutant.fault, mutant.base, mutant.killed_by, killed, tuple(also))


def _benign_row(control: Mutant, seeds: Sequence[str], journal: ControlJournal) -> BenignRow:
    runs = [journal.find(control.id, seed) for seed in seeds]
    alarms = tuple(alarm for _, found in runs for alarm in found)
    return BenignRow(control.id, control.fault, control.base, sum(n for n, _ in runs), alarms)
