"""Processes that several tasks share: which tasks each has, and how these come back."""

from __future__ import annotations

import logging
import threading
from itertools import count
from typing import TYPE_CHECKING, Protocol

from plugwright.logs import LogLine, replay
from plugwright.spark._shared_host import HostedTask, SharedHost
from plugwright.spark.channel import ChannelClosedError
from plugwright.spark.messages import Dismissed, EndProcess, EndRequested, OwnProcessWanted

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from plugwright.spark._job import ResidentJob
    from plugwright.spark.channel import Channel
    from plugwright.spark.messages import Admission, Hello, Message

log = logging.getLogger(__name__)


class HostStarter(Protocol):
    """Starts and ends the Spark jobs of shared processes."""

    def start(self, host: SharedHost) -> None:
        """Start the Spark job of a process on a thread."""

    def cancel(self, host: SharedHost) -> None:
        """Cancel the Spark job."""


class SharedHosts:
    """Distributes tasks among processes.

    A process has tasks of one import path. If it crashes, its tasks are divided between two
    processes: the one whose task is to blame is soon alone.

    Args:
        size: most tasks of a process.
        starter: starts processes, and calls `ended` when their jobs end.
        admission: returns the message with which a process connects for a task, given its job, its
            index, its attempt and a number that grows.
        patience: how often a process may end before it connects.
    """

    def __init__(
        self,
        size: int,
        starter: HostStarter,
        admission: Callable[[str, int, int, int], Admission],
        *,
        patience: int = 10,
    ) -> None:
        self._size = size
        self._starter = starter
        self._admission = admission
        self._patience = patience
        self._lock = threading.RLock()
        self._hosts: dict[str, SharedHost] = {}
        self._tasks: dict[ResidentJob, dict[int, HostedTask]] = {}
        self._over: dict[ResidentJob, Callable[[], None]] = {}
        self._numbers, self._runs = count(), count()

    def add(self, job: ResidentJob, path: str, over: Callable[[], None]) -> None:
        """Run the tasks of a job.

        Args:
            job: the tasks.
            path: directories that their plugins are imported from.
            over: called when all of them have ended; must not block.

        Raises:
            RuntimeError: if no process can be started; the job is forgotten then.
        """
        tasks = {index: HostedTask(job, index, path) for index in range(len(job.tasks))}
        with self._lock:
            self._tasks[job] = tasks
            try:
                for task in tasks.values():
                    self._place(task)
            except BaseException:
                self.evict(job)
                raise
            self._over[job] = over

    def evict(self, job: ResidentJob) -> None:
        """Give up the tasks of a job that have not ended; their processes end."""
        with self._lock:
            for task in list(self._tasks.get(job, {}).values()):
                host, runs = task.host, task.run >= 0 and task.lives
                self._forget(task)
                if runs and host is not None and host.channel is not None:
                    self._end(host)
                self._close_if_empty(host)

    def find(self, name: str) -> SharedHost | None:
        """The process of a Spark job."""
        with self._lock:
            return self._hosts.get(name)

    def all(self) -> Sequence[SharedHost]:
        """The processes, running or about to start."""
        with self._lock:
            return list(self._hosts.values())

    def converse(self, host: SharedHost, hello: Hello, channel: Channel) -> None:
        """Serve a process until it disconnects (runs on the channel's own thread)."""
        with self._lock:
            if host.is_over:
                _send(channel, Dismissed())
                return
            if host.has_crashed(hello):
                self._divide(host)
            host.began(hello, channel)
            for task in host.tasks:
                self._admit(task, channel)
        try:
            while True:
                self._take(host, channel.receive())
        except ChannelClosedError:
            with self._lock:
                if host.channel is channel:
                    host.channel = None

    def left(self, job: ResidentJob, index: int, run: int) -> None:
        """Handle the end of a conversation with a task.

        Args:
            job: of the task.
            index: position of the task among those of its job.
            run: number of the admission with which it connected.
        """
        with self._lock:
            task = self._tasks.get(job, {}).get(index)
            if task is not None and task.run == run and task.host is not None:
                self._handle_end(task, task.host)

    def failed(self, host: SharedHost, attempts: int, words: str) -> None:
        """Handle processes that ended before they connected, as Spark reports.

        Args:
            host: the process.
            attempts: the number of Spark's attempts that have ended.
            words: Spark's message.
        """
        with self._lock:
            if host.channel is None and attempts - host.connected > self._patience:
                self._give_up(host, words)

    def leave(self, host: SharedHost) -> None:
        """Let the tasks of a process move to others, because its executor is to go."""
        with self._lock:
            host.leaves = True
            for task in host.tasks:
                if task.lives and not task.moves and task.job.move(task.index):
                    log.info("task %s leaves its executor", task)
                    task.moves, task.attempt = True, 0

    def wait_for_slot(self, host: SharedHost, reason: str) -> None:
        """Record that Spark has no slot for a process, and why."""
        with self._lock:
            waiting = {
                job: [index for index, task in self._tasks[job].items() if _has_no_process(task)]
                for job in {task.job for task in host.tasks}
            }
        for job, indexes in waiting.items():
            job.wait_for_slots(indexes, reason)

    def ended(self, host: SharedHost, error: Exception | None) -> None:
        """Handle the end of a Spark job; tasks that have not ended get another process."""
        with self._lock:
            host.channel = None
            self._close(host)
            left, host.tasks = host.tasks, []
            for task in left:
                log.warning("the process that task %s shared has ended: %s", task, error)
                self._place(task)

    def abandon(self, host: SharedHost, reason: str) -> None:
        """Handle the end of Spark, after which no task of a process can run."""
        with self._lock:
            host.channel = None
            self._give_up(host, reason)

    def _take(self, host: SharedHost, message: Message) -> None:
        match message:
            case LogLine():
                replay(message)
            case EndRequested():
                with self._lock:
                    self._end(host)
            case OwnProcessWanted(name, index):
                with self._lock:
                    self._separate(host, name, index)

    def _place(self, task: HostedTask, *, alone: bool = False) -> None:
        """Put a task into a process; requires the lock."""
        for host in () if alone else self._hosts.values():
            if host.has_room(task.path, self._size):
                host.tasks.append(task)
                task.host = host
                if host.channel is not None:
                    self._admit(task, host.channel)
                return
        self._open([task], alone=alone)

    def _open(self, tasks: Sequence[HostedTask], *, alone: bool = False) -> None:
        """Start a process for tasks of one import path; requires the lock."""
        name = f"shared-{next(self._numbers)}"
        host = self._hosts[name] = SharedHost(self, name, tasks[0].path, alone=alone)
        host.tasks.extend(tasks)
        for task in tasks:
            task.host = host
        self._starter.start(host)

    def _admit(self, task: HostedTask, channel: Channel) -> None:
        task.run, task.moves = next(self._runs), False
        _send(channel, self._admission(task.job.name, task.index, task.attempt, task.run))

    def _handle_end(self, task: HostedTask, host: SharedHost) -> None:
        if not task.lives:
            self._forget(task)
            self._close_if_empty(host)
        elif task.moves and not host.ends:
            host.tasks.remove(task)
            self._place(task, alone=host.alone or not host.leaves)
            self._close_if_empty(host)
        elif not task.moves:  # otherwise the next process gets it
            task.attempt += 1
            if host.channel is not None:
                self._admit(task, host.channel)

    def _divide(self, host: SharedHost) -> None:
        """Give half of the tasks another process."""
        stay = (len(host.tasks) + 1) // 2
        leave, host.tasks = host.tasks[stay:], host.tasks[:stay]
        if leave:
            self._open(leave)

    def _separate(self, host: SharedHost, name: str, index: int) -> None:
        """Let a busy task move to a process of its own."""
        for task in host.tasks:
            mine = task.job.name == name and task.index == index
            may_move = mine and len(host.tasks) > 1 and not task.moves and task.lives
            if may_move and task.job.move(index):
                log.info("task %s needs much processor time: it gets its own process", task)
                task.moves, task.attempt = True, 0

    def _end(self, host: SharedHost) -> None:
        """End a process; its tasks come back, and the end is not counted as a crash of theirs."""
        host.ends = True
        for task in host.tasks:
            if task.lives:
                task.moves, task.attempt = True, 0
                task.job.expect_end(task.index)
        if host.channel is not None:
            _send(host.channel, EndProcess())

    def _give_up(self, host: SharedHost, reason: str) -> None:
        """Fail the tasks of a process that cannot run."""
        for task in list(host.tasks):
            task.job.give_up(task.index, reason)
            self._forget(task)
        self._close_if_empty(host)

    def _forget(self, task: HostedTask) -> None:
        """Have nothing more to do with a task."""
        if task.host is not None:
            task.host.tasks.remove(task)
        rest = self._tasks[task.job]
        del rest[task.index]
        if not rest:
            del self._tasks[task.job]
            self._over.pop(task.job, _nothing)()

    def _close_if_empty(self, host: SharedHost | None) -> None:
        if host is None or host.tasks or host.is_over:
            return
        self._close(host)
        if host.channel is None:
            self._starter.cancel(host)
        else:
            _send(host.channel, Dismissed())

    def _close(self, host: SharedHost) -> None:
        """Give a process no more tasks."""
        host.is_over = True
        self._hosts.pop(host.name, None)


def _has_no_process(task: HostedTask) -> bool:
    return task.host is None or task.host.channel is None


def _nothing() -> None:
    """No one waits for the end of a job that could not be started."""


def _send(channel: Channel, message: Message) -> None:
    try:
        channel.send(message)
    except ChannelClosedError:
        return  # Spark starts another process, which gets its tasks
