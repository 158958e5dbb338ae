"""The driver's state of the tasks of one job, and its commands to them."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from plugwright.spark.messages import Pause, Stop
from plugwright.worker import carried_on

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from plugwright.spark._spec import TaskSpec
    from plugwright.spark.crashes import Exit
    from plugwright.spark.messages import Message

ENDED = frozenset({"STOPPED", "FAILED"})
"""The final states of a task."""


@dataclass(frozen=True, slots=True)
class TaskStatus:
    """The state of one task, as the driver knows it.

    Attributes:
        state: UNASSIGNED, RUNNING, PAUSED, RESTARTING, STOPPED or FAILED.
        attempt: how often Spark has restarted it after a crash of its process.
        pid: process id of its host, or 0.
        daemon: the parent of its last host, with the machine, as in `Hello`.
        trace: the stack trace of its failure, or the reason why it waits.
        counters: its totals since its last start, and its recent rates.
        topics: the topics that it has used since then.
        last_exit: how its last crashed process ended; ``None`` if none has crashed.
    """

    state: str = "UNASSIGNED"
    attempt: int = 0
    pid: int = 0
    trace: str = ""
    counters: Mapping[str, float] = field(default_factory=dict)
    topics: tuple[str, ...] = ()
    last_exit: Exit | None = None
    daemon: str = ""


class TaskTable:
    """The states of one job's tasks, by their positions among its specs.

    Args:
        specs: the spec of each task.
        listener: called for every change of a task's state or topics, with the task's number; runs
            on other threads and must not block.

    Attributes:
        changed: the lock of this object; notified of every change.
        withdrawn: the same lock; notified when tasks may no longer be needed. Restarts wait for
            this alone, because thousands of them may wait at once.
        targets: the last command to each task that still applies.
        dismissed: tasks that are not restarted, even if Spark starts a process for them.
        ended: whether the Spark job has ended.
    """

    def __init__(
        self, specs: Sequence[TaskSpec], listener: Callable[[int, TaskStatus], None] | None
    ) -> None:
        self.specs = specs
        self._listener = listener
        self._statuses = [TaskStatus() for _ in specs]
        self._former: list[Mapping[str, float]] = [{} for _ in specs]
        lock = threading.RLock()
        self.changed, self.withdrawn = threading.Condition(lock), threading.Condition(lock)
        self.targets: list[Message | None] = [Pause() if spec.paused else None for spec in specs]
        self.dismissed: set[int] = set()
        self.ended = False

    @property
    def statuses(self) -> Sequence[TaskStatus]:
        """The states of the tasks."""
        with self.changed:
            return tuple(self._statuses)

    @property
    def counters(self) -> Mapping[int, Mapping[str, float]]:
        """The counters of each task over all of its processes, by task number."""
        with self.changed:
            pairs = zip(self._former, self._statuses, strict=True)
            counted = [carried_on(former, status.counters) for former, status in pairs]
        return {spec.task: each for spec, each in zip(self.specs, counted, strict=True)}

    def count_on(self, place: int) -> None:
        """Keep the counters of a task's process that is being replaced."""
        with self.changed:
            counted = self._statuses[place].counters
            self._former[place] = carried_on(self._former[place], counted)
            self._statuses[place] = replace(self._statuses[place], counters={})

    def live(self) -> Sequence[int]:
        """The tasks that have not ended."""
        with self.changed:
            return [place for place in range(len(self._statuses)) if self.is_live(place)]

    def is_live(self, place: int) -> bool:
        """Whether a task has not ended."""
        return not self.ended and self._statuses[place].state not in ENDED

    def is_unwanted(self, place: int) -> bool:
        """Whether a process for this task is unnecessary."""
        stops = isinstance(self.targets[place], Stop)
        return stops or place in self.dismissed or not self.is_live(place)

    def command(self, places: Iterable[int], command: Message | None) -> None:
        """Record the last command to these tasks that still applies; requires the lock."""
        for place in places:
            self.targets[place] = command
        self.withdrawn.notify_all()
        self.changed.notify_all()

    def dismiss(self, places: Iterable[int]) -> None:
        """Do not restart these tasks; requires the lock."""
        self.dismissed.update(places)
        self.withdrawn.notify_all()

    def close(self) -> None:
        """Record that the Spark job has ended; requires the lock."""
        self.ended = True
        self.withdrawn.notify_all()
        self.changed.notify_all()

    def wait_for(self, condition: Callable[[Sequence[TaskStatus]], bool], timeout_s: float) -> bool:
        """Wait until the tasks' states fulfil a condition; whether they did in time."""
        deadline = time.monotonic() + timeout_s
        with self.changed:
            while not condition(tuple(self._statuses)):
                left = deadline - time.monotonic()
                if left <= 0 or not self.changed.wait(left):
                    return condition(tuple(self._statuses))
            return True

    def change(self, place: int, **changes: Any) -> tuple[TaskStatus, TaskStatus]:
        """Update a task without notifying the listener; returns the old and the new status."""
        with self.changed:
            before = self._statuses[place]
            after = self._statuses[place] = replace(before, **changes)
            self.changed.notify_all()
        return before, after

    def end(self, place: int, reason: str) -> None:
        """Mark a task as stopped or failed, without notifying the listener."""
        with self.changed:
            self.change(place, state="FAILED" if reason else "STOPPED", trace=reason)
            self.withdrawn.notify_all()

    def drop(self, places: Sequence[int]) -> Sequence[int]:
        """End unneeded tasks that have no process; returns the unneeded ones."""
        with self.changed:
            unwanted = [place for place in places if self.is_unwanted(place)]
            left = [place for place in unwanted if self._statuses[place].state not in ENDED]
            for place in left:
                self.end(place, "")
        self.tell(left)
        return unwanted

    def tell(self, places: Sequence[int]) -> None:
        """Notify the listener of these tasks."""
        if self._listener is not None:
            with self.changed:
                statuses = [self._statuses[place] for place in places]
            for place, status in zip(places, statuses, strict=True):
                self._listener(self.specs[place].task, status)
