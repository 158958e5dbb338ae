"""One sink connector on Structured Streaming: the states of its tasks, and commands to them."""

from __future__ import annotations

import logging
import re
import time
from typing import TYPE_CHECKING, Any

from plugwright.origin import status_text
from plugwright.spark._task_table import ENDED
from plugwright.spark.crashes import CrashBudget, CrashHistory, crash_error
from plugwright.spark.messages import Dismissed, EndProcess, HostReport, Pause, Resume, Stop
from plugwright.spark.stream_query import committed_offsets, is_committed
from plugwright.spark.task_job import TaskJob

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pyspark.sql import DataFrame

    from plugwright.record import TopicPartition
    from plugwright.spark._spec import TaskSpec
    from plugwright.spark._task_table import TaskStatus
    from plugwright.spark.channel import Channel
    from plugwright.spark.messages import Hello, Message
    from plugwright.spark.stream_handover import Beginning
    from plugwright.spark.stream_query import Query, StreamPlan

log = logging.getLogger(__name__)

_LOOK_S = 0.2
_COMMIT_S = 10.0
_TELL_S = 1.0
_WORDS_S = 5.0
_OWN_ERROR = re.compile(r"plugwright\.errors\.\w+: (.+?)(?:\n|$)")


class _StoppedError(Exception):
    """The batch must not run because the job is about to end."""


class StreamJob(TaskJob):
    """The tasks of one sink connector, in one streaming query.

    A batch completes when every task has reported its records durable. A task that fails
    ends the query and thereby the others. If one task must start paused, all do.

    Args:
        name: unique name of the job.
        specs: the specs of all tasks, by number.
        plan: starts the query.
        listener: called for every change of a task's state or topics, with the task's number; runs
            on other threads and must not block.
        budget: the number of crashes that a task, or the query, survives.
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
        """Pause every task: no batch starts, and a running one waits."""
        self._turn(paused=True)

    def resume(self) -> None:
        """Resume every task."""
        self._turn(paused=False)

    def stop(self, timeout_s: float = 5.0) -> bool:
        """End the query and wait; a running batch may finish within the time-out.

        Returns:
            Whether all tasks ended by themselves.
        """
        with self._table.changed:
            self._stopping = True
            self._table.changed.notify_all()
        if not self._wait(lambda: not self._in_batch, timeout_s / 2):
            self._is_cut_short = True
            self._send_all(Stop())
        gracefully = self._wait(lambda: not self._in_batch, timeout_s / 2)
        if not gracefully:
            self._send_all(EndProcess())
        with self._table.changed:
            self._given_up = True
            self._table.changed.notify_all()
        self._wait(lambda: self._table.ended, timeout_s + 30.0)
        return gracefully

    def run(self) -> None:
        """Run the query to its end, and restart it after failures; never raises."""
        try:
            beginning = self._plan.handover.begin(lambda: self._stopping)
            self._run_queries(beginning)
        except Exception as error:  # noqa: BLE001  # whatever it is, it is the outcome of the tasks
            if not self._stopping:
                self._fail_all(status_text(error))
        finally:
            self._end()

    def converse(self, place: int, hello: Hello, channel: Channel) -> None:
        """Serve a task's host for one batch (runs on the channel's own thread).

        Args:
            place: of the task among the specs.
            hello: its first message.
            channel: the connection to it.
        """
        self._await_turn(place, hello)
        with self._table.changed:
            # While a batch finishes, its other tasks still connect: otherwise it would repeat.
            if self._failure or self._is_cut_short:
                channel.send(Dismissed())
                return
            starts = [[*home, offset] for home, offset in self._starts.items()]
            command, patience = Pause() if self._paused else None, self._plan.patience_s
            self._assign(channel, place, command, starts=starts, patience=patience)
        self._update(place, attempt=hello.attempt, pid=hello.pid, daemon=hello.daemon)
        states = [""]

        def take(message: Message) -> None:
            if isinstance(message, HostReport):
                states.append(message.state)
                self._heard(place, message)

        self._hear(channel, place, take)
        self._hung_up(place, channel, crashed=states[-1] not in ENDED)

    def _run_queries(self, beginning: Beginning) -> None:
        """Run one query after the other; a completed batch resets the failure count."""
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
                "connector %s: its query ended and is restarted in %g s: %s",
                self._specs[0].connector,
                history.wait_s,
                _reason(error),
            )
            self._wait(self._is_over, history.wait_s)

    def _is_over(self) -> bool:
        return self._stopping or bool(self._failure)

    def _follow(self, query: Query) -> None:
        """Monitor a query until it ends, and mirror its offsets to the group."""
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
            log.warning("cannot read the offsets of checkpoint %s: %s", beginning.checkpoint, error)
            return {}

    def _let_finish(self, query: Query) -> None:
        """Wait until the running batch is finished, and its commit is in the checkpoint."""
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
        """Run a batch, on Spark's own thread for it; an exception ends the query."""
        with self._table.changed:
            while self._paused and not self._stopping:
                self._table.changed.wait()
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
            with self._table.changed:
                self._in_batch = False
                self._table.changed.notify_all()

    def _turn(self, *, paused: bool) -> None:
        with self._table.changed:
            self._paused = paused
            self._table.changed.notify_all()
        self._send_all(Pause() if paused else Resume())
        if self._query is not None:
            self._show()

    def _show(self) -> None:
        """Report the tasks as running or paused."""
        state = "PAUSED" if self._paused else "RUNNING"
        for place in self._table.live():
            self._update(place, state=state, trace="")

    def _await_turn(self, place: int, hello: Hello) -> None:
        """Register a process for a task; waits for the delay after a crash."""
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
        with self._table.changed:  # so that topics are not reset meanwhile
            topics = self._uses.reported(place, status)
            self._update(place, counters=status.counters, topics=topics)
        if status.state == "FAILED":
            self._fail(place, status.trace)

    def _hung_up(self, place: int, channel: Channel, *, crashed: bool) -> None:
        with self._table.changed:
            if self._channels.get(place) is channel:
                del self._channels[place]
            if crashed and not self._is_over():
                self._crashes[place].begin_anew()
                self._crashes[place].died(1)
        self._update(place, pid=0)

    def _fail(self, place: int, trace: str) -> None:
        """Handle a failed task: end the query, and the other tasks with it."""
        with self._table.changed:
            if self._failure:
                return
            self._failure = trace
            self._table.end(place, trace)
            self._table.changed.notify_all()
        self._table.tell([place])
        number = self._specs[place].task
        self._fail_all(
            f"task {number} of this connector failed, and spark.engine=stream runs all of its "
            "tasks in one query; restart the connector with its tasks"
        )

    def _fail_all(self, trace: str) -> None:
        with self._table.changed:
            self._failure = self._failure or trace
            left = self._table.live()
            for place in left:
                self._table.end(place, trace)
            self._table.changed.notify_all()
        self._table.tell(left)
        self._send_all(Stop())

    def _end(self) -> None:
        with self._table.changed:
            left = self._table.live()
            for place in left:
                self._table.end(place, "")
            self._table.ended = True
            self._table.changed.notify_all()
        self._table.tell(left)

    def _update(self, place: int, **changes: Any) -> None:
        """Apply an update of a task, unless it has ended."""
        with self._table.changed:
            if place in self._table.live():
                self._change(place, **changes)

    def _wait(self, condition: Callable[[], bool], timeout_s: float | None) -> bool:
        with self._table.changed:
            return self._table.changed.wait_for(condition, timeout_s)


def _stop(query: Query) -> None:
    try:
        query.stop()
    except Exception as error:  # noqa: BLE001  # Spark ends it all the same, or has ended itself
        log.debug("the query did not stop cleanly: %s", error)


def _reason(error: Exception | None) -> str:
    """The reason why a query ended, without Spark's stacks if it is an error of our own."""
    text = str(error or "Spark ended it")
    found = _OWN_ERROR.findall(text)
    return found[-1] if found else text
