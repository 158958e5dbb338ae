"""One connector of this worker: brings what runs into line with what is asked for."""

from __future__ import annotations

import logging
import threading
from concurrent.futures import Future
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from plugwright.errors import ConnectError
from plugwright.herder._config_state import TargetState
from plugwright.herder._lane import Lane
from plugwright.herder._ownership import conflict
from plugwright.herder._seams import StartRequest, TaskNews
from plugwright.logs import LogContext
from plugwright.origin import status_text
from plugwright.rest import RebalanceNeededError, RestartRequest
from plugwright.worker import carried_on

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from plugwright.herder._config_store import ConfigStore
    from plugwright.herder._reporting import StatusReporter
    from plugwright.herder._seams import ConnectorInstance, TaskGroup, Worker

__all__ = ["ConnectorRunner"]

log = logging.getLogger(__name__)

T = TypeVar("T")
TaskConfigs = dict[int, "Mapping[str, str]"]


@dataclass(frozen=True, slots=True)
class _Task:
    """A task that was launched, under the token of its launch.

    News under an older token are those of a task that was replaced since.
    """

    group: TaskGroup
    token: int


class ConnectorRunner:
    """Runs one connector, in a lane of its own so that none waits for another.

    Every method returns at once; `settle` waits until what was asked for has been done.

    Args:
        name: of the connector.
        worker: what connectors and tasks run on.
        configs: where the connector's configuration, target state and task configurations are.
        statuses: who is told how it goes.
        shutdown_timeout_s: how long the tasks may take to stop.
    """

    def __init__(
        self,
        name: str,
        worker: Worker,
        configs: ConfigStore,
        statuses: StatusReporter,
        *,
        shutdown_timeout_s: float,
    ) -> None:
        self.name = name
        self._worker = worker
        self._configs = configs
        self._statuses = statuses
        self._shutdown_timeout_s = shutdown_timeout_s
        self._instance: ConnectorInstance | None = None
        self._config: Mapping[str, str] | None = None
        self._target = TargetState.STARTED
        self._task_configs: TaskConfigs = {}
        self._tasks: dict[int, _Task] = {}
        self._carried: dict[int, Mapping[str, float]] = {}
        self._launches = 0
        self._orders = Lane(f"connector-{name}", self._has_failed, LogContext(name))

    def reconcile(self) -> None:
        """Do what the configs topic says by now."""
        self._orders.put(self._reconcile)

    def restart(self, request: RestartRequest) -> None:
        """Restart the connector, or parts of it (KIP-745)."""
        self._orders.put(lambda: self._restart(request))

    def restart_task(self, number: int) -> None:
        """Restart one task."""
        self._orders.put(lambda: self._restart_tasks([number]))

    def counters(self) -> Mapping[int, Mapping[str, float]]:
        """What each task has counted since this worker has the connector."""
        tasks, carried = dict(self._tasks), dict(self._carried)
        found = {id(task.group): task.group.counters() for task in tasks.values()}
        return {
            number: carried_on(carried.get(number, {}), found[id(task.group)].get(number, {}))
            for number, task in tasks.items()
        }

    def forget_topics(self) -> None:
        """Tell of topics anew that the tasks use from now on (KIP-558)."""
        self._orders.put(self._forget_topics)

    def call(self, work: Callable[[], T]) -> T:
        """Do something between orders, and wait for it; what it raises is raised here.

        Raises:
            RebalanceNeededError: if this runner was closed.
        """
        future: Future[T] = Future()

        def order() -> None:
            try:
                future.set_result(work())
            except Exception as error:  # noqa: BLE001  # the caller's to handle
                future.set_exception(error)

        if not self._orders.put(order):
            raise conflict()
        return future.result()

    def then(self, work: Callable[[], None]) -> None:
        """Do something after everything asked for so far."""
        self._orders.put(work)

    def settle(self, timeout_s: float) -> bool:
        """Wait until everything asked for so far has been done; whether it was in time."""
        done = threading.Event()
        return not self._orders.put(done.set) or done.wait(timeout_s)

    def close(self) -> None:
        """Stop everything for good, and wait for it; another worker may take over then."""
        self._orders.close(self._release)

    def _has_failed(self, error: Exception) -> None:
        """Whatever an order has raised, it is this connector's failure."""
        log.error("connector %s failed", self.name, exc_info=error)
        self._statuses.connector("FAILED", status_text(error))

    def _reconcile(self) -> None:
        state = self._configs.snapshot()
        config = state.configs.get(self.name)
        target = state.targets.get(self.name, TargetState.STARTED)
        if config is None:
            self._stop_all()
            self._config = None
            self._statuses.forget()
        elif target is TargetState.STOPPED:
            self._stop(config)
        elif self._instance is None or config != self._config:
            self._start_anew(config, target)
        elif target is not self._target:
            self._turn(target)

    def _start_anew(self, config: Mapping[str, str], target: TargetState) -> None:
        self._stop_all()
        self._config, self._target = config, target
        self._start_connector()
        if self._instance is not None:
            self._divide()

    def _start_connector(self) -> None:
        """Start the connector itself; its failure is its status, and its tasks stay as they are."""
        assert self._config is not None  # noqa: S101  # set by every caller
        request = StartRequest(self.name, self._config, self._reconfigure, self._failed, self._lost)
        self._statuses.starting()
        try:
            self._instance = self._worker.start_connector(request)
            self._statuses.version = self._instance.version
            if self._target is TargetState.PAUSED:
                self._instance.pause()
        except ConnectError as error:
            self._fail("cannot be started", error)
        else:
            self._statuses.connector(_shown(self._target))

    def _divide(self) -> None:
        """Ask for task configurations; new ones replace all tasks, else missing tasks are run."""
        assert self._instance is not None  # noqa: S101  # set by every caller
        try:
            wanted = dict(enumerate(self._instance.task_configs()))
        except ConnectError as error:
            self._fail("cannot divide its work", error)
            return
        if wanted == self._task_configs:
            self._launch([n for n in wanted if n not in self._tasks])
            return
        self._stop_tasks(list(self._tasks))
        try:
            self._begin_generation(wanted)
        except RebalanceNeededError:
            log.info("connector %s is another worker's by now", self.name)
            return
        self._statuses.only_tasks(wanted)
        self._launch(list(wanted))

    def _begin_generation(self, wanted: TaskConfigs) -> None:
        """Shut out the former tasks, then write the configurations of the coming ones."""
        self._fence(len(wanted))
        self._task_configs = wanted
        stored = self._configs.snapshot().task_configs.get(self.name)
        if stored != wanted:
            self._configs.put_task_configs(self.name, list(wanted.values()))

    def _fence(self, coming: int) -> None:
        """Nothing of the former generation may write once the new one has begun (KIP-618).

        Only the owner of the connector can write how many producers there may be, so that one that
        was superseded meanwhile does not fence its successor's tasks.
        """
        assert self._config is not None  # noqa: S101  # a generation has one
        former = len(self._configs.snapshot().task_configs.get(self.name, {}))
        self._worker.fence_zombies(
            self.name,
            self._config,
            former,
            lambda: self._configs.put_fencing_count(self.name, max(former, coming)),
        )

    def _launch(self, numbers: Sequence[int]) -> None:
        if not numbers or self._instance is None:
            return
        self._launches += 1
        token = self._launches
        configs = {number: self._task_configs[number] for number in numbers}

        def heard(number: int, news: TaskNews) -> None:
            self._orders.put(lambda: self._hear(token, number, news))

        self._statuses.tasks(dict.fromkeys(numbers, TaskNews("UNASSIGNED")))
        group = self._instance.launch(f"{self.name}-{token}", configs, heard)
        if self._target is TargetState.PAUSED:
            group.pause()
        self._tasks |= dict.fromkeys(numbers, _Task(group, token))

    def _hear(self, token: int, number: int, news: TaskNews) -> None:
        task = self._tasks.get(number)
        if task is not None and task.token == token:
            if news.state == "FAILED":
                log.error("task %s-%d failed: %s", self.name, number, news.trace)
            self._statuses.tasks({number: news})

    def _restart(self, request: RestartRequest) -> None:
        plan = self._statuses.plan(request)
        if plan is None or self._target is TargetState.STOPPED:
            return
        restarts_connector, numbers = plan
        self._statuses.restarting(numbers, connector=restarts_connector)
        self._stop_tasks(numbers)
        if restarts_connector:
            self._stop_connector()
            self._reload_config()
            self._start_connector()
            if self._instance is not None:
                self._divide()
        self._launch([n for n in numbers if n in self._task_configs and n not in self._tasks])

    def _reload_config(self) -> None:
        state = self._configs.snapshot()
        self._config = state.configs.get(self.name, self._config)
        self._target = state.targets.get(self.name, self._target)

    def _restart_tasks(self, numbers: Sequence[int]) -> None:
        if self._instance is None or not set(numbers) <= set(self._task_configs):
            return  # no task runs without its connector, which says what it failed with
        self._statuses.restarting(numbers, connector=False)
        self._stop_tasks(numbers)
        self._launch(numbers)

    def _turn(self, target: TargetState) -> None:
        """Pause or resume; the connector itself is stopped meanwhile, as in Connect."""
        assert self._instance is not None  # noqa: S101  # there is one, or it was started anew
        self._target = target
        paused = target is TargetState.PAUSED
        try:
            (self._instance.pause if paused else self._instance.resume)()
        except ConnectError as error:
            self._fail("cannot be paused" if paused else "cannot be resumed", error)
        else:
            self._statuses.connector(_shown(target))
        for group in self._groups():
            (group.pause if paused else group.resume)()

    def _stop(self, config: Mapping[str, str]) -> None:
        """Stop connector and tasks; the connector's configuration and offsets stay (KIP-875)."""
        self._stop_all()
        self._config, self._target = config, TargetState.STOPPED
        if self._configs.snapshot().task_configs.get(self.name):
            self._configs.put_task_configs(self.name, [])
        self._statuses.only_tasks(())
        self._statuses.connector("STOPPED")

    def _stop_all(self) -> None:
        self._stop_tasks(list(self._tasks))
        self._task_configs = {}
        self._stop_connector()

    def _stop_connector(self) -> None:
        instance, self._instance = self._instance, None
        if instance is not None:
            instance.stop()

    def _stop_tasks(self, numbers: Sequence[int]) -> None:
        leaving = {n: self._tasks.pop(n) for n in numbers if n in self._tasks}
        for group in {id(task.group): task.group for task in leaving.values()}.values():
            mine = [n for n, task in leaving.items() if task.group is group]
            if not group.stop(self._shutdown_timeout_s, mine):
                log.warning("connector %s: tasks %s had to be killed", self.name, mine)
            counted = group.counters()
            for n in mine:
                self._carried[n] = carried_on(self._carried.get(n, {}), counted.get(n, {}))

    def _release(self) -> None:
        numbers = list(self._tasks)
        self._stop_all()
        if self._config is not None:  # a connector that was removed has no status any more
            self._statuses.released(numbers)

    def _groups(self) -> Sequence[TaskGroup]:
        return list({id(task.group): task.group for task in self._tasks.values()}.values())

    def _forget_topics(self) -> None:
        for group in self._groups():
            group.forget_topics()

    def _reconfigure(self) -> None:
        self._orders.put(self._divide_again)

    def _divide_again(self) -> None:
        if self._instance is not None and self._target is TargetState.STARTED:
            self._divide()

    def _fail(self, how: str, error: ConnectError) -> None:
        """Say what went wrong, in the log and in the status."""
        trace = status_text(error)
        log.error("connector %s %s: %s", self.name, how, trace)
        self._statuses.connector("FAILED", trace)

    def _lost(self) -> None:
        self._orders.put(self._start_again)

    def _start_again(self) -> None:
        if self._instance is not None:
            self._restart(RestartRequest(self.name, only_failed=False, include_tasks=False))

    def _failed(self, error: Exception) -> None:
        self._orders.put(lambda: self._statuses.connector("FAILED", status_text(error)))


def _shown(target: TargetState) -> str:
    return "RUNNING" if target is TargetState.STARTED else target.value
