"""Check of sources that read a snapshot first, and then a stream of changes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from plugwright_conformance.catalogue.register import registered
from plugwright_conformance.evidence.outcome import Evidence, Level
from plugwright_conformance.simulator import SimulatedCheck, Sweep

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plugwright_conformance.simulator import ExperimentFactory

_WAITING = 10
_IN_ALL = 24
_MOST_POINTS = 100
_FILES = ("os.", "io.", "file.")
_LIKELY = "the stream begins where the changes are when the snapshot ends, not when it began"


@registered
class HandoverHasNoGap(SimulatedCheck):
    """What is inserted while a snapshot is read arrives, wherever a crash comes."""

    id = "SRC-OFF-14"
    level = Level.C3
    wave = 2
    title = "The handover from the snapshot to the stream has no gap"
    why = "A row inserted while the snapshot was read is in neither of the two, and missed by all."
    mend = "Note the position of the stream before the snapshot begins, and store it with offsets."
    gate = "SNAP"
    origin = "CDT; RPC; flink-cdc#1206"
    budget_s = 300.0

    def experiment(self, factory: ExperimentFactory) -> Evidence:
        """Insert at each boundary event of the snapshot; crash at each, and insert meanwhile."""
        factory.waiting = _WAITING
        factory.plan = replace(factory.plan, commits_always=True)
        points = self._points(factory)
        for number, name in points:
            self._insert(factory, number, name)
            self._insert_while_down(factory, number, name)
        middle = points[len(points) // 2][0]
        plan = replace(factory.plan, feed_at=middle)
        sweep = Sweep(factory, plan, f"values inserted at event {middle} of the snapshot")
        sweep.run()
        found = sweep.evidence()
        figures = {**found.figures, "insertions": 2 * len(points), "lives": factory.lives}
        count = found.observations + 2 * len(points)
        return Evidence(count, found.digest, figures, found.cells)

    @staticmethod
    def _points(factory: ExperimentFactory) -> Sequence[tuple[int, str]]:
        """The events of a life that meets a snapshot alone, at which values can be inserted.

        Where the endpoint is more than files, a lock may be held but for between two calls.
        """
        with factory.experiment(_WAITING) as experiment:
            life = experiment.live(factory.plan)
            factory.require_complete(experiment, [life], f"a snapshot of {_WAITING} values")
        files = all(call.name.startswith(_FILES) for call in life.calls)
        found = [
            (number, name)
            for number, name in enumerate(life.events)
            if files or not name.endswith((" before", " after"))
        ]
        return found[:: -(-len(found) // _MOST_POINTS)]

    @staticmethod
    def _insert(factory: ExperimentFactory, number: int, name: str) -> None:
        """Insert values in the middle of the snapshot, without a crash."""
        with factory.experiment(_IN_ALL) as experiment:
            lives = experiment.drain(replace(factory.plan, feed_at=number))
            where = f"values inserted at event {number} ({name}) of a snapshot of {_WAITING} values"
            factory.require_complete(experiment, lives, where, likely=_LIKELY)

    @staticmethod
    def _insert_while_down(factory: ExperimentFactory, number: int, name: str) -> None:
        """Crash in the middle of the snapshot, and insert values before the next task starts."""
        with factory.experiment(_IN_ALL) as experiment:
            experiment.live(replace(factory.plan, stop_at=number))
            experiment.let_in(_IN_ALL - _WAITING)
            lives = experiment.drain()
            where = (
                f"a crash at event {number} ({name}) of a snapshot of {_WAITING} values; others "
                "inserted before a new task drained what was left"
            )
            factory.require_complete(experiment, lives, where, likely=_LIKELY)
