"""One connector generation on Spark: the tasks' states, and the means to steer them."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from plugwright.spark._board import ENDED
from plugwright.spark._crashes import CrashBudget
from plugwright.spark._driver_offsets import keep
from plugwright.spark._messages import (
    Busy,
    Dismissed,
    EndProcess,
    HostReport,
    OffsetsStored,
    Pause,
    Resume,
    Stop,
    StoreOffsets,
)
from plugwright.spark._recovery import Recovery
from plugwright.spark._task_book import TaskBook, send

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from plugwright.spark._board import TaskStatus
    from plugwright.spark._channel import Channel
    from plugwright.spark._driver_offsets import OffsetKeeper
    from plugwright.spark._messages import Hello, Message
    from plugwright.spark._spec import TaskSpec


class ResidentJob(TaskBook):
    """Some running tasks of one connector, in one Spark job.

    Args:
        name: unique name of the job.
        specs: what each task is to run.
        cancel: ends the Spark job by force.
        listener: hears of every change of a task's state or topics, with the task's number; is
            called on foreign threads and may not wait.
        budget: how often the process of a task may crash.
        explain: what Spark says of how a task of the job ended last, by its index in the job.
        offsets: keeps the offsets of specs that name no topic for them.
        patience_s: how long Spark may take to notice that the tasks of the job are over.

    Attributes:
        recovery: what becomes of tasks that have no process.
    """

    def __init__(  # noqa: PLR0913  # half of them are for tests to leave out or to change
        self,
        name: str,
        specs: Sequence[TaskSpec],
        cancel: Callable[[], None],
        listener: Callable[[int, TaskStatus], None] | None = None,
        *,
        budget: CrashBudget | None = None,
        explain: Callable[[int], str] = lambda _: "",
        offsets: OffsetKeeper | None = None,
        patience_s: float = 10.0,
    ) -> None:
        super().__init__(name, specs, listener)
        self._offsets = offsets
        self._cancel = cancel
        self._patience_s = patience_s
        self.recovery = Recovery(self._board, budget or CrashBudget(), explain, cancel)
        self._busy: dict[int, str] = {}
        self._force = ""

    @property
    def connector(self) -> str:
        """Whose tasks they are."""
        return self._specs[0].connector

    @property
    def wanted(self) -> int:
        """How many slots its tasks want."""
        return len(self._board.live())

    @property
    def _ended(self) -> bool:
        return self._board.ended

    def pause(self) -> None:
        """Ask every task to hold still."""
        self._command(Pause(), range(len(self._specs)))

    def resume(self) -> None:
        """Ask every task to go on."""
        self._command(Resume(), range(len(self._specs)))

    def stop(self, timeout_s: float = 5.0, tasks: Sequence[int] | None = None) -> bool:
        """Ask tasks to end and wait; by force if that takes too long.

        Args:
            timeout_s: how long they may take.
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
            self._cancel()  # Spark would go on waiting for slots
        if gracefully and self.wait_for(lambda _: self._ended, self._patience_s):
            return True
        self._force = _force(timeout_s)
        self._cancel()
        self.wait_for(lambda _: self._ended, self._patience_s)
        return gracefully

    def converse(self, index: int, hello: Hello, channel: Channel) -> None:
        """Talk with a task's host until it hangs up (runs on the channel's own thread).

        Args:
            index: of the task in the Spark job.
            hello: what it has said first.
            channel: the line to it.
        """
        place, attempt = self.recovery.order[index], hello.attempt
        if not self.recovery.admits(place, attempt, hello):
            channel.send(Dismissed())
            return
        spec = self._specs[place]
        known = self._offsets.read(spec.connector) if self._offsets is not None else ()
        with self._board.changed:
            self._assign(channel, place, self._board.targets[place], offsets=list(known))
            self.recovery.began(place, hello)
        self._update(channel, place, attempt=attempt, pid=hello.pid, counters={})
        self._busy[place] = spec.origin("unknown, because its process is silent")
        self._hear(channel, place, partial(self._take, channel, place))
        self._hung_up(channel, place, attempt)

    def _take(self, channel: Channel, place: int, message: Message) -> None:
        match message:
            case Busy(where):
                self._busy[place] = where
            case StoreOffsets():
                channel.send(self._kept(channel, place, message))
            case HostReport(state, trace, counters):
                with self._board.changed:  # so that nobody forgets topics meanwhile
                    topics = self._topics.topics(place, message)
                    news = {"state": state, "trace": trace, "counters": counters}
                    self._update(channel, place, **news, topics=topics)

    def again(self, error: Exception) -> Sequence[int]:
        """The places of the tasks that go on in another Spark job, now that theirs has broken.

        Waits for the back-off of a task of them. The Spark job numbers its tasks in this order.
        """
        if self._force:
            return ()
        with self._board.changed:
            live = self._board.live()
            orphans = [self._channels.pop(place) for place in live if place in self._channels]
        send(orphans, EndProcess())
        return self.recovery.again(error)

    def ended(self, error: Exception | None) -> None:
        """Take note that the Spark job is over, with what it failed with, if it did."""
        reason = self._force or ("" if error is None else str(error) or type(error).__name__)
        with self._board.changed:
            left = self._board.live()
            for place in left:
                self._board.end(place, self._forced(place, reason) if self._force else reason)
            self._board.ended = True
            self._board.changed.notify_all()
        self._board.tell(left)

    def _hung_up(self, channel: Channel, place: int, attempt: int) -> None:
        """The line to a process is cut; if it has not said that it ends, it has crashed."""
        with self._board.changed:
            if place not in self._board.live() or self._channels.get(place) is not channel:
                return
        self.recovery.died(place, attempt)
        self._update(channel, place, state="RESTARTING", pid=0)

    def _kept(self, channel: Channel, place: int, request: StoreOffsets) -> OffsetsStored:
        """Store a task's offsets, unless its host was replaced; the answer."""
        with self._board.changed:
            current = self._is_current(channel, place)
        if self._offsets is None or not current:
            return OffsetsStored(request.number, "another process runs the task by now")
        return keep(self._offsets, self._specs[place].connector, request)

    def _is_current(self, channel: Channel, place: int) -> bool:
        """Whether a task's host was not replaced, and does not live on as a zombie."""
        mine = self._channels.get(place) is channel
        return mine and not self._board.ended and place not in self._board.dismissed

    def _places(self, tasks: Sequence[int]) -> Sequence[int]:
        return [place for place, spec in enumerate(self._specs) if spec.task in tasks]

    def _all_but(self, places: Sequence[int]) -> Sequence[int]:
        """The tasks that are not among these and have not ended."""
        return [place for place in self._board.live() if place not in places]

    def _stop_some(self, places: Sequence[int], timeout_s: float) -> bool:
        """Wait for some tasks while others go on; Spark cannot cancel one task alone.

        A task that does not stop is asked to kill its own process, and what Spark starts in its
        place is sent away.
        """
        if self.wait_for(self._are_over(places), timeout_s):
            return True
        board = self._board
        with board.changed:
            late = [place for place in places if place in board.live()]
            board.dismissed.update(late)
            for place in late:
                board.end(place, self._forced(place, _force(timeout_s)))
            channels = [self._channels[place] for place in late if place in self._channels]
        send(channels, EndProcess())
        board.tell(late)
        return False

    def _are_over(self, places: Sequence[int]) -> Callable[[Sequence[TaskStatus]], bool]:
        return lambda statuses: (
            self._ended or all(statuses[place].state in ENDED for place in places)
        )

    def _command(self, command: Message, places: Sequence[int]) -> None:
        board = self._board
        with board.changed:
            for place in places:
                board.targets[place] = None if isinstance(command, Resume) else command
            channels = [self._channels[place] for place in places if place in self._channels]
            board.changed.notify_all()
        send(channels, command)

    def _forced(self, place: int, verdict: str) -> str:
        """Why a task was killed, and what had kept it from stopping, as far as is known."""
        return "\n".join(filter(None, [verdict, self._busy.get(place)]))

    def _update(self, channel: Channel, place: int, **changes: Any) -> None:
        """Take news of a task, unless its host was replaced, or lives on for a moment as a zombie.

        Spark kills the process of a cancelled task only after some seconds.
        """
        with self._board.changed:
            if self._is_current(channel, place):
                self._change(place, **changes)


def _force(timeout_s: float) -> str:
    return f"the task did not stop within {timeout_s:g} s and was killed"
