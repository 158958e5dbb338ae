"""A process that several tasks share, as the driver knows it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plugwright.spark._channel import Channel
    from plugwright.spark._job import ResidentJob
    from plugwright.spark._messages import Hello
    from plugwright.spark._shared_hosts import SharedHosts

_GONE = "Spark ended, and with it every task of this worker; see its log, and restart the worker"


@dataclass(eq=False, slots=True)
class Guest:
    """A task of a shared process.

    Attributes:
        place: position among the tasks of its job.
        attempt: how often its process has crashed.
        run: number of its last admission.
        moves: whether it is leaving its process for another one.
    """

    job: ResidentJob
    place: int
    attempt: int = 0
    run: int = -1
    moves: bool = False

    @property
    def lives(self) -> bool:
        """Whether the task has not ended."""
        return self.job.is_live(self.place)


class SharedHost:
    """One process, which is one task of a Spark job.

    The lock of its owner guards the attributes.

    Args:
        owner: distributes the tasks.
        name: of the Spark job.
        path: directories that the plugins of its tasks are imported from.
        alone: whether its only task is busy, and gets no company.

    Attributes:
        channel: the connection to the process, while there is one.
        connected: Spark's attempts until the process connected last.
        is_over: whether it gets no more tasks.
        ends: whether it has been asked to end, so that Spark starts another one.
    """

    def __init__(self, owner: SharedHosts, name: str, path: str, *, alone: bool = False) -> None:
        self._owner = owner
        self.name = name
        self.path = path
        self.alone = alone
        self.guests: list[Guest] = []
        self.channel: Channel | None = None
        self.connected = 0
        self.is_over = False
        self.ends = False
        self._process = ("", 0)

    @property
    def connector(self) -> str:
        """The connector of one of its tasks."""
        return self.guests[0].job.connector if self.guests else ""

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

    def ended(self, error: Exception | None, *, spark_lives: bool) -> None:
        """Handle the end of its Spark job, with its error if it failed."""
        self._owner.ended(self, error if spark_lives else RuntimeError(_GONE), again=spark_lives)

    def began(self, hello: Hello, channel: Channel) -> None:
        """Record a new process."""
        self.channel, self._process, self.ends = channel, (hello.daemon, hello.pid), False
        self.connected = hello.attempt + 1

    def has_crashed(self, hello: Hello) -> bool:
        """Whether the former process crashed, as the daemon of the new one reports."""
        daemon, pid = self._process
        return daemon == hello.daemon and str(pid) in hello.exits and not self.ends
