"""Mutants before the checks, several at a time, each in a process of its own."""

from __future__ import annotations

import gc
import os
import shutil
import time
from collections import deque
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Pipe, wait
from typing import TYPE_CHECKING, NoReturn

from plugwright_conformance.mutation._fate import Fate, How
from plugwright_conformance.mutation._trial import MutantTrial
from plugwright_conformance.processes.forked import Forked, fork
from plugwright_conformance.simulator import Laboratories

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from multiprocessing.connection import Connection
    from pathlib import Path

    from plugwright_conformance.catalogue.check import Check
    from plugwright_conformance.mutation._making import CodeMutant
    from plugwright_conformance.mutation._order import KillOrder
    from plugwright_conformance.mutation._trial import Baseline

__all__ = ["Campaign"]

_LOOK_S = 1.0
_MOST_S = 3600.0


@dataclass(frozen=True, slots=True)
class _Running:
    """A mutant that is being tried."""

    number: int
    mutant: CodeMutant
    process: Forked
    laboratories: Laboratories
    place: Path
    until: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Campaign:
    """Tries the mutants of one connector.

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
    _lines: dict[Connection, _Running] = field(default_factory=dict, init=False, repr=False)

    def fates(self, mutants: Sequence[CodeMutant]) -> Iterator[tuple[CodeMutant, Fate]]:
        """Try them; yields each as soon as its fate is known."""
        due = deque(enumerate(mutants))
        with ExitStack() as stack:
            free = [stack.enter_context(Laboratories()) for _ in range(self.jobs)]
            stack.callback(self._end_all)
            while due or self._lines:
                while due and free:
                    self._start(*due.popleft(), free.pop())
                for line in self._done():
                    running = self._lines.pop(line)
                    fate = _heard(line, running)
                    free.append(running.laboratories)
                    shutil.rmtree(running.place, ignore_errors=True)
                    self.kills.learn(running.mutant, fate)
                    yield running.mutant, fate

    def _start(self, number: int, mutant: CodeMutant, laboratories: Laboratories) -> None:
        laboratories.open_up()
        place = self.scratch / str(number)
        place.mkdir()
        order = self.kills.order(mutant)
        ours, theirs = Pipe()
        process = Forked(fork())
        if not process.pid:
            ours.close()
            trial = MutantTrial(checks=self.checks, seed=self.seed, laboratories=laboratories)
            self._live(theirs, mutant, trial, place, order)
        theirs.close()
        until = time.monotonic() + _MOST_S
        self._lines[ours] = _Running(number, mutant, process, laboratories, place, until)

    def _live(
        self,
        line: Connection,
        mutant: CodeMutant,
        trial: MutantTrial,
        place: Path,
        order: Sequence[str],
    ) -> NoReturn:
        """Be the process of a mutant; never return."""
        try:
            gc.freeze()
            nothing = os.open(os.devnull, os.O_RDWR)
            for number in range(3):
                os.dup2(nothing, number)
            target, workspace = place / self.location.name, place / "work"
            workspace.mkdir()
            mutant.materialise(self.location, target)
            fate = trial.fate(target, workspace, self.baseline, order)
            line.send_bytes(fate.render().encode())
        finally:
            os._exit(0)

    def _done(self) -> Sequence[Connection]:
        """The lines of those that are done, or have taken too long."""
        ready = set(wait(list(self._lines), _LOOK_S))
        now = time.monotonic()
        late = [line for line, running in self._lines.items() if running.until < now]
        done = [line for line, running in self._lines.items() if running.process.has_ended()]
        return [line for line in self._lines if line in {*ready, *late, *done}]

    def _end_all(self) -> None:
        for line, running in self._lines.items():
            line.close()
            running.process.end()
        self._lines.clear()


def _heard(line: Connection, running: _Running) -> Fate:
    """The fate that a process has told, or had itself."""
    fate = Fate(How.HUNG if running.until < time.monotonic() else How.ENDED)
    with suppress(EOFError, OSError), line:
        if line.poll():
            fate = Fate.parse(line.recv_bytes())
    running.process.end()
    return fate
