"""A process that several tasks share, as the driver knows it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plugwright.spark._job import ResidentJob
    from plugwright.spark.channel import Channel
    from plugwright.spark.messages import Hello
    from plugwright.spark.shared_hosts import SharedHosts


@dataclass(eq=False, slots=True)
class HostedTask:
    """A task in a shared process.

    Attributes:
        index: position among the tasks of its job.
        path: directories that its plugin is imported from.
        host: its process.
        attempt: how often its process has crashed.
        run: number of its last admission; -1 before the first.
        moves: whether it is leaving its process for another one.
    """

    job: ResidentJob
    index: int
    path: str
    host: SharedHost | None = None
    attempt: int = 0
    run: int = -1
    moves: bool = False

    def __str__(self) -> str:
        return f"{self.job.connector}-{self.job.tasks[self.index]}"

    @property
    def lives(self) -> bool:
        """Whether the task has not ended."""
        return self.job.is_live(self.index)


class SharedHost:
    """One process, which is one task of a Spark job.

    The lock of its owner guards the attributes.

    Args:
        owner: distributes the tasks.
        name: of the Spark job.
        path: directories that the plugins of its tasks are imported from.
        alone: whether its only task is busy, and gets no company.

    Attributes:
        tasks: those that it has to run.
        channel: the connection to the process, while there is one.
        connected: Spark's attempts until the process connected last.
        is_over: whether it gets no more tasks.
        ends: whether it has been asked to end, so that Spark starts another one.
        leaves: whether its tasks move to other processes, because its executor is to go.
    """

    def __init__(self, owner: SharedHosts, name: str, path: str, *, alone: bool = False) -> None:
        self._owner = owner
        self.name = name
        self.path = path
        self.alone = alone
        self.tasks: list[HostedTask] = []
        self.channel: Channel | None = None
        self.connected = 0
        self.is_over = False
        self.ends = False
        self.leaves = False
        self._process = ("", 0)

    @property
    def connector(self) -> str:
        """The connector of one of its tasks."""
        return self.tasks[0].job.connector if self.tasks else ""

    @property
    def wanted(self) -> int:
        """The number of slots that it needs."""
        return 0 if self.is_over else 1

    def missing(self) -> Sequence[int]:
        """The task of its Spark job, if its process has not connected."""
        return () if self.channel or self.is_over else (0,)

    def wait_for_slots(self, _: Sequence[int], reason: str) -> None:
        """Record that Spark has no slot for it, and why."""
        self._owner.wait_for_slot(self, reason)

    def failed(self, _: int, attempts: int, words: str) -> None:
        """Handle failed attempts of its process that Spark reports, with its last message."""
        self._owner.failed(self, attempts, words)

    def leave(self, _: int) -> None:
        """Let its tasks move to processes on other executors."""
        self._owner.leave(self)

    def has_room(self, path: str, size: int) -> bool:
        """Whether a task with an import path may join the others, of which there may be so many."""
        closed = self.alone or self.is_over or self.ends or self.leaves
        return self.path == path and not closed and len(self.tasks) < size

    def began(self, hello: Hello, channel: Channel) -> None:
        """Record a new process."""
        self.channel, self._process, self.ends = channel, (hello.daemon, hello.pid), False
        self.connected, self.leaves = hello.attempt + 1, False

    def has_crashed(self, hello: Hello) -> bool:
        """Whether the former process crashed, as the daemon of the new one reports."""
        daemon, pid = self._process
        return daemon == hello.daemon and str(pid) in hello.exits and not self.ends
