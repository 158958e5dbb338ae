"""Runs one connector's share on this worker: reconciles what runs with the stored state.

The owner of the connector's shard runs the connector itself, generates its task configurations
and assigns them to shards. Each worker runs the tasks in its own shards once all workers have
reported that the former tasks have stopped.
"""

from __future__ import annotations

import logging
import threading
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from plugwright.control_plane import RebalanceNeededError, RestartRequest
from plugwright.errors import ConnectError
from plugwright.herder._ownership import conflict
from plugwright.herder._reload import Reload
from plugwright.herder._worker_interface import StartRequest
from plugwright.herder.config_state import TargetState
from plugwright.herder.delayed_call import Backoff, start_timer
from plugwright.herder.generation import Generation
from plugwright.herder.local_tasks import LocalTasks
from plugwright.herder.serial_executor import SerialExecutor
from plugwright.logs import LogContext
from plugwright.origin import status_text

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from plugwright.herder._config_store import ConfigStore
    from plugwright.herder._ownership import Ownership
    from plugwright.herder._worker_interface import ConnectorInstance, TaskHost, Worker
    from plugwright.herder.config_state import ConfigState
    from plugwright.herder.delayed_call import TimerStart
    from plugwright.herder.reporting import StatusReporter

log = logging.getLogger(__name__)

T = TypeVar("T")


class ConnectorRunner:
    """Runs one connector's share on its own executor, so that connectors do not block each other.

    Every method returns at once unless its docstring says that it waits.

    Args:
        name: of the connector.
        worker: runs connectors and tasks.
        configs: stores the connector's configuration, target state and task configurations.
        statuses: reports statuses.
        ownership: determines what of the connector belongs to this worker.
        shutdown_timeout_s: time that the tasks may take to stop.
        start_timer: calls a function after a delay.
    """

    def __init__(  # noqa: PLR0913  # collaborators, the limit by keyword
        self,
        name: str,
        worker: Worker,
        configs: ConfigStore,
        statuses: StatusReporter,
        ownership: Ownership,
        *,
        shutdown_timeout_s: float,
        start_timer: TimerStart = start_timer,
    ) -> None:
        self.name = name
        self._worker = worker
        self._configs = configs
        self._statuses = statuses
        self._ownership = ownership
        self._orders = SerialExecutor(f"connector-{name}", self._has_failed, LogContext(name))
        self._tasks = LocalTasks(name, statuses, self._orders.put_once, shutdown_timeout_s)
        self._generation = Generation(name, worker, configs, statuses, ownership, self.follow)
        self._instance: ConnectorInstance | None = None
        self._host: TaskHost | None = None
        self._config: Mapping[str, str] | None = None
        self._failed_to_start = False
        self._target = TargetState.STARTED
        self._share_target = TargetState.STARTED
        self._running = 0
        self._removals = configs.snapshot().removals.get(name, 0)
        self._alone = RestartRequest(name, only_failed=False, include_tasks=False)
        self._reload = Reload(name, lambda: self.restart(self._alone), start_timer)
        self._divide_soon = partial(self.then, self._divide_again)
        self._division = Backoff(self._divide_soon, start_timer)

    @property
    def failed_to_start(self) -> bool:
        """Whether the connector itself was started here and failed."""
        return self._failed_to_start

    def reconcile(self) -> None:
        """Apply the current state of the configs topic."""
        self._orders.put(self._reconcile)

    def follow(self) -> None:
        """Apply the current state to the tasks; they run once all former ones have stopped."""
        self._orders.put_once(self._follow)  # each of the former tasks calls for it

    def give_up(self) -> None:
        """Stop what now belongs to another worker, and wait for it."""
        with suppress(RebalanceNeededError):  # the runner is closed, so nothing runs
            self.call(self._give_up)

    def restart(self, request: RestartRequest) -> None:
        """Restart the connector, or parts of it (KIP-745)."""
        self._orders.put(lambda: self._restart(request))

    def restart_task(self, number: int) -> None:
        """Restart one task."""
        self._orders.put(lambda: self._restart_tasks([number]))

    def counters(self) -> Mapping[int, Mapping[str, float]]:
        """The counters of each task since this worker acquired the connector."""
        return self._tasks.counters()

    def forget_topics(self, before_ms: int) -> None:
        """Forget active topics last used before a reset, in milliseconds since the epoch."""
        self._statuses.hold_topics()
        self._orders.put(lambda: self._forget_topics(before_ms))

    def call(self, work: Callable[[], T]) -> T:
        """Run ``work`` between orders and wait for it; returns its result or raises its exception.

        Raises:
            RebalanceNeededError: if this runner is closed.
        """
        outcome = self._orders.ask(work)
        if outcome is None:
            raise conflict()
        return outcome.result()

    def then(self, work: Callable[[], None]) -> None:
        """Run ``work`` after all pending orders."""
        self._orders.put(work)

    def settle(self, timeout_s: float) -> bool:
        """Wait until all pending orders are done; whether they were in time."""
        done = threading.Event()
        return not self._orders.put(done.set) or done.wait(timeout_s)

    def wait_until_open(self, timeout_s: float) -> bool:
        """Wait until the former tasks have stopped and the newest may run; whether they may."""
        return self._generation.wait_until_open(timeout_s)

    def close(self) -> None:
        """Stop everything for good and wait, so that another worker may take over."""
        self._orders.close(self._release)
        self._generation.close()
        self._statuses.close()

    def _has_failed(self, error: Exception) -> None:
        """Report the exception of an order as the failure of this connector."""
        log.error("connector %s failed", self.name, exc_info=error)
        self._statuses.connector("FAILED", status_text(error))

    @property
    def _leads(self) -> bool:
        return self._ownership.owns(self.name)

    def _reconcile(self) -> None:
        state = self._configs.snapshot()
        config = state.configs.get(self.name)
        removals = state.removals.get(self.name, 0)
        if config is None or removals != self._removals:
            self._end()
        self._removals = removals
        if config is not None:
            self._lead(config, state.targets.get(self.name, TargetState.STARTED))
        self._follow()

    def _lead(self, config: Mapping[str, str], target: TargetState) -> None:
        """Bring the connector itself into its target state, if it belongs to this worker."""
        if not self._leads:
            self._leave_connector()
        elif target is TargetState.STOPPED:
            self._stop(config)
        elif self._instance is None or config != self._config:
            self._start_anew(config, target)
        elif target is not self._target:
            self._turn(target)

    def _end(self) -> None:
        """Stop a deleted connector; a new one may already have its name."""
        self._tasks.stop()
        self._close_host()
        self._stop_connector()
        self._reload.forget()
        self._config = None
        (self._statuses.forget if self._leads else self._statuses.forget_tasks)()

    def _start_anew(self, config: Mapping[str, str], target: TargetState) -> None:
        """Start it with a new configuration; its tasks run on until they are replaced."""
        self._stop_connector()
        self._config, self._target = config, target
        self._start_and_divide()

    def _start_and_divide(self) -> None:
        """Start the connector itself; the tasks of a paused one stay until it is resumed."""
        self._start_connector()
        if self._instance is not None and self._target is not TargetState.PAUSED:
            self._divide()

    def _start_connector(self) -> None:
        """Start the connector itself; a failure becomes its status and leaves its tasks alone."""
        self._close_host()
        assert self._config is not None  # noqa: S101  # set by every caller
        again = partial(self.then, self._start_again)
        hear = (self._divide_soon, self._failed, again, self._reload.after)
        paused = self._target is TargetState.PAUSED
        request = StartRequest(self.name, self._config, *hear, paused=paused)
        self._statuses.starting()
        self._statuses.version = self._worker.connector_version(self._config)
        try:
            self._instance = self._worker.start_connector(request)
        except ConnectError as error:
            self._failed_to_start = True
            self._statuses.connector_failed("cannot be started", error)
        else:
            self._statuses.version = self._instance.version
            self._statuses.connector(self._target.status)

    def _divide(self) -> None:
        """Request task configurations; new ones, or new secrets in them, replace all tasks."""
        assert self._instance is not None  # noqa: S101  # set by every caller
        try:
            wanted = dict(enumerate(self._instance.task_configs()))
        except ConnectError as error:
            self._statuses.connector_failed("cannot divide its work", error)
            self._division.failed()
            return
        if self._division.reset():
            self._statuses.connector(self._target.status)
        state = self._configs.snapshot()
        same = wanted == state.task_configs.get(self.name)
        same = same and state.applied.get(self.name) == self._config
        if self._reload.is_new(self._instance.supplied) or not same:
            self._generation.begin(list(wanted.values()))

    def _follow(self) -> None:
        """Run this worker's tasks of the newest generation, once it may run."""
        self._share()
        if self._leads and self._generation.open_if_released():
            self._share()

    def _share(self) -> None:
        """Stop the tasks that must no longer run here, and start those that must."""
        state = self._configs.snapshot()
        wanted = self._wanted(state)
        self._stop_others(state, wanted)
        self._turn_tasks(state.targets.get(self.name, TargetState.STARTED))
        fresh = {n: config for n, config in wanted.items() if n not in self._tasks.numbers}
        if fresh:
            paused = self._share_target is TargetState.PAUSED
            self._tasks.launch(fresh, self._task_host, paused=paused)

    def _stop_others(self, state: ConfigState, wanted: Collection[int]) -> None:
        """Stop the tasks of a former generation, and those that now belong to other workers."""
        newest = state.generations.get(self.name, 0)
        outdated, self._running = newest != self._running, newest
        leaving = [n for n in self._tasks.numbers if outdated or n not in wanted]
        self._tasks.stop(leaving)
        if outdated or not wanted:
            self._close_host()
        if self.name not in state.configs:
            return
        if not outdated and leaving:
            self._statuses.unassigned(leaving)
        self._generation.tell_released(state)

    def _wanted(self, state: ConfigState) -> Mapping[int, Mapping[str, str]]:
        """The tasks that this worker has to run, with their configurations."""
        stopped = state.targets.get(self.name) is TargetState.STOPPED
        return {} if stopped else state.open_tasks(self.name, self._ownership.holds)

    def _task_host(self) -> TaskHost:
        """The host for tasks: the connector itself if it runs here, otherwise a stand-in."""
        if self._instance is not None:
            return self._instance
        if self._host is None:
            config = self._configs.snapshot().configs[self.name]
            self._host = self._worker.host_tasks(self.name, config)
            self._statuses.version = self._host.version
        return self._host

    def _close_host(self) -> None:
        host, self._host = self._host, None
        if host is not None:
            host.stop()

    def _restart(self, request: RestartRequest) -> None:
        plan = self._statuses.plan(request)
        if plan is None or self._configs.snapshot().targets.get(self.name) is TargetState.STOPPED:
            return
        restarts_connector, numbers = plan[0] and self._leads, plan[1]
        own = [n for n in numbers if n in self._tasks.numbers]
        self._statuses.restarting(own, connector=restarts_connector)
        self._tasks.stop(own)
        if restarts_connector:
            self._stop_connector()
            state = self._configs.snapshot()
            self._config = state.configs.get(self.name, self._config)
            self._target = state.targets.get(self.name, self._target)
            self._start_and_divide()
        self._follow()

    def _restart_tasks(self, numbers: Collection[int]) -> None:
        own = [n for n in numbers if n in self._tasks.numbers]
        self._statuses.restarting(own, connector=False)
        self._tasks.stop(own)
        self._share()

    def _turn(self, target: TargetState) -> None:
        """Pause or resume; pausing stops the connector itself, as in Kafka Connect."""
        assert self._instance is not None  # noqa: S101  # there is one, or it was started anew
        self._target = target
        paused = target is TargetState.PAUSED
        try:
            (self._instance.pause if paused else self._instance.resume)()
        except ConnectError as error:
            how = "cannot be paused" if paused else "cannot be resumed"
            self._statuses.connector_failed(how, error)
        else:
            self._statuses.connector(target.status)
            if not paused:
                self._divide()

    def _turn_tasks(self, target: TargetState) -> None:
        if target is not self._share_target and target is not TargetState.STOPPED:
            (self._tasks.pause if target is TargetState.PAUSED else self._tasks.resume)()
        self._share_target = target

    def _stop(self, config: Mapping[str, str]) -> None:
        """Stop connector and tasks, keeping configuration and offsets (KIP-875)."""
        self._statuses.version = self._statuses.version or self._worker.connector_version(config)
        self._tasks.stop()
        self._stop_connector()
        self._config, self._target = config, TargetState.STOPPED
        state = self._configs.snapshot()
        if state.task_configs.get(self.name) != {}:
            self._generation.begin([])
        elif state.is_open(self.name):
            self._statuses.only_tasks(())
            self._statuses.connector("STOPPED")

    def _stop_connector(self) -> None:
        self._reload.cancel()
        self._division.reset()
        self._failed_to_start = False
        instance, self._instance = self._instance, None
        if instance is not None:
            instance.stop()

    def _leave_connector(self) -> None:
        """Stop the connector itself, which another worker now runs."""
        if self._config is None:
            return
        self._stop_connector()
        self._reload.forget()
        self._config = None
        self._statuses.unassigned((), connector=True)

    def _give_up(self) -> None:
        state = self._configs.snapshot()
        if not self._leads:
            self._leave_connector()
        self._stop_others(state, self._wanted(state))

    def _release(self) -> None:
        numbers, led = self._tasks.numbers, self._config is not None
        self._tasks.stop()
        self._close_host()
        self._stop_connector()
        if self.name in self._configs.snapshot().configs:  # a deleted connector has no status
            self._statuses.unassigned(numbers, connector=led)

    def _forget_topics(self, before_ms: int) -> None:
        self._tasks.forget_topics(before_ms)
        self._statuses.release_topics()

    def _divide_again(self) -> None:
        if self._instance is not None and self._target is TargetState.STARTED:
            self._divide()
            self._follow()

    def _start_again(self) -> None:
        if self._instance is not None:
            self._restart(self._alone)

    def _failed(self, error: Exception) -> None:
        self._orders.put(lambda: self._tell_failure(error))

    def _tell_failure(self, error: Exception) -> None:
        """Report a failure, unless the connector was deleted and so has no status."""
        if self._instance is not None:
            self._statuses.connector("FAILED", status_text(error))
