"""One group of a connector's tasks on Spark: their states, and commands to them."""

from __future__ import annotations

import logging
from functools import partial
from typing import TYPE_CHECKING, Any

from plugwright.spark._task_table import ENDED
from plugwright.spark.crashes import CrashBudget
from plugwright.spark.driver_offsets import keep
from plugwright.spark.messages import (
    Busy,
    Dismissed,
    EndProcess,
    HostReport,
    Leave,
    OffsetsStored,
    Pause,
    Resume,
    Stop,
    StoreOffsets,
)
from plugwright.spark.recovery import Recovery
from plugwright.spark.task_job import TaskJob, send

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from plugwright.spark._spec import TaskSpec
    from plugwright.spark._task_table import TaskStatus
    from plugwright.spark.channel import Channel
    from plugwright.spark.driver_offsets import OffsetKeeper
    from plugwright.spark.messages import Hello, Message

log = logging.getLogger(__name__)


class ResidentJob(TaskJob):
    """Running tasks of one connector, in one Spark job.

    Args:
        name: unique name of the job.
        specs: the spec of each task.
        cancel: cancels the Spark job.
        listener: called for every change of a task's state or topics, with the task's number; runs
            on other threads and must not block.
        budget: the number of crashes that a task survives.
        explain: returns Spark's message about the end of the process before the one that connects.
        offsets: stores the offsets of specs that name no topic for them.
        patience_s: time that Spark may take to notice that the tasks of the job have ended.

    Attributes:
        recovery: handles tasks that have no process.
    """

    def __init__(  # noqa: PLR0913  # half of them are for tests to omit or to change
        self,
        name: str,
        specs: Sequence[TaskSpec],
        cancel: Callable[[], None],
        listener: Callable[[int, TaskStatus], None] | None = None,
        *,
        budget: CrashBudget | None = None,
        explain: Callable[[Hello], str] = lambda _: "",
        offsets: OffsetKeeper | None = None,
        patience_s: float = 10.0,
    ) -> None:
        super().__init__(name, specs, listener)
        self._offsets = offsets
        self._cancel = cancel
        self._patience_s = patience_s
        self.recovery = Recovery(self._table, budget or CrashBudget(), explain, cancel)
        self._busy: dict[int, str] = {}
        self._moving: set[int] = set()
        self._leaving: set[int] = set()
        self._force = ""

    @property
    def connector(self) -> str:
        """The connector of the tasks."""
        return self._specs[0].connector

    @property
    def wanted(self) -> int:
        """The number of slots that its tasks need."""
        return len(self._table.live())

    def is_live(self, place: int) -> bool:
        """Whether a task has not ended, by its position among the specs."""
        return self._table.is_live(place)

    def missing(self) -> Sequence[int]:
        """The positions of live tasks whose process has not connected."""
        return self.recovery.missing()

    def wait_for_slots(self, places: Sequence[int], reason: str) -> None:
        """Record that Spark has no slot for these tasks, and why, and has started all others."""
        self.recovery.wait_for_slots(places, reason)

    def failed(self, index: int, attempts: int, words: str) -> None:
        """Handle failed attempts of a task that Spark reports, see `Recovery.failed`."""
        self.recovery.failed(index, attempts, words)

    @property
    def _ended(self) -> bool:
        return self._table.ended

    def pause(self) -> None:
        """Ask every task to pause."""
        self._command(Pause(), range(len(self._specs)))

    def resume(self) -> None:
        """Ask every task to resume."""
        self._command(Resume(), range(len(self._specs)))

    def stop(self, timeout_s: float = 5.0, tasks: Sequence[int] | None = None) -> bool:
        """Ask tasks to end and wait; forcibly after the time-out.

        Args:
            timeout_s: time that they may take.
            tasks: their numbers; all by default.

        Returns:
            Whether all of them ended by themselves.
        """
        wanted = range(len(self._specs)) if tasks is None else self._places(tasks)
        self._command(Stop(), wanted)
        self.recovery.let_go(wanted)
        if self._all_but(wanted):
            return self._stop_some(wanted, timeout_s)
        gracefully = self.wait_for(self._are_over(wanted), timeout_s)
        if gracefully and self.recovery.waiting:
            self._cancel()  # otherwise Spark would keep waiting for slots
        if gracefully and self.wait_for(lambda _: self._ended, self._patience_s):
            return True
        self._force = _force(timeout_s)
        self._cancel()
        self.wait_for(lambda _: self._ended, self._patience_s)
        return gracefully

    def converse(self, index: int, hello: Hello, channel: Channel) -> None:
        """Serve a task's host until it disconnects (runs on the channel's own thread).

        Args:
            index: of the task in the Spark job.
            hello: its first message.
            channel: the connection to it.
        """
        place, attempt = self.recovery.order[index], hello.attempt
        if not self.recovery.admits(place, attempt, hello):
            channel.send(Dismissed())
            return
        spec = self._specs[place]
        known = self._offsets.read(spec.connector) if self._offsets is not None else ()
        with self._table.changed:
            self._assign(channel, place, self._table.targets[place], offsets=list(known))
            self.recovery.began(place, hello)
        where = {"pid": hello.pid, "daemon": hello.daemon}
        self._update(channel, place, attempt=attempt, **where, counters={})
        self._busy[place] = spec.origin("unknown, because its process does not respond")
        self._hear(channel, place, partial(self._take, channel, place))
        self._hung_up(channel, place, attempt)

    def expect_end(self, place: int) -> None:
        """Expect the end of a task's process, which is not counted as a crash of the task."""
        with self._table.changed:
            self._moving.add(place)

    def move(self, place: int) -> bool:
        """Stop a task so that another process continues with it; whether it had a process."""
        return self._withdraw(place, Stop())

    def leave(self, index: int) -> None:
        """Let the process of Spark's task move to another executor, unless it does already."""
        place = self.recovery.order[index]
        with self._table.changed:
            if place in self._moving or not self._withdraw(place, Leave()):
                return
            self._leaving.add(place)
        log.info("task %s-%s leaves its executor", self.connector, self.tasks[place])

    def give_up(self, place: int, reason: str) -> None:
        """Fail a task for which there is no process."""
        with self._table.changed:
            if not self.is_live(place):
                return
            self._table.end(place, reason)
        self._table.tell([place])

    def _withdraw(self, place: int, command: Message) -> bool:
        """Send a task the command to leave its process, if it has one."""
        with self._table.changed:
            if place not in self._channels or not self._table.statuses[place].pid:
                return False
            self._moving.add(place)
            send([self._channels[place]], command)
        return True

    def _take(self, channel: Channel, place: int, message: Message) -> None:
        match message:
            case Busy(where):
                self._busy[place] = where
            case StoreOffsets():
                channel.send(self._kept(channel, place, message))
            case HostReport(state, trace, counters):
                with self._table.changed:  # so that topics are not reset meanwhile
                    topics = self._uses.reported(place, message)
                    if state == "STOPPED" and self._continues(place):
                        state = "RESTARTING"
                    news = {"state": state, "trace": trace, "counters": counters}
                    self._update(channel, place, **news, topics=topics)

    def again(self, error: Exception) -> Sequence[int]:
        """The positions of the tasks that continue in another Spark job after theirs failed.

        Waits for the back-off of one of them. The Spark job numbers its tasks in this order.
        """
        if self._force:
            return ()
        with self._table.changed:
            live = self._table.live()
            orphans = [self._channels.pop(place) for place in live if place in self._channels]
        send(orphans, EndProcess())
        return self.recovery.again(error)

    def ended(self, error: Exception | None) -> None:
        """Handle the end of the Spark job, with its error if it failed."""
        reason = self._force or ("" if error is None else str(error) or type(error).__name__)
        with self._table.changed:
            left = self._table.live()
            for place in left:
                self._table.end(place, self._forced(place, reason) if self._force else reason)
            self._table.close()
        self._table.tell(left)

    def _hung_up(self, channel: Channel, place: int, attempt: int) -> None:
        """Handle a disconnected process; unless it has reported its end, it has crashed."""
        with self._table.changed:
            if not self._table.is_live(place) or self._channels.get(place) is not channel:
                return
            expected, leaves = place in self._moving, place in self._leaving
            self._moving.discard(place)
            self._leaving.discard(place)
        if expected:
            # Spark goes on counting the attempts of its task, a shared process begins anew.
            self.recovery.left(place, attempt + 1 if leaves else 0)
        else:
            self.recovery.died(place, attempt)
        self._update(channel, place, state="RESTARTING", pid=0)

    def _continues(self, place: int) -> bool:
        """Whether a task that stops has been asked to only because it moves."""
        return place in self._moving and not self._table.is_unwanted(place)

    def _kept(self, channel: Channel, place: int, request: StoreOffsets) -> OffsetsStored:
        """Store a task's offsets, unless its host was replaced; returns the answer."""
        with self._table.changed:
            current = self._is_current(channel, place)
        if self._offsets is None or not current:
            return OffsetsStored(request.number, "the task now runs in another process")
        return keep(self._offsets, self._specs[place].connector, request)

    def _is_current(self, channel: Channel, place: int) -> bool:
        """Whether a host is the current one of its task, rather than a zombie."""
        mine = self._channels.get(place) is channel
        return mine and not self._table.ended and place not in self._table.dismissed

    def _places(self, tasks: Sequence[int]) -> Sequence[int]:
        wanted = set(tasks)
        return [place for place, spec in enumerate(self._specs) if spec.task in wanted]

    def _all_but(self, places: Sequence[int]) -> Sequence[int]:
        """The live tasks that are not among these."""
        leaving = set(places)
        return [place for place in self._table.live() if place not in leaving]

    def _stop_some(self, places: Sequence[int], timeout_s: float) -> bool:
        """Wait for some tasks while others continue; Spark cannot cancel a single task.

        A task that does not stop is asked to kill its own process, and the replacement that Spark
        starts is dismissed.
        """
        if self.wait_for(self._are_over(places), timeout_s):
            return True
        table = self._table
        with table.changed:
            late = [place for place in places if table.is_live(place)]
            table.dismiss(late)
            for place in late:
                table.end(place, self._forced(place, _force(timeout_s)))
            channels = [self._channels[place] for place in late if place in self._channels]
        send(channels, EndProcess())
        table.tell(late)
        return False

    def _are_over(self, places: Sequence[int]) -> Callable[[Sequence[TaskStatus]], bool]:
        return lambda statuses: (
            self._ended or all(statuses[place].state in ENDED for place in places)
        )

    def _command(self, command: Message, places: Sequence[int]) -> None:
        table = self._table
        with table.changed:
            table.command(places, None if isinstance(command, Resume) else command)
            channels = [self._channels[place] for place in places if place in self._channels]
        send(channels, command)

    def _forced(self, place: int, verdict: str) -> str:
        """Why a task was killed, and what kept it from stopping, if known."""
        return "\n".join(filter(None, [verdict, self._busy.get(place)]))

    def _update(self, channel: Channel, place: int, **changes: Any) -> None:
        """Apply an update of a task, unless its host was replaced and is a zombie for a moment.

        Spark kills the process of a cancelled task only after some seconds.
        """
        with self._table.changed:
            if self._is_current(channel, place):
                self._change(place, **changes)


def _force(timeout_s: float) -> str:
    return f"the task did not stop within {timeout_s:g} s and was killed"
