"""One connector generation on Spark: the tasks' states, and the means to steer them."""

from __future__ import annotations

import logging
import threading
import time
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from plugwright.spark._channel import Channel, ChannelClosedError
from plugwright.spark._driver_offsets import keep

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from plugwright.spark._driver_offsets import OffsetKeeper
    from plugwright.spark._spec import TaskSpec

__all__ = ["ResidentJob", "TaskStatus"]

_ENDED = frozenset({"STOPPED", "FAILED"})


@dataclass(frozen=True, slots=True)
class TaskStatus:
    """What the driver knows of one task.

    Attributes:
        state: UNASSIGNED, RUNNING, PAUSED, RESTARTING, STOPPED or FAILED.
        attempt: how often Spark has started it again after its process died.
        pid: process id of its host, or 0.
        trace: what it failed with.
        counters: its running totals, since its last start.
        topics: the topics that it has used since then.
    """

    state: str = "UNASSIGNED"
    attempt: int = 0
    pid: int = 0
    trace: str = ""
    counters: Mapping[str, int] = field(default_factory=dict)
    topics: tuple[str, ...] = ()


class ResidentJob:
    """Some running tasks of one connector, in one Spark job.

    Args:
        name: unique name of the job.
        specs: what each task is to run.
        cancel: ends the Spark job by force.
        listener: hears of every change of a task's state or topics, with the task's number; is
            called on foreign threads and may not wait.
        offsets: keeps the offsets of specs that name no topic for them.
        patience_s: how long Spark may take to notice that the tasks of the job are over.
    """

    def __init__(  # noqa: PLR0913  # the last three are optional
        self,
        name: str,
        specs: Sequence[TaskSpec],
        cancel: Callable[[], None],
        listener: Callable[[int, TaskStatus], None] | None = None,
        *,
        offsets: OffsetKeeper | None = None,
        patience_s: float = 10.0,
    ) -> None:
        self.name = name
        self._offsets = offsets
        self._specs = specs
        self._cancel = cancel
        self._listener = listener
        self._patience_s = patience_s
        self._changed = threading.Condition()
        self._statuses = [TaskStatus() for _ in specs]
        self._channels: dict[int, Channel] = {}
        self._targets = [""] * len(specs)
        self._dismissed: set[int] = set()
        self._force = ""
        self._ended = False

    @property
    def statuses(self) -> Sequence[TaskStatus]:
        """The tasks' states, in the order of the specs."""
        with self._changed:
            return tuple(self._statuses)

    @property
    def tasks(self) -> Sequence[int]:
        """The tasks' numbers, in the order of the specs."""
        return [spec.task for spec in self._specs]

    def pause(self) -> None:
        """Ask every task to hold still."""
        self._command("pause", range(len(self._specs)))

    def resume(self) -> None:
        """Ask every task to go on."""
        self._command("resume", range(len(self._specs)))

    def forget_topics(self) -> None:
        """Have every task tell of its topics anew, once it uses them again."""
        with self._changed:
            channels = list(self._channels.values())
        for channel in channels:
            _send(channel, "forget-topics")

    def stop(self, timeout_s: float = 5.0, tasks: Sequence[int] | None = None) -> bool:
        """Ask tasks to end and wait; by force if that takes too long.

        Args:
            timeout_s: how long they may take.
            tasks: their numbers; all by default.

        Returns:
            Whether all of them ended by themselves.
        """
        wanted = range(len(self._specs)) if tasks is None else self._places(tasks)
        self._command("stop", wanted)
        if self._all_but(wanted):
            return self._stop_some(wanted, timeout_s)
        gracefully = self.wait_for(self._are_over(wanted), timeout_s)
        if gracefully and self.wait_for(lambda _: self._ended, self._patience_s):
            return True
        self._force = _force(timeout_s)
        self._cancel()
        self.wait_for(lambda _: self._ended, self._patience_s)
        return gracefully

    def wait_for(self, condition: Callable[[Sequence[TaskStatus]], bool], timeout_s: float) -> bool:
        """Wait until the tasks' states fulfil a condition; whether they did in time."""
        deadline = time.monotonic() + timeout_s
        with self._changed:
            while not condition(tuple(self._statuses)):
                left = deadline - time.monotonic()
                if left <= 0 or not self._changed.wait(left):
                    return condition(tuple(self._statuses))
            return True

    def converse(self, place: int, hello: Mapping[str, Any], channel: Channel) -> None:
        """Talk with a task's host until it hangs up (runs on the channel's own thread).

        Args:
            place: which of the specs it runs.
            hello: its first frame.
            channel: the line to it.
        """
        if place in self._dismissed:
            channel.send("dismissed")
            return
        spec = self._specs[place]
        known = self._offsets.read(spec.connector) if self._offsets is not None else ()
        channel.send("spec", spec=spec.to_plain(), offsets=list(known))
        with self._changed:
            self._channels[place] = channel
            if target := self._targets[place]:
                channel.send(target)  # under the lock, so that no later command is overtaken
        self._update(
            channel, place, attempt=int(hello["attempt"]), pid=int(hello["pid"]), counters={}
        )
        try:
            while True:
                frame = channel.receive()
                if frame["type"] == "log":
                    logging.getLogger(frame["logger"]).log(frame["level"], "%s", frame["message"])
                elif frame["type"] == "offsets":
                    channel.send("offsets-stored", **self._kept(channel, place, frame))
                elif frame["type"] == "status":
                    self._update(
                        channel,
                        place,
                        state=frame["state"],
                        trace=frame["trace"],
                        counters=frame["counters"],
                        topics=tuple(frame.get("topics", ())),
                    )
        except ChannelClosedError:
            if self.statuses[place].state not in _ENDED:
                self._update(channel, place, state="RESTARTING", pid=0)

    def ended(self, error: Exception | None) -> None:
        """Take note that the Spark job is over, with what it failed with, if it did."""
        reason = self._force or ("" if error is None else str(error) or type(error).__name__)
        with self._changed:
            self._ended = True
            left = [n for n, status in enumerate(self._statuses) if status.state not in _ENDED]
            for place in left:
                self._end(place, reason)
            self._changed.notify_all()
        self._tell(left)

    def _kept(self, channel: Channel, place: int, frame: Mapping[str, Any]) -> dict[str, Any]:
        """Store a task's offsets, unless its host was replaced; the content of the answer."""
        with self._changed:
            current = self._is_current(channel, place)
        if self._offsets is None or not current:
            return {"number": frame["number"], "problem": "another process runs the task by now"}
        return keep(self._offsets, self._specs[place].connector, frame)

    def _is_current(self, channel: Channel, place: int) -> bool:
        """Whether a task's host was not replaced, and does not live on as a zombie."""
        mine = self._channels.get(place) is channel
        return mine and not self._ended and place not in self._dismissed

    def _places(self, tasks: Sequence[int]) -> Sequence[int]:
        return [place for place, spec in enumerate(self._specs) if spec.task in tasks]

    def _all_but(self, places: Sequence[int]) -> Sequence[int]:
        """The tasks that are not among these and have not ended."""
        with self._changed:
            live = [n for n, status in enumerate(self._statuses) if status.state not in _ENDED]
        return [place for place in live if place not in places]

    def _stop_some(self, places: Sequence[int], timeout_s: float) -> bool:
        """Wait for some tasks while others go on; Spark cannot cancel one task alone.

        A task that does not stop is asked to kill its own process, and what Spark starts in its
        place is sent away.
        """
        if self.wait_for(self._are_over(places), timeout_s):
            return True
        with self._changed:
            late = [place for place in places if self._statuses[place].state not in _ENDED]
            self._dismissed.update(late)
            for place in late:
                self._end(place, _force(timeout_s))
            channels = [self._channels[place] for place in late if place in self._channels]
        for channel in channels:
            _send(channel, "kill")
        self._tell(late)
        return False

    def _are_over(self, places: Sequence[int]) -> Callable[[Sequence[TaskStatus]], bool]:
        return lambda statuses: (
            self._ended or all(statuses[place].state in _ENDED for place in places)
        )

    def _command(self, kind: str, places: Sequence[int]) -> None:
        with self._changed:
            for place in places:
                self._targets[place] = "" if kind == "resume" else kind
            channels = [self._channels[place] for place in places if place in self._channels]
        for channel in channels:
            _send(channel, kind)

    def _end(self, place: int, reason: str) -> None:
        status = self._statuses[place]
        self._statuses[place] = replace(
            status, state="FAILED" if reason else "STOPPED", trace=status.trace or reason
        )

    def _update(self, channel: Channel, place: int, **changes: Any) -> None:
        """Take news of a task, unless its host was replaced, or lives on for a moment as a zombie.

        Spark kills the process of a cancelled task only after some seconds.
        """
        with self._changed:
            if not self._is_current(channel, place):
                return
            before = self._statuses[place]
            after = self._statuses[place] = replace(before, **changes)
            self._changed.notify_all()
        if replace(before, counters={}, pid=0) != replace(after, counters={}, pid=0):
            self._tell([place])

    def _tell(self, places: Sequence[int]) -> None:
        if self._listener is not None:
            statuses = self.statuses
            for place in places:
                self._listener(self._specs[place].task, statuses[place])


def _force(timeout_s: float) -> str:
    return f"the task did not stop within {timeout_s:g} s and was killed"


def _send(channel: Channel, kind: str) -> None:
    try:
        channel.send(kind)
    except ChannelClosedError:
        return  # that host is gone; the next attempt is told when it calls
