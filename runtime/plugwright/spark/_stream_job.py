"""One sink connector run by Structured Streaming: its tasks' states, and how they are steered."""

from __future__ import annotations

import logging
import re
import time
from typing import TYPE_CHECKING, Any

from plugwright.origin import status_text
from plugwright.spark._board import ENDED
from plugwright.spark._crashes import CrashBudget, CrashHistory, crash_error
from plugwright.spark._messages import Dismissed, EndProcess, HostReport, Pause, Resume, Stop
from plugwright.spark._stream_query import committed_offsets, is_committed
from plugwright.spark._task_book import TaskBook

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pyspark.sql import DataFrame

    from plugwright.record import TopicPartition
    from plugwright.spark._board import TaskStatus
    from plugwright.spark._channel import Channel
    from plugwright.spark._messages import Hello, Message
    from plugwright.spark._spec import TaskSpec
    from plugwright.spark._stream_handover import Beginning
    from plugwright.spark._stream_query import Query, StreamPlan

log = logging.getLogger(__name__)

_LOOK_S = 0.2
_COMMIT_S = 10.0
_TELL_S = 1.0
_WORDS_S = 5.0
_OWN_ERROR = re.compile(r"plugwright\.errors\.\w+: (.+?)(?:\n|$)")


class _StoppedError(Exception):
    """A batch that is not to be run, because the job is about to end."""


class StreamJob(TaskBook):
    """The tasks of one sink connector, in one streaming query.

    A batch is done when every task of it has said that its records are durable. A task that fails
    ends the query, and with it the others. If a task is to begin paused, all of them do.

    Args:
        name: unique name of the job.
        specs: what each task is to run, in the order of their numbers.
        plan: what runs them.
        listener: hears of every change of a task's state or topics, with the task's number; is
            called on foreign threads and may not wait.
        budget: how often the process of a task, or the query, may crash.
    """

    def __init__(
        self,
        name: str,
        specs: Sequence[TaskSpec],
        plan: StreamPlan,
        listener: Callable[[int, TaskStatus], None] | None = None,
        *,
        budget: CrashBudget | None = None,
    ) -> None:
        super().__init__(name, specs, listener)
        self._plan = plan
        self._budget = budget or CrashBudget()
        self._crashes = [CrashHistory(self._budget) for _ in specs]
        self._starts: Mapping[TopicPartition, int] = {}
        self._query: Query | None = None
        self._stopping = self._in_batch = False
        self._paused = any(spec.paused for spec in specs)
        self._is_cut_short = self._given_up = False
        self._batch = -1
        self._failure = ""

    def pause(self) -> None:
        """Hold every task still: no batch begins, and one under way waits where it is."""
        self._turn(paused=True)

    def resume(self) -> None:
        """Let every task go on."""
        self._turn(paused=False)

    def stop(self, timeout_s: float = 5.0) -> bool:
        """End the query, and wait; a batch under way is finished if that does not take too long.

        Returns:
            Whether all tasks ended by themselves.
        """
        with self._board.changed:
            self._stopping = True
            self._board.changed.notify_all()
        if not self._wait(lambda: not self._in_batch, timeout_s / 2):
            self._is_cut_short = True
            self._send_all(Stop())
        gracefully = self._wait(lambda: not self._in_batch, timeout_s / 2)
        if not gracefully:
            self._send_all(EndProcess())
        with self._board.changed:
            self._given_up = True
            self._board.changed.notify_all()
        self._wait(lambda: self._board.ended, timeout_s + 30.0)
        return gracefully

    def run(self) -> None:
        """Run the query to its end, and again where it breaks; never raises."""
        try:
            beginning = self._plan.handover.begin(lambda: self._stopping)
            self._run_queries(beginning)
        except Exception as error:  # noqa: BLE001  # whatever it is, it is the outcome of the tasks
            if not self._stopping:
                self._fail_all(status_text(error))
        finally:
            self._end()

    def converse(self, place: int, hello: Hello, channel: Channel) -> None:
        """Talk with the host of a task for one batch (runs on the channel's own thread).

        Args:
            place: of the task among the specs.
            hello: what it has said first.
            channel: the line to it.
        """
        self._await_turn(place, hello)
        with self._board.changed:
            # While a batch is finished its other tasks still come: without them it is repeated.
            if self._failure or self._is_cut_short:
                channel.send(Dismissed())
                return
            starts = [[*home, offset] for home, offset in self._starts.items()]
            command, patience = Pause() if self._paused else None, self._plan.patience_s
            self._assign(channel, place, command, starts=starts, patience=patience)
        self._update(place, attempt=hello.attempt, pid=hello.pid)
        states = [""]

        def take(message: Message) -> None:
            if isinstance(message, HostReport):
                states.append(message.state)
                self._heard(place, message)

        self._hear(channel, place, take)
        self._hung_up(place, channel, crashed=states[-1] not in ENDED)

    def _run_queries(self, beginning: Beginning) -> None:
        """One query after the other; a batch that went through forgives what was before."""
        history = CrashHistory(self._budget)
        while not self._is_over():
            self._query = None
            self._tell(self._reached(beginning))
            self._query = self._plan.start(beginning, self._take)
            self._show()
            self._follow(self._query)
            self._tell(self._reached(beginning))
            if self._is_over():
                return
            error = self._query.exception()
            history.begin_anew()
            history.died(1)
            if history.is_spent:
                self._fail_all(_reason(error))
                return
            log.warning(
                "connector %s: its query has ended and is started again in %g s: %s",
                self._specs[0].connector,
                history.wait_s,
                _reason(error),
            )
            self._wait(self._is_over, history.wait_s)

    def _is_over(self) -> bool:
        return self._stopping or bool(self._failure)

    def _follow(self, query: Query) -> None:
        """Watch a query until it has ended, and tell the group how far it is."""
        reported_s = -1.0
        while query.isActive and not self._failure:
            if self._stopping:
                self._let_finish(query)
                break
            if time.monotonic() - reported_s >= _TELL_S:
                reported_s = time.monotonic()
                self._tell(committed_offsets(query.lastProgress))
            self._wait(self._is_over, _LOOK_S)
        _stop(query)

    def _reached(self, beginning: Beginning) -> Mapping[TopicPartition, int]:
        try:
            return self._plan.reached(beginning)
        except Exception as error:  # noqa: BLE001  # what the group shows is no reason to fail
            log.warning("it cannot be seen how far %s is: %s", beginning.checkpoint, error)
            return {}

    def _let_finish(self, query: Query) -> None:
        """Wait until the batch under way is over, and its commit is in the checkpoint."""
        self._wait(lambda: not self._in_batch or self._given_up, None)
        deadline = time.monotonic() + _COMMIT_S
        while query.isActive and time.monotonic() < deadline:
            if self._batch < 0 or is_committed(query.lastProgress, self._batch):
                return
            time.sleep(_LOOK_S / 10)

    def _tell(self, offsets: Mapping[TopicPartition, int]) -> None:
        if offsets:
            self._starts = offsets
            self._plan.handover.tell(offsets)

    def _take(self, frame: DataFrame, number: int) -> None:
        """Run a batch, in Spark's own thread for it; what it raises ends the query."""
        with self._board.changed:
            while self._paused and not self._stopping:
                self._board.changed.wait()
            if self._is_over():
                raise _StoppedError
            self._in_batch = True
        try:
            if self._query is not None:
                self._starts = committed_offsets(self._query.lastProgress) or self._starts
            rows = frame.collect()
            if not all(row.complete for row in rows):
                self._wait(self._is_over, _WORDS_S)
                raise _StoppedError
            self._batch = number
        finally:
            with self._board.changed:
                self._in_batch = False
                self._board.changed.notify_all()

    def _turn(self, *, paused: bool) -> None:
        with self._board.changed:
            self._paused = paused
            self._board.changed.notify_all()
        self._send_all(Pause() if paused else Resume())
        if self._query is not None:
            self._show()

    def _show(self) -> None:
        """The tasks run, or hold still."""
        state = "PAUSED" if self._paused else "RUNNING"
        for place in self._board.live():
            self._update(place, state=state, trace="")

    def _await_turn(self, place: int, hello: Hello) -> None:
        """Take in that a process wants to run a task; wait where the last one has crashed."""
        history = self._crashes[place]
        if history.crashes and not history.is_explained:
            end = history.end_of_process(hello.daemon, hello.exits)
            history.is_explained = True
            error = crash_error(self._specs[place], history, end)
            log.warning("%s", error)
            self._update(place, last_exit=end)
            if history.is_spent:
                self._fail(place, status_text(error))
            else:
                self._update(place, state="RESTARTING", trace=status_text(error))
                self._wait(self._is_over, history.wait_s)
        history.began(hello.daemon, str(hello.pid))
        self._show()

    def _heard(self, place: int, status: HostReport) -> None:
        with self._board.changed:  # so that nobody forgets topics meanwhile
            known = self._board.statuses[place].topics
            topics = tuple(sorted({*known, *self._topics.topics(place, status)}))
            self._update(place, counters=status.counters, topics=topics)
        if status.state == "FAILED":
            self._fail(place, status.trace)

    def _hung_up(self, place: int, channel: Channel, *, crashed: bool) -> None:
        with self._board.changed:
            if self._channels.get(place) is channel:
                del self._channels[place]
            if crashed and not self._is_over():
                self._crashes[place].begin_anew()
                self._crashes[place].died(1)
        self._update(place, pid=0)

    def _fail(self, place: int, trace: str) -> None:
        """A task has failed: the query ends, and the other tasks with it."""
        with self._board.changed:
            if self._failure:
                return
            self._failure = trace
            self._board.end(place, trace)
            self._board.changed.notify_all()
        self._board.tell([place])
        number = self._specs[place].task
        self._fail_all(
            f"task {number} of this connector has failed, and spark.engine=stream runs all of its "
            "tasks in one query; restart the connector with its tasks"
        )

    def _fail_all(self, trace: str) -> None:
        with self._board.changed:
            self._failure = self._failure or trace
            left = self._board.live()
            for place in left:
                self._board.end(place, trace)
            self._board.changed.notify_all()
        self._board.tell(left)
        self._send_all(Stop())

    def _end(self) -> None:
        with self._board.changed:
            left = self._board.live()
            for place in left:
                self._board.end(place, "")
            self._board.ended = True
            self._board.changed.notify_all()
        self._board.tell(left)

    def _update(self, place: int, **changes: Any) -> None:
        """Take news of a task, unless it has ended."""
        with self._board.changed:
            if place in self._board.live():
                self._change(place, **changes)

    def _wait(self, condition: Callable[[], bool], timeout_s: float | None) -> bool:
        with self._board.changed:
            return self._board.changed.wait_for(condition, timeout_s)


def _stop(query: Query) -> None:
    try:
        query.stop()
    except Exception as error:  # noqa: BLE001  # Spark ends it all the same, or has ended itself
        log.debug("the query did not stop in order: %s", error)


def _reason(error: Exception | None) -> str:
    """What ended a query, without the stacks of Spark's processes where it is our own error."""
    text = str(error or "Spark has ended it")
    found = _OWN_ERROR.findall(text)
    return found[-1] if found else text
