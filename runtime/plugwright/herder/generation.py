"""Generations of a connector's tasks: one starts only after all tasks of the last have stopped."""

from __future__ import annotations

import logging
import threading
from typing import TYPE_CHECKING

from plugwright.control_plane import RebalanceNeededError
from plugwright.herder.config_state import Opening, TargetState
from plugwright.herder.delayed_call import DelayedCall
from plugwright.herder.spreading import spread_tasks

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from plugwright.herder._config_store import ConfigStore
    from plugwright.herder._ownership import Ownership
    from plugwright.herder._worker_interface import Worker
    from plugwright.herder.config_state import ConfigState
    from plugwright.herder.reporting import StatusReporter

log = logging.getLogger(__name__)

_OVERDUE_S = 60.0
"""Longer than any session: a worker that reports nothing has lost its shards by then, and the next
owner reports instead."""


class Generation:
    """The newest generation of one connector's tasks; used on the connector's executor.

    Its configurations are written first. Every worker then stops its tasks of the former generation
    and reports that in their statuses. Once all have stopped, the owner of the connector fences
    their producers (KIP-618), assigns the new tasks to shards, and writes that they may run.

    Args:
        name: of the connector.
        worker: fences producers.
        configs: stores generations.
        statuses: reports which tasks have stopped.
        ownership: the shards of this worker.
        again: schedules `open_if_released` on the connector's executor.
    """

    def __init__(  # noqa: PLR0913, PLR0917  # the runner's own parts
        self,
        name: str,
        worker: Worker,
        configs: ConfigStore,
        statuses: StatusReporter,
        ownership: Ownership,
        again: Callable[[], None],
    ) -> None:
        self._name = name
        self._worker = worker
        self._configs = configs
        self._statuses = statuses
        self._ownership = ownership
        self._again = again
        self._reported: set[tuple[int, int]] = set()
        self._opened = threading.Condition()
        self._overdue_timer = DelayedCall()
        self._overdue = 0

    def begin(self, configs: Sequence[Mapping[str, str]]) -> None:
        """Write the configurations of a new generation, which does not run yet."""
        try:
            self._configs.put_task_configs(self._name, configs)
        except RebalanceNeededError:
            log.info("connector %s now belongs to another worker", self._name)

    def tell_released(self, state: ConfigState) -> None:
        """Report that the tasks of the former generation in this worker's shards have stopped."""
        opening = state.openings.get(self._name)
        newest = state.generations.get(self._name, 0)
        if opening is None or opening.generation == newest:
            return
        own = [n for n, shard in enumerate(opening.shards) if self._ownership.holds(shard)]
        fresh = [n for n in own if (newest, n) not in self._reported]
        if fresh and not self._ownership.owns(self._name):  # the owner needs no report
            self._statuses.unassigned(fresh, released=newest)
        self._reported = {(newest, n) for n in own}

    def open_if_released(self) -> bool:
        """Let the newest generation run if the former one has stopped; whether it may run."""
        state = self._configs.snapshot()
        if self._name not in state.configs or self._name not in state.task_configs:
            return False
        newest = state.generations.get(self._name, 0)
        if state.is_open(self._name):
            return False
        if self._overdue != newest and (waiting := self._waiting(state, newest)):
            self._wait_for(waiting, newest)
            return False
        try:
            self._open(state, newest)
        except RebalanceNeededError:
            log.info("connector %s now belongs to another worker", self._name)
            return False
        return True

    def wait_until_open(self, timeout_s: float) -> bool:
        """Wait on another thread until the newest generation may run; whether it may."""
        with self._opened:
            return self._opened.wait_for(
                lambda: self._configs.snapshot().is_open(self._name), timeout_s
            )

    def close(self) -> None:
        """Stop waiting for other workers."""
        self._overdue_timer.cancel()

    def _waiting(self, state: ConfigState, newest: int) -> list[int]:
        """The tasks of the former generation whose workers have not reported a stop."""
        opening = state.openings.get(self._name)
        if opening is None:
            return []
        released = self._statuses.released()
        return [
            n
            for n, shard in enumerate(opening.shards)
            if not self._ownership.holds(shard) and released.get(n, 0) < newest
        ]

    def _wait_for(self, tasks: Sequence[int], newest: int) -> None:
        """Continue without these tasks after a time-out."""
        if self._overdue_timer.pending:
            return

        def give_up() -> None:
            log.warning(
                "no worker has reported that tasks %s of connector %s stopped", tasks, self._name
            )
            self._overdue = newest
            self._again()

        self._overdue_timer.schedule(_OVERDUE_S, give_up)

    def _open(self, state: ConfigState, newest: int) -> None:
        count = len(state.task_configs[self._name])
        if count:
            self._fence(state, count)
        shards = self._shards(state, count)
        self._configs.open_tasks(self._name, Opening(newest, shards))
        self._statuses.only_tasks(range(count))
        if state.targets.get(self._name) is TargetState.STOPPED:
            self._statuses.connector("STOPPED")
        self.close()
        with self._opened:
            self._opened.notify_all()

    def _shards(self, state: ConfigState, count: int) -> tuple[int, ...]:
        home = self._ownership.shard_of(self._name)
        if not self._worker.spreads_tasks(state.configs[self._name]):
            return (home,) * count
        return spread_tasks(self._name, count, home, self._ownership.owners(), state)

    def _fence(self, state: ConfigState, coming: int) -> None:
        """Fence the producers of the former generation before the new one starts (KIP-618).

        Only the owner of the connector can write the fencing count, so that a superseded
        worker does not fence its successor's tasks.
        """
        opening = state.openings.get(self._name)
        former = max(
            state.fencing_counts.get(self._name, 0), 0 if opening is None else len(opening.shards)
        )
        self._worker.fence_zombies(
            self._name,
            state.configs[self._name],
            former,
            lambda: self._configs.put_fencing_count(self._name, max(former, coming)),
        )
