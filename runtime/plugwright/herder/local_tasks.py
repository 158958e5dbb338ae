"""The tasks of one connector that run on this worker."""

from __future__ import annotations

import logging
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

from plugwright.herder._worker_interface import TaskUpdate
from plugwright.origin import status_text
from plugwright.worker import carried_on

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from plugwright.herder._worker_interface import TaskGroup, TaskHost
    from plugwright.herder.reporting import StatusReporter

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Task:
    """A launched task, with the token of its launch.

    An update with an older token belongs to a task that has been replaced since. A task whose
    launch failed has no group.
    """

    group: TaskGroup | None
    token: int


class LocalTasks:
    """Launches, stops and monitors tasks in groups.

    All methods except `counters` must be called on the connector's executor.

    Args:
        connector: name of the connector.
        statuses: receives the status of each task.
        order: runs a function on the connector's executor, once if it is waiting already.
        shutdown_timeout_s: time that the tasks may take to stop.
    """

    def __init__(
        self,
        connector: str,
        statuses: StatusReporter,
        order: Callable[[Callable[[], None]], object],
        shutdown_timeout_s: float,
    ) -> None:
        self._connector = connector
        self._statuses = statuses
        self._order = order
        self._shutdown_timeout_s = shutdown_timeout_s
        self._tasks: dict[int, _Task] = {}
        self._carried: dict[int, Mapping[str, float]] = {}
        self._news: deque[tuple[int, int, TaskUpdate]] = deque()
        self._launches = 0

    @property
    def numbers(self) -> Collection[int]:
        """The launched tasks, including those that have ended by themselves."""
        return list(self._tasks)

    def launch(
        self,
        configs: Mapping[int, Mapping[str, str]],
        host: Callable[[], TaskHost],
        *,
        paused: bool,
    ) -> None:
        """Run tasks in a new group; a failed launch is reported as their failure.

        Args:
            configs: configurations by task number.
            host: returns the host to launch them with.
            paused: whether they start paused.
        """
        self._launches += 1
        token = self._launches

        def changed(number: int, update: TaskUpdate) -> None:
            self._news.append((token, number, update))
            self._order(self._report_news)

        self._statuses.acquired(configs)
        self._statuses.tasks(dict.fromkeys(configs, TaskUpdate("UNASSIGNED")))
        try:
            group = host().launch(f"{self._connector}-{token}", configs, changed, paused=paused)
        except Exception as error:  # noqa: BLE001  # a machine without threads, too
            self._tasks |= dict.fromkeys(configs, _Task(None, token))
            failed = TaskUpdate("FAILED", status_text(error))
            self._apply([(token, number, failed) for number in configs])
            return
        if paused:
            group.pause()
        self._tasks |= dict.fromkeys(configs, _Task(group, token))

    def pause(self) -> None:
        """Pause all tasks."""
        for group in self._groups():
            group.pause()

    def resume(self) -> None:
        """Resume all tasks."""
        for group in self._groups():
            group.resume()

    def stop(self, numbers: Collection[int] | None = None) -> None:
        """Stop the given tasks, or all, and wait for them."""
        wanted = self.numbers if numbers is None else numbers
        leaving = {n: self._tasks.pop(n) for n in wanted if n in self._tasks}
        groups = {id(task.group): task.group for task in leaving.values() if task.group is not None}
        for group in groups.values():
            self._stop_in(group, [n for n, task in leaving.items() if task.group is group])

    def forget_topics(self, before_ms: int) -> None:
        """Forget topics last used before a time in milliseconds since the epoch."""
        for group in self._groups():
            group.forget_topics(before_ms)

    def counters(self) -> Mapping[int, Mapping[str, float]]:
        """The counters of each task since this worker acquired the connector."""
        tasks, carried = dict(self._tasks), dict(self._carried)
        found = {id(t.group): t.group.counters() for t in tasks.values() if t.group is not None}
        return {
            n: carried_on(carried.get(n, {}), found.get(id(task.group), {}).get(n, {}))
            for n, task in tasks.items()
        }

    def _stop_in(self, group: TaskGroup, numbers: Sequence[int]) -> None:
        if not group.stop(self._shutdown_timeout_s, numbers):
            log.warning("connector %s: tasks %s had to be killed", self._connector, numbers)
        # Reports from the time of the stop are outdated, but for the topics used meanwhile.
        used = group.topics()
        self._statuses.used_topics({n: used.get(n, ()) for n in numbers})
        counted = group.counters()
        for n in numbers:
            self._carried[n] = carried_on(self._carried.get(n, {}), counted.get(n, {}))

    def _groups(self) -> Collection[TaskGroup]:
        tasks = self._tasks.values()
        return {id(t.group): t.group for t in tasks if t.group is not None}.values()

    def _report_news(self) -> None:
        """Report all that has been heard since the last time: many tasks may change at once."""
        news = []
        while self._news:
            news.append(self._news.popleft())
        self._apply(news)

    def _apply(self, news: Iterable[tuple[int, int, TaskUpdate]]) -> None:
        """Report updates of present tasks; of several of one task the last one is written."""
        newest: dict[int, TaskUpdate] = {}
        for token, number, update in news:
            task = self._tasks.get(number)
            if task is None or task.token != token:
                continue
            if update.state == "FAILED":
                log.error("task %s-%d failed: %s", self._connector, number, update.trace)
            if number in newest:
                self._statuses.superseded(number, newest[number])
            newest[number] = update
        self._statuses.tasks(newest)
