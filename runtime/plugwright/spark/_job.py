"""One connector generation on Spark: the tasks' states, and the means to steer them."""

from __future__ import annotations

import logging
import threading
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from plugwright.errors import render
from plugwright.spark._channel import Channel, ChannelClosedError
from plugwright.spark._crashes import CrashBudget, CrashHistory, Exit, crash_error
from plugwright.spark._status import ENDED, TaskStatus

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from plugwright.spark._spec import TaskSpec

__all__ = ["ResidentJob"]

log = logging.getLogger(__name__)


class ResidentJob:
    """Some running tasks of one connector, in one Spark job.

    Args:
        name: unique name of the job.
        specs: what each task is to run.
        cancel: ends the Spark job by force.
        listener: hears of every change of a task's state or topics, with the task's number; is
            called on foreign threads and may not wait.
        budget: how often the process of a task may crash.
        explain: what Spark says of how a task of the job ended last, by its index in the job.
        patience_s: how long Spark may take to notice that the tasks of the job are over.
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
        patience_s: float = 10.0,
    ) -> None:
        self.name = name
        self._specs = specs
        self._cancel = cancel
        self._listener = listener
        self._explain = explain
        self._patience_s = patience_s
        self._crashes = [CrashHistory(budget or CrashBudget()) for _ in specs]
        self._order: Sequence[int] = range(len(specs))
        self._held: set[int] = set()
        self._waiting: set[int] = set()
        self._regroups = False
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
        self._let_go(wanted)
        if self._all_but(wanted):
            return self._stop_some(wanted, timeout_s)
        gracefully = self.wait_for(self._are_over(wanted), timeout_s)
        if gracefully and self._waiting:
            self._cancel()  # Spark would go on waiting for slots
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

    def converse(self, index: int, hello: Mapping[str, Any], channel: Channel) -> None:
        """Talk with a task's host until it hangs up (runs on the channel's own thread).

        Args:
            index: of the task in the Spark job.
            hello: its first frame.
            channel: the line to it.
        """
        place, attempt, pid = self._order[index], int(hello["attempt"]), int(hello["pid"])
        if not self._admits(place, attempt, hello):
            channel.send("dismissed")
            return
        channel.send("spec", spec=self._specs[place].to_plain())
        with self._changed:
            self._channels[place] = channel
            self._crashes[place].began(str(hello.get("daemon")), str(pid))
            if target := self._targets[place]:
                channel.send(target)  # under the lock, so that no later command is overtaken
        self._update(channel, place, attempt=attempt, pid=pid, counters={})
        try:
            while True:
                frame = channel.receive()
                if frame["type"] == "log":
                    logging.getLogger(frame["logger"]).log(frame["level"], "%s", frame["message"])
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
            self._hung_up(channel, place, attempt)

    def missing(self) -> Sequence[int]:
        """The places of live tasks without a process that has called."""
        with self._changed:
            return [n for n in self._live() if not self._statuses[n].pid and n not in self._held]

    @property
    def wanted(self) -> int:
        """How many slots its tasks want."""
        with self._changed:
            return len(self._live())

    def wait_for_slots(self, places: Collection[int], reason: str) -> None:
        """Spark has no slot for these tasks, for this reason, and has begun with all others."""
        with self._changed:
            waiting = set(places).intersection(self.missing())  # one may just have called
            self._waiting = waiting | (self._waiting & self._dismissed)
            fresh = [n for n in sorted(waiting) if self._statuses[n].trace != reason]
            for place in fresh:
                self._statuses[place] = replace(self._statuses[place], trace=reason)
        if fresh:
            names = ", ".join(f"{self._specs[n].connector}-{self._specs[n].task}" for n in fresh)
            log.warning("%s: %s", names, reason)
        self._tell(fresh)

    def failed(self, index: int, attempts: int, words: str) -> None:
        """Spark has seen so many attempts of a task fail, the last one in these words.

        This is how the driver hears of processes that end before they can call. Spark would try
        for ever: if the budget is spent, the others of the job go on in another one.

        Args:
            index: of the task in the Spark job.
            attempts: how many there were.
            words: what Spark says.
        """
        place = self._order[index]
        with self._changed:
            if place not in self.missing() or not self._crashes[place].died(attempts):
                return
        self._crashed(place, Exit(words=words))
        if self.statuses[place].state in ENDED:
            self._regroups = True
            self._cancel()

    def again(self, error: Exception) -> Sequence[int]:
        """The places of the tasks that go on in another Spark job, now that theirs has broken.

        Waits until the first of them may start; the others will wait in their processes.
        """
        with self._changed:
            if self._force:
                return ()
            regroups, self._regroups = self._regroups, False
            live = self._live()
            orphans = [self._channels.pop(place) for place in live if place in self._channels]
            for place in live:
                history = self._crashes[place]
                (history.begin_anew if regroups else history.broke)()
        for channel in orphans:
            _send(channel, "kill")
        for place in [] if regroups else live:
            self._crashed(place, Exit(words=str(error) or type(error).__name__))
        self._order = self._due(live)
        return self._order

    def ended(self, error: Exception | None) -> None:
        """Take note that the Spark job is over, with what it failed with, if it did."""
        reason = self._force or ("" if error is None else str(error) or type(error).__name__)
        with self._changed:
            self._ended = True
            left = [n for n, status in enumerate(self._statuses) if status.state not in ENDED]
            for place in left:
                self._end(place, reason)
            self._changed.notify_all()
        self._tell(left)

    def _admits(self, place: int, attempt: int, hello: Mapping[str, Any]) -> bool:
        """Whether a process that calls may begin; after a crash it waits for its time."""
        history = self._crashes[place]
        with self._changed:
            history.died(attempt)
        if not history.is_explained:
            end = history.end_of_process(str(hello.get("daemon")), hello.get("exits", {}))
            if end.status is None or end.is_native:
                end = replace(end, words=self._explain(self._order.index(place)))
            self._crashed(place, end)
        with self._changed:
            self._held.add(place)
            while not self._is_unwanted(place) and (left := history.wait_s):
                self._changed.wait(left)
            self._held.discard(place)
            self._waiting.discard(place)
            if self._statuses[place].state == "UNASSIGNED":
                self._statuses[place] = replace(self._statuses[place], trace="")
        return not self._drop([place])

    def _hung_up(self, channel: Channel, place: int, attempt: int) -> None:
        """The line to a process is cut; if it has not said that it ends, it has crashed."""
        with self._changed:
            if place not in self._live() or self._channels.get(place) is not channel:
                return
            self._crashes[place].died(attempt + 1)
        self._update(channel, place, state="RESTARTING", pid=0)

    def _crashed(self, place: int, end: Exit) -> None:
        """Say what has become of a task whose process has ended."""
        history = self._crashes[place]
        with self._changed:
            history.is_explained = True
            if place not in self._live():
                return
            trace = render(crash_error(self._specs[place], history, end))
            if history.is_spent:
                self._dismissed.add(place)
                self._end(place, trace)
            else:
                status = self._statuses[place]
                self._statuses[place] = replace(status, state="RESTARTING", pid=0, trace=trace)
            self._changed.notify_all()
        log.warning("%s", trace)
        self._tell([place])

    def _due(self, places: Sequence[int]) -> Sequence[int]:
        """Wait until one of these tasks may start; those that are wanted by then."""
        with self._changed:
            while wanted := [place for place in places if not self._is_unwanted(place)]:
                left = min(self._crashes[place].wait_s for place in wanted)
                if not left:
                    break
                self._changed.wait(left)
        self._drop(places)
        return wanted

    def _let_go(self, places: Sequence[int]) -> None:
        """Tasks that wait for a slot need not be waited for."""
        with self._changed:
            idle = [place for place in places if place in self._waiting]
            self._dismissed.update(idle)
        self._drop(idle)

    def _drop(self, places: Sequence[int]) -> Sequence[int]:
        """End those of these tasks that nobody wants and that have no process; which they are."""
        with self._changed:
            unwanted = [place for place in places if self._is_unwanted(place)]
            left = [place for place in unwanted if self._statuses[place].state not in ENDED]
            for place in left:
                self._statuses[place] = replace(self._statuses[place], state="STOPPED", trace="")
            self._changed.notify_all()
        self._tell(left)
        return unwanted

    def _is_unwanted(self, place: int) -> bool:
        return place not in self._live() or place in self._dismissed or self._stops(place)

    def _stops(self, place: int) -> bool:
        return self._targets[place] == "stop"

    def _live(self) -> Sequence[int]:
        if self._ended:
            return ()
        return [n for n, status in enumerate(self._statuses) if status.state not in ENDED]

    def _places(self, tasks: Sequence[int]) -> Sequence[int]:
        return [place for place, spec in enumerate(self._specs) if spec.task in tasks]

    def _all_but(self, places: Sequence[int]) -> Sequence[int]:
        """The tasks that are not among these and have not ended."""
        with self._changed:
            return [place for place in self._live() if place not in places]

    def _stop_some(self, places: Sequence[int], timeout_s: float) -> bool:
        """Wait for some tasks while others go on; Spark cannot cancel one task alone.

        A task that does not stop is asked to kill its own process, and what Spark starts in its
        place is sent away.
        """
        if self.wait_for(self._are_over(places), timeout_s):
            return True
        with self._changed:
            late = [place for place in places if self._statuses[place].state not in ENDED]
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
            self._ended or all(statuses[place].state in ENDED for place in places)
        )

    def _command(self, kind: str, places: Sequence[int]) -> None:
        with self._changed:
            for place in places:
                self._targets[place] = "" if kind == "resume" else kind
            channels = [self._channels[place] for place in places if place in self._channels]
            self._changed.notify_all()
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
            if self._channels.get(place) is not channel or self._ended or place in self._dismissed:
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
