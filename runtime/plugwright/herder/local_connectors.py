"""The connectors that this worker runs, with one runner for each."""

from __future__ import annotations

import threading
from functools import partial
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from plugwright.herder.reporting import StatusReporter
from plugwright.herder.runner import ConnectorRunner
from plugwright.herder.startups import Startups

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from plugwright.herder._config_store import ConfigStore
    from plugwright.herder._parts import HerderParts
    from plugwright.herder.config_state import ConfigState


class LocalConnectors:
    """Keeps a runner for every connector in which this worker has a part.

    Args:
        parts: the components of the herder.

    Attributes:
        startups: counts the starts of its connectors and tasks.
    """

    def __init__(self, parts: HerderParts) -> None:
        self._parts = parts
        self._lock = threading.RLock()
        self._runners: dict[str, ConnectorRunner] = {}
        self._roles: dict[str, frozenset[int]] = {}
        self._open = False
        self._worker_id = ""
        self.startups = Startups()

    def start(self, url: str) -> None:
        """Start running this worker's connectors.

        Raises:
            ConnectError: if this worker cannot join the group.
        """
        self._worker_id = urlsplit(url).netloc
        self._open = True
        self._parts.ownership.start(url, self.distribute)

    def runner(self, name: str) -> ConnectorRunner | None:
        """The runner of a connector, if this worker runs it."""
        with self._lock:
            return self._runners.get(name)

    def reconcile(self, name: str) -> None:
        """Handle a change to a connector."""
        with self._lock:
            runner = self._concerned(name)
            if runner is not None:
                runner.reconcile()
                if name not in self._roles:
                    runner.then(partial(self._retire, runner))

    def follow(self, name: str) -> None:
        """Handle a change to the tasks of a connector."""
        with self._lock:
            known = name in self._runners
            runner = self._concerned(name)
            if runner is not None:
                (runner.follow if known else runner.reconcile)()
                if name not in self._roles:
                    runner.then(partial(self._retire, runner))

    def distribute(self) -> None:
        """Release what now belongs to another worker, and start what now belongs to this one."""
        with self._lock:  # or a connector created meanwhile would be taken for another worker's
            before, self._roles = self._roles, {}
            state = self._parts.configs.snapshot()
            for name in state.configs:
                if role := self._role(name, state):
                    self._roles[name] = role
            leaving = [self._runners.pop(n) for n in list(self._runners) if n not in self._roles]
            shrinking = [
                runner
                for name, runner in self._runners.items()
                if before.get(name, frozenset()) - self._roles[name]
            ]
            if self._open:
                for name in set(self._roles) - set(self._runners):
                    self._runners[name] = self._new_runner(name)
            staying = list(self._runners.values())
        # Before the shards are released.
        _side_by_side([r.close for r in leaving] + [r.give_up for r in shrinking])
        for runner in staying:
            runner.reconcile()

    def counters(self) -> dict[str, Mapping[int, Mapping[str, float]]]:
        """The counters of each connector's tasks."""
        with self._lock:
            runners = list(self._runners.values())
        return {runner.name: runner.counters() for runner in runners}

    def settle(self, timeout_s: float) -> bool:
        """Wait until every pending change has been applied; whether it was in time."""
        with self._lock:
            runners = list(self._runners.values())
        return not [runner.name for runner in runners if not runner.settle(timeout_s)]

    def close(self) -> None:
        """Stop every connector so that other workers may take over."""
        self._open = False
        self._parts.ownership.close()
        with self._lock:
            leaving = list(self._runners.values())
            self._runners.clear()
        _side_by_side([runner.close for runner in leaving])

    def _retire(self, runner: ConnectorRunner) -> None:
        """Drop the runner of a connector that left this worker, unless it has come back."""
        with self._lock:
            if self._runners.get(runner.name) is runner and runner.name not in self._roles:
                del self._runners[runner.name]

    def _concerned(self, name: str) -> ConnectorRunner | None:
        """The runner of a changed connector; a new one if it now belongs to this worker."""
        if not self._open:
            return None  # the start handles all existing connectors
        state = self._parts.configs.snapshot()
        if role := self._role(name, state):
            self._roles[name] = role
        else:
            self._roles.pop(name, None)
        runner = self._runners.get(name)
        if runner is None and role:
            runner = self._runners[name] = self._new_runner(name)
        return runner

    def _role(self, name: str, state: ConfigState) -> frozenset[int]:
        """The shards of this worker that hold the connector or its tasks."""
        if name not in state.configs:
            return frozenset()
        ownership = self._parts.ownership
        opening = state.openings.get(name)
        shards = {ownership.shard_of(name), *(opening.shards if opening is not None else ())}
        return frozenset(shard for shard in shards if ownership.holds(shard))

    def _new_runner(self, name: str) -> ConnectorRunner:
        parts = self._parts
        reporter = StatusReporter(
            name,
            parts.statuses,
            self._worker_id,
            lambda: parts.ownership.generation,
            startups=self.startups,
            tracks_topics=parts.settings.topic_tracking,
            hide=parts.settings.hide,
            start_timer=parts.settings.start_timer,
            exists=partial(_exists, parts.configs, name),
        )
        timeout_s = parts.settings.shutdown_timeout_s
        return ConnectorRunner(
            name,
            parts.worker,
            parts.configs,
            reporter,
            parts.ownership,
            shutdown_timeout_s=timeout_s,
            start_timer=parts.settings.start_timer,
        )


def _exists(configs: ConfigStore, name: str, task: int | None) -> bool:
    """Whether a connector, or a task of it, is configured."""
    state = configs.snapshot()
    if task is None:
        return name in state.configs
    return task < len(state.task_configs.get(name, ()))


def _side_by_side(calls: Sequence[Callable[[], None]]) -> None:
    """Run the calls concurrently and wait for all: each may have to wait for its tasks."""
    threads = [threading.Thread(target=call) for call in calls]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
