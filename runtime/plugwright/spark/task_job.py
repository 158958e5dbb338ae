"""The common part of resident and streamed jobs: task states and process connections."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from plugwright.logs import LogContext, LogLine, explicit_levels, replay
from plugwright.spark._task_table import TaskTable
from plugwright.spark.channel import Channel, ChannelClosedError
from plugwright.spark.messages import Assignment, Pause, SetLevel

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from plugwright.spark._spec import TaskSpec
    from plugwright.spark._task_table import TaskStatus
    from plugwright.spark.messages import HostReport, Message


class TopicUses:
    """The topics that the tasks of a job have used since the last reset (KIP-558).

    A task may use a topic again before its driver learns of a reset, so the time of the last use
    decides. Not thread-safe: the lock of the job's task table guards it.
    """

    def __init__(self) -> None:
        self._reset_ms = 0
        self._last: dict[int, dict[str, int]] = {}

    def reported(self, place: int, report: HostReport) -> tuple[str, ...]:
        """The topics of a task after its report."""
        last = self._last.setdefault(place, {})
        for topic, used_ms in report.topics.items():
            last[topic] = max(used_ms, last.get(topic, 0))
        return self.topics(place)

    def reset(self, before_ms: int) -> None:
        """Ignore every use before this time, in milliseconds since the epoch."""
        self._reset_ms = max(before_ms, self._reset_ms)

    def topics(self, place: int) -> tuple[str, ...]:
        """The topics of a task."""
        last = self._last.get(place, {})
        return tuple(sorted(topic for topic, used in last.items() if used >= self._reset_ms))


class TaskJob:
    """The common part of jobs, whichever engine runs their tasks.

    Args:
        name: unique name of the job.
        specs: the spec of each task.
        listener: called for every change of a task's state or topics, with the task's number; runs
            on other threads and must not block.
    """

    def __init__(
        self,
        name: str,
        specs: Sequence[TaskSpec],
        listener: Callable[[int, TaskStatus], None] | None,
    ) -> None:
        self.name = name
        self._specs = specs
        self._table = TaskTable(specs, listener)
        self._channels: dict[int, Channel] = {}
        self._uses = TopicUses()

    @property
    def statuses(self) -> Sequence[TaskStatus]:
        """The tasks' states, in the order of the specs."""
        return self._table.statuses

    @property
    def tasks(self) -> Sequence[int]:
        """The tasks' numbers, in the order of the specs."""
        return [spec.task for spec in self._specs]

    @property
    def counters(self) -> Mapping[int, Mapping[str, float]]:
        """The counters of each task since the launch, by task number; totals only grow."""
        return self._table.counters

    @property
    def topics(self) -> Mapping[int, tuple[str, ...]]:
        """The topics that each task has used since the last reset, by task number."""
        return dict(zip(self.tasks, (status.topics for status in self.statuses), strict=True))

    def wait_for(self, condition: Callable[[Sequence[TaskStatus]], bool], timeout_s: float) -> bool:
        """Wait until the tasks' states fulfil a condition; whether they did in time."""
        return self._table.wait_for(condition, timeout_s)

    def forget_topics(self, before_ms: int) -> None:
        """Forget topics whose last use was before a reset.

        The listener is called for every task that has used some since.

        Args:
            before_ms: the time of the reset, in milliseconds since the epoch.
        """
        with self._table.changed:
            self._uses.reset(before_ms)
            for place in range(len(self._specs)):
                topics = self._uses.topics(place)
                self._table.change(place, topics=topics)
                if topics:
                    self._table.tell([place])

    def set_level(self, namespace: str, level: int) -> None:
        """Set the level of a logger and its descendants in the processes of the tasks."""
        self._send_all(SetLevel(namespace, level))

    def _assign(self, channel: Channel, place: int, then: Message | None, **more: Any) -> None:
        """Send a process its task, and a command that still applies; requires the lock.

        Later commands and level changes cannot overtake it.
        """
        spec = replace(self._specs[place], paused=isinstance(then, Pause))
        channel.send(Assignment(spec.to_plain(), explicit_levels(), **more))
        self._channels[place] = channel
        self._table.count_on(place)
        if then is not None:
            channel.send(then)

    def _hear(self, channel: Channel, place: int, take: Callable[[Message], None]) -> None:
        """Handle the messages of a process until it disconnects; logs its log records."""
        spec = self._specs[place]
        context = LogContext(spec.connector, spec.task)
        try:
            while True:
                message = channel.receive()
                if isinstance(message, LogLine):
                    replay(message, context)
                else:
                    take(message)
        except ChannelClosedError:
            return

    def _change(self, place: int, **changes: Any) -> None:
        """Apply an update of a task, and notify the listener of relevant changes."""
        before, after = self._table.change(place, **changes)
        if _noticeable(before) != _noticeable(after):
            self._table.tell([place])

    def _send_all(self, message: Message) -> None:
        with self._table.changed:
            channels = list(self._channels.values())
        send(channels, message)


def _noticeable(status: TaskStatus) -> TaskStatus:
    """What a listener is called for: a new process alone is no change of the task's state."""
    return replace(status, counters={}, pid=0, attempt=0, daemon="")


def send(channels: Iterable[Channel], message: Message) -> None:
    """Send a message to hosts; one that has disconnected gets it when its successor connects."""
    for channel in channels:
        try:
            channel.send(message)
        except ChannelClosedError:
            continue
