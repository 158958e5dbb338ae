"""The crash-point sweep: repeats a task run with a crash at every boundary event."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from plugwright_conformance.evidence.outcome import CheckFailedError, Evidence, TableCell
from plugwright_conformance.processes.virtual_time import real_s
from plugwright_conformance.simulator.left_behind import is_visible, left_behind
from plugwright_conformance.subject.endpoint import EndpointError

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Mapping, Sequence

    from plugwright_conformance.evidence.ledger import Reconciliation
    from plugwright_conformance.simulator._experiment import Experiment, ExperimentFactory
    from plugwright_conformance.simulator._life import LifeReport
    from plugwright_conformance.simulator._plan import Plan

_EACH_CLASS = 3  # occurrences of a boundary class, where lives do not repeat
_ROOM_S, _LEAST_S = 100.0, 0.001
"""For all crashes of a sweep, each of which has a life before and after it; of such a pair."""
_LEAST_POINTS, _POINTS_A_PAIR = 40, 4


@dataclass
class Sweep:
    """One sweep over a plugin's task.

    Attributes:
        factory: creates the worlds.
        plan: the life that is stopped at each crash point.
        words: a description for failures.
        duplicates: whether a repeated record is also a failure.
        most_points: the maximum number of crash points, spread over the life.
        events: names of the boundary events of the reference life.
        deterministic: whether that life repeats; if not, crash points are boundary classes.
        points: crash points that were reached.
        losing: those of them after which something was missing, or too much.
        repeating: those of them after which records were delivered again.
        states: how many different states they have left behind; a new task has drained each.
    """

    factory: ExperimentFactory
    plan: Plan
    words: str = ""
    duplicates: bool = False
    most_points: int = 400
    events: Sequence[str] = ()
    deterministic: bool = True
    points: int = 0
    pairs: int = 0
    repeating: int = 0
    most_repeated: int = 0
    losing: list[tuple[str, Reconciliation, str]] = field(default_factory=list)
    states: int = 0
    _reference_s: float = 0.0
    _digest: str = ""
    _comparable: bool = False
    _drained: dict[Hashable, tuple[Reconciliation, LifeReport]] = field(default_factory=dict)
    _classes: Mapping[str, int] = field(default_factory=dict)
    _seen: Counter[tuple[str, str, str]] = field(default_factory=Counter)

    def run(self, pairs: int = 0) -> None:
        """Sweep over all crash points, and over a sample of pairs of them.

        Raises:
            CheckFailedError: if something was lost after any of them.
        """
        self._take_reference()
        for plan, where in self._crash_points():
            self._crash(where, plan)
        pairs = min(pairs, self._fitting // _POINTS_A_PAIR) if self.deterministic else 0
        for first, second in self._sampled(pairs):
            where = f"events {first} ({self.events[first]}) and, in the next life, {second}"
            self._crash(where, self._stopped(first), self._stopped(second))
        if self.losing:
            raise self._failure()

    def figures(self) -> Mapping[str, int | float | str]:
        """The figures for the report."""
        return {
            "events": len(self.events),
            "crash_points": self.points,
            "pairs": self.pairs,
            "states": self.states,
            "lives": self.factory.lives,
            "repeating_points": self.repeating,
            "most_repeated": self.most_repeated,
            "deterministic": "yes" if self.deterministic else "no: crashed at boundary classes",
        }

    def evidence(self) -> Evidence:
        """The evidence of a passing sweep."""
        return self._shown(self.points + self.pairs)

    def cells(self) -> Sequence[TableCell]:
        """The results of the crashes at each boundary event, for the crash map."""
        places = dict.fromkeys((row, column) for row, column, _ in self._seen)
        return tuple(self._cell(row, column) for row, column in places)

    def _cell(self, row: str, column: str) -> TableCell:
        tried, losing, repeating = (
            self._seen[row, column, what] for what in ("tried", "losing", "repeating")
        )
        text = f"{losing} of {tried} lost" if losing else f"{tried} held"
        return TableCell(
            "crashes",
            row,
            column,
            f"{text}, {repeating} repeated" if repeating else text,
            not losing,
        )

    def _shown(self, observations: int) -> Evidence:
        return Evidence(observations, self._digest, self.figures(), self.cells())

    def _take_reference(self) -> None:
        lives, begun_s = [], real_s()
        for _ in range(2):
            with self.factory.experiment() as experiment:
                lives.append(experiment.live(self.plan))
                rest = lives[-1:] if lives[-1].ending == "stopped" else experiment.drain()
                found = self.factory.require_complete(experiment, rest, f"no crash{self._special}")
        self._reference_s = real_s() - begun_s
        self._digest = found.digest
        self.events = lives[0].events
        self.deterministic = lives[0].events == lives[1].events
        self._comparable = self.deterministic and all(map(is_visible, lives))
        if not self.deterministic:
            self._classes = Counter(lives[0].events) & Counter(lives[1].events)

    @property
    def _fitting(self) -> int:
        """How many crash points to try: fewer where lives take long, but not too few."""
        room = int(_ROOM_S / max(self._reference_s, _LEAST_S))
        return min(self.most_points, max(room, _LEAST_POINTS))

    @property
    def _special(self) -> str:
        return f", {self.words}" if self.words else ""

    def _crash_points(self) -> Iterator[tuple[Plan, str]]:
        if self.deterministic:
            step = -(-len(self.events) // self._fitting)
            for number, name in list(enumerate(self.events))[:: step or 1]:
                yield self._stopped(number), f"event {number} of {len(self.events)} ({name})"
            return
        for name, count in sorted(self._classes.items()):
            for occurrence in range(1, min(count, _EACH_CLASS) + 1):
                plan = replace(self.plan, stop_in=(name, occurrence))
                yield plan, f"occurrence {occurrence} of {name}"

    def _sampled(self, pairs: int) -> Sequence[tuple[int, int]]:
        """Drawn beforehand: every experiment begins with the random source as it was."""
        draw, count = self.factory.random.randrange, len(self.events)
        return [(draw(count), draw(count)) for _ in range(pairs)]

    def _stopped(self, number: int) -> Plan:
        return replace(self.plan, stop_at=number)

    def _crash(self, where: str, *plans: Plan) -> None:
        with self.factory.experiment() as experiment:
            lives = [experiment.live(plan) for plan in plans]
            crashed = sum(life.ending == "crashed" for life in lives)
            if self._comparable and crashed == len(lives) == 1:
                state = left_behind(experiment, lives[0])
                if state not in self._drained:
                    self._drained[state] = self._continued(experiment, where)
                found, last = self._drained[state]
            else:
                found, last = self._continued(experiment, where)
        before = len(self.losing), self.repeating
        self._judge(found, last, where, crashed)
        column = f"{'two crashes' if len(plans) > 1 else 'crash'}{self._special}"
        row = plans[0].stop_in[0] if plans[0].stop_in else self.events[plans[0].stop_at or 0]
        self._seen[row, column, "tried"] += 1
        self._seen[row, column, "losing"] += len(self.losing) - before[0]
        self._seen[row, column, "repeating"] += self.repeating - before[1]

    def _continued(self, experiment: Experiment, where: str) -> tuple[Reconciliation, LifeReport]:
        """Drain what a crash has left behind: what has arrived then, and the last life.

        Raises:
            CheckFailedError: if the endpoint driver cannot read it, as it could without a crash.
        """
        self.states += 1
        lives = experiment.drain(self.plan)
        try:
            return experiment.reconcile(), lives[-1]
        except EndpointError as error:
            raise CheckFailedError(
                expected="something that can be read, wherever a crash comes",
                observed=str(error),
                scenario=f"the world stopped at {where}{self._special}; a new task drained what "
                "was left",
                likely="what a crash has cut short stays under its own name; if it does not "
                "count, let the driver pass over it",
                evidence=self._shown(max(self.points, 1)),
            ) from error

    def _judge(self, found: Reconciliation, last: LifeReport, where: str, crashed: int) -> None:
        self.points += crashed == 1
        self.pairs += crashed > 1
        self.repeating += bool(found.duplicated)
        self.most_repeated = max(self.most_repeated, found.duplicated)
        if found.lost or found.foreign or (self.duplicates and found.duplicated):
            self.losing.append((where, found, last.error))
        elif last.ending != "stopped":
            self.losing.append((where, found, f"the task {last.ending}: {last.error}"))

    def _failure(self) -> CheckFailedError:
        where, found, error = self.losing[0]
        wanted = "once each" if self.duplicates else "and no others"
        runs = self.points + self.pairs
        return CheckFailedError(
            expected=f"all {found.entered} values, {wanted}, wherever a crash comes",
            observed=f"{found}{f'; {error}' if error else ''}; "
            f"so after {len(self.losing)} of {runs} crashes",
            scenario=f"the world stopped at {where}{self._special}; a new task drained what was "
            "left",
            likely="something is called delivered before it is durable, or a position moves early",
            evidence=self._shown(max(runs, 1)),
        )
