"""The tasks of one job as the rest of the worker sees them, and the lines to their processes."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from plugwright.logs import LogContext, LogLine, explicit_levels, replay
from plugwright.spark._board import TaskBoard
from plugwright.spark._channel import Channel, ChannelClosedError
from plugwright.spark._messages import Assignment, ForgetTopics, Pause, SetLevel

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from plugwright.spark._board import TaskStatus
    from plugwright.spark._messages import HostReport, Message
    from plugwright.spark._spec import TaskSpec


class ReportedTopics:
    """Leaves out what a task's process told before it heard that it is to forget its topics.

    Commands and reports pass each other on the line to a process. So a report says how many such
    commands its process has carried out, and one that lacks any of them is of before.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._asked: dict[int, int] = {}

    def began(self, place: int) -> None:
        """A process has taken over the task at this place; it knows of no command yet."""
        with self._lock:
            self._asked[place] = 0

    def forget(self) -> None:
        """Every process is about to be told to forget."""
        with self._lock:
            self._asked = {place: asked + 1 for place, asked in self._asked.items()}

    def topics(self, place: int, report: HostReport) -> tuple[str, ...]:
        """The topics of a report that count."""
        with self._lock:
            is_current = report.forgets >= self._asked.get(place, 0)
        return tuple(report.topics) if is_current else ()


class TaskBook:
    """What jobs have in common, whichever engine runs their tasks.

    Args:
        name: unique name of the job.
        specs: what each task is to run.
        listener: hears of every change of a task's state or topics, with the task's number; is
            called on foreign threads and may not wait.
    """

    def __init__(
        self,
        name: str,
        specs: Sequence[TaskSpec],
        listener: Callable[[int, TaskStatus], None] | None,
    ) -> None:
        self.name = name
        self._specs = specs
        self._board = TaskBoard(specs, listener)
        self._channels: dict[int, Channel] = {}
        self._topics = ReportedTopics()

    @property
    def statuses(self) -> Sequence[TaskStatus]:
        """The tasks' states, in the order of the specs."""
        return self._board.statuses

    @property
    def tasks(self) -> Sequence[int]:
        """The tasks' numbers, in the order of the specs."""
        return [spec.task for spec in self._specs]

    @property
    def counters(self) -> Mapping[int, Mapping[str, float]]:
        """What each task has counted since the launch, by the tasks' numbers; totals only grow."""
        return self._board.counters

    def wait_for(self, condition: Callable[[Sequence[TaskStatus]], bool], timeout_s: float) -> bool:
        """Wait until the tasks' states fulfil a condition; whether they did in time."""
        return self._board.wait_for(condition, timeout_s)

    def forget_topics(self) -> None:
        """Have every task tell of its topics anew, once it uses them again."""
        with self._board.changed:
            self._topics.forget()
            for place in range(len(self._specs)):
                self._board.change(place, topics=())
        self._send_all(ForgetTopics())

    def set_level(self, namespace: str, level: int) -> None:
        """Set the level of the loggers of a name and below in the processes of the tasks."""
        self._send_all(SetLevel(namespace, level))

    def _assign(self, channel: Channel, place: int, then: Message | None, **more: Any) -> None:
        """Give a process its task, and a command that still holds; to be called under the lock.

        No later command, and no later change of levels, is overtaken there.
        """
        spec = replace(self._specs[place], paused=isinstance(then, Pause))
        channel.send(Assignment(spec.to_plain(), explicit_levels(), **more))
        self._channels[place] = channel
        self._topics.began(place)
        self._board.count_on(place)
        if then is not None:
            channel.send(then)

    def _hear(self, channel: Channel, place: int, take: Callable[[Message], None]) -> None:
        """Take what a process says, until it hangs up; log lines are logged here."""
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
        """Note news of a task; the listener hears of what matters to it."""
        before, after = self._board.change(place, **changes)
        if replace(before, counters={}, pid=0) != replace(after, counters={}, pid=0):
            self._board.tell([place])

    def _send_all(self, message: Message) -> None:
        with self._board.changed:
            channels = list(self._channels.values())
        send(channels, message)


def send(channels: Iterable[Channel], message: Message) -> None:
    """Say something to hosts; one that is gone is told when its successor calls."""
    for channel in channels:
        try:
            channel.send(message)
        except ChannelClosedError:
            continue
