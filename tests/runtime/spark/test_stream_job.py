"""The tasks of a streamed connector: steered, failing, dying, over a query that is made up."""

from __future__ import annotations

import queue
import threading
import time
from types import SimpleNamespace

import pytest

from plugwright.errors import ConnectError
from plugwright.plugins import ClassReference
from plugwright.record import TopicPartition
from plugwright.spark import CrashBudget, Exit, StreamJob, TaskSpec
from plugwright.spark.channel import ChannelClosedError
from plugwright.spark.messages import Dismissed, Hello, Stop, from_frame, to_frame
from plugwright.spark.stream_handover import Beginning
from plugwright.spark.stream_query import StreamPlan, is_committed

REFERENCE = ClassReference("plugwright.converters", "StringConverter")
HOME = TopicPartition("t", 0)


class Handover:
    """Remembers the progress that the group receives."""

    def __init__(self, error=None):
        self.progress, self._error = [], error

    def begin(self, abandoned):
        """Always the same."""
        if self._error:
            raise self._error
        return Beginning("/checkpoint", {})

    def tell(self, offsets):
        """Keep it."""
        self.progress.append(dict(offsets))

    def hears(self, offsets):
        """Whether it receives this within some seconds."""
        deadline = time.monotonic() + 10
        while offsets not in self.progress and time.monotonic() < deadline:
            time.sleep(0.01)
        return offsets in self.progress


class Query:
    """Runs the batches that the test asks for."""

    def __init__(self, on_batch):
        self.isActive, self.lastProgress, self._error = True, None, None
        self._on_batch = on_batch

    def run(self, number, *completed):
        """A batch, whose tasks say whether all is durable."""
        rows = [SimpleNamespace(task=n, complete=c) for n, c in enumerate(completed)]
        self.take(SimpleNamespace(collect=lambda: rows), number)

    def take(self, batch, number):
        """A batch that knows its rows itself."""
        try:
            self._on_batch(batch, number)
        except Exception as error:  # noqa: BLE001  # as Spark does
            self.fail(error)
            return
        offsets = f'{{"t": {{"0": {number + 1}}}}}'
        self.lastProgress = {
            "batchId": number,
            "durationMs": {"addBatch": 1},
            "sources": [{"endOffset": offsets}],
        }

    def fail(self, error):
        """It ends with that."""
        self._error, self.isActive = error, False

    def exception(self):
        """What it has ended with."""
        return self._error

    def stop(self):
        """The end."""
        self.isActive = False


class Batch:
    """A batch under way until it is given its rows."""

    def __init__(self):
        self.began, self.rows = threading.Event(), queue.Queue()

    def collect(self):
        """Its rows, once they are there."""
        self.began.set()
        return self.rows.get(timeout=10)


class Channel:
    """A line to a host that says what the test wants it to."""

    def __init__(self, *frames):
        self.sent, self._frames = [], iter(frames)

    def send(self, message):
        """Keep what the driver says."""
        content = to_frame(message)
        self.sent.append((content.pop("type"), content))

    def receive(self):
        """The next frame, or the end."""
        frame = next(self._frames, None)
        if frame is None:
            raise ChannelClosedError
        return from_frame(frame)


class PatientChannel(Channel):
    """A line to a host that says nothing before it is to end."""

    def __init__(self, *frames):
        super().__init__(*frames)
        self.ended = threading.Event()

    def send(self, message):
        """Listen for the end."""
        super().send(message)
        if isinstance(message, Dismissed | Stop):
            self.ended.set()

    def receive(self):
        """The next frame, after the end."""
        self.ended.wait(10)
        return super().receive()


class Stage:
    """A job with two tasks that runs."""

    def __init__(self, handover=None, *, paused=False):
        self.queries, self.heard, self.reached = [], [], {}
        self.handover = handover or Handover()
        plan = StreamPlan(self.handover, self._start, lambda _: self.reached)
        budget = CrashBudget(restarts=1, backoff_s=0.0)
        specs = [_spec(task, paused=paused) for task in range(2)]
        self.job = StreamJob("job", specs, plan, self._hear, budget=budget)
        self._thread = threading.Thread(target=self.job.run, daemon=True)
        self._thread.start()

    def _start(self, beginning, on_batch):
        self.queries.append(Query(on_batch))
        return self.queries[-1]

    def _hear(self, number, status):
        self.heard.append((number, status.state))

    def states(self, *expected):
        """Wait until the tasks are in these states; whether they are."""
        return self.job.wait_for(lambda tasks: tuple(t.state for t in tasks) == expected, 10)

    def converse(self, place, *frames, attempt=0, pid=7):
        """A host calls, says this, and hangs up; what it received."""
        channel = Channel(*frames)
        self.talk(place, channel, attempt=attempt, pid=pid)
        return [kind for kind, _ in channel.sent]

    def talk(self, place, channel, attempt=0, pid=7):
        """A host calls over this line."""
        hello = Hello("orders-1", place, attempt, 0, "", pid, "host:1")
        self.job.converse(place, hello, channel)

    def end(self):
        """Stop, and wait for the job's thread."""
        stopped = self.job.stop(1.0)
        self._thread.join(10)
        return stopped and not self._thread.is_alive()


def _spec(task, *, paused=False):
    return TaskSpec(
        paused=paused,
        connector="c",
        task=task,
        kind="sink",
        task_class=ClassReference("shop", "Shop"),
        version="1",
        location="",
        config={},
        bootstrap_servers="kafka:9",
        key_converter=REFERENCE,
        value_converter=REFERENCE,
        header_converter=REFERENCE,
    )


def _status(state, trace="", **counters):
    return {
        "type": "status",
        "state": state,
        "trace": trace,
        "counters": counters,
        "topics": {"t": 1},
    }


@pytest.fixture
def stage():
    """Ended after the test."""
    made = Stage()
    assert made.states("RUNNING", "RUNNING")
    yield made
    made.end()


@pytest.mark.slow
def test_a_job_runs_is_paused_and_ends(stage):
    """Batches wait while it is paused; the group receives what is committed."""
    stage.queries[0].run(0, True, True)
    stage.job.pause()
    paused = stage.states("PAUSED", "PAUSED")
    waiting = threading.Thread(target=stage.queries[0].run, args=(1, True, True))
    waiting.start()
    waiting.join(0.05)
    held = waiting.is_alive()
    stage.job.resume()
    waiting.join(10)

    received = stage.handover.hears({HOME: 2})
    stage.reached = {HOME: 3}  # by a batch that the query has not reported

    assert (paused, held, received, stage.end()) == (True, True, True, True)
    assert stage.states("STOPPED", "STOPPED")
    assert stage.handover.progress[-1] == {HOME: 3}


@pytest.mark.slow
def test_a_job_that_begins_paused_reads_nothing_before_it_is_resumed():
    """Its first batch waits, and its tasks are never RUNNING before."""
    stage = Stage(paused=True)
    paused = stage.states("PAUSED", "PAUSED")
    batch = Batch()
    reading = threading.Thread(target=stage.queries[0].take, args=(batch, 0))
    reading.start()
    reading.join(0.05)
    before = (batch.began.is_set(), [state for _, state in stage.heard])
    stage.job.resume()
    began = batch.began.wait(60)
    batch.rows.put([SimpleNamespace(task=n, complete=True) for n in range(2)])
    reading.join(60)

    assert (paused, before) == (True, (False, ["PAUSED", "PAUSED"]))
    assert (began, stage.states("RUNNING", "RUNNING"), stage.end()) == (True, True, True)


def test_a_task_receives_its_spec_and_is_counted_over_its_batches(stage):
    """Each batch has a process of its own."""
    stage.converse(0, _status("RUNNING", records=3), _status("STOPPED", records=5))
    received = stage.converse(0, _status("STOPPED", records=2), pid=8)

    assert received == ["spec"]
    assert stage.job.counters[0]["records"] == 7
    assert stage.job.statuses[0].topics == ("t",)
    assert stage.states("RUNNING", "RUNNING")


@pytest.mark.slow
def test_a_batch_that_a_stop_finishes_has_all_of_its_tasks(stage):
    """One that only comes then is let in: else what the others have done is done again."""
    batch = Batch()
    query = threading.Thread(target=stage.queries[0].take, args=(batch, 0))
    query.start()
    assert batch.began.wait(10)
    ending = threading.Thread(target=stage.job.stop, args=(40.0,))
    ending.start()
    time.sleep(0.1)

    late = stage.converse(1, _status("STOPPED", records=1))
    batch.rows.put([SimpleNamespace(task=0, complete=True), SimpleNamespace(task=1, complete=True)])
    query.join(10)
    ending.join(10)

    assert late == ["spec"]
    assert stage.queries[0].exception() is None
    assert stage.states("STOPPED", "STOPPED")


@pytest.mark.slow
def test_a_batch_that_takes_too_long_at_a_stop_gets_no_more_tasks(stage):
    """It had to end, and comes again."""
    batch, first = Batch(), PatientChannel(_status("STOPPED"))
    query = threading.Thread(target=stage.queries[0].take, args=(batch, 0))
    query.start()
    assert batch.began.wait(10)
    threading.Thread(target=stage.talk, args=(0, first), daemon=True).start()
    ending = threading.Thread(target=stage.job.stop, args=(0.4,))
    ending.start()
    assert first.ended.wait(10)

    late = stage.converse(1)
    batch.rows.put([SimpleNamespace(task=0, complete=False)])
    query.join(10)
    ending.join(10)

    assert late == ["dismissed"]
    assert stage.queries[0].exception() is not None


def test_a_task_that_fails_ends_the_query(stage):
    """Its status has the reason, that of the others where to look."""
    stage.converse(1, _status("FAILED", "the shop is closed"))
    stage.queries[0].run(0, True, False)

    assert stage.states("FAILED", "FAILED")
    other, failed = (status.trace for status in stage.job.statuses)
    assert failed == "the shop is closed"
    assert other.startswith("task 1 of this connector failed, and spark.engine=stream runs all")
    assert stage.queries[0].exception() is not None
    assert len(stage.queries) == 1


def test_a_batch_that_is_not_complete_is_not_done(stage):
    """The query ends without a commit, once the task's reason is known."""
    batch = threading.Thread(target=stage.queries[0].run, args=(0, True, False))
    batch.start()
    stage.converse(1, _status("FAILED", "the shop is closed"))
    batch.join(10)

    assert stage.queries[0].exception() is not None
    assert stage.queries[0].lastProgress is None


def test_a_process_that_dies_is_followed_by_another_until_the_budget_is_spent(stage):
    """Spark starts it again; after that the task fails with how it ended."""
    first = stage.converse(0, _status("RUNNING"))
    second = stage.converse(0, _status("RUNNING"), attempt=1, pid=8)
    third = stage.converse(0, attempt=2, pid=9)

    assert (first, second, third) == (["spec"], ["spec"], ["dismissed"])
    assert stage.states("FAILED", "FAILED")
    assert "task.crash.restarts.max allows 1 restarts" in stage.job.statuses[0].trace
    assert [status.last_exit for status in stage.job.statuses] == [Exit(), None]


@pytest.mark.slow
def test_a_query_that_breaks_is_started_again(stage):
    """As often as a task's process would be."""
    stage.queries[0].fail(RuntimeError("gone"))
    assert stage.job.wait_for(lambda _: len(stage.queries) == 2, 10)
    again = stage.states("RUNNING", "RUNNING")
    text = "SQLSTATE\nplugwright.errors.ConnectError: records of t-0 [0, 3) are gone\n at java"
    stage.queries[1].fail(RuntimeError(text))

    assert (again, stage.states("FAILED", "FAILED")) == (True, True)
    assert stage.job.statuses[0].trace == "records of t-0 [0, 3) are gone"


def test_a_job_whose_group_is_taken_does_not_begin():
    """The tasks fail with the reason."""
    stage = Stage(Handover(ConnectError("somebody is in the group", code="kafka.group-in-use")))

    assert stage.states("FAILED", "FAILED")
    assert "somebody is in the group" in stage.job.statuses[1].trace
    assert stage.end()


@pytest.mark.parametrize(
    ("progress", "committed"),
    [
        (None, False),
        ({"batchId": 6, "durationMs": {"addBatch": 1}}, False),
        ({"batchId": 7, "durationMs": {"latestOffset": 1}}, False),
        ({"batchId": 7, "durationMs": {"addBatch": 1}}, True),
        ({"batchId": 8, "durationMs": {"latestOffset": 1}}, True),
    ],
    ids=["nothing-reported", "the-one-before", "idle-before-it", "itself", "idle-after-it"],
)
def test_an_idle_query_does_not_speak_for_the_batch_that_comes_next(progress, committed):
    """Else a stop interrupts its commit, and all of it comes again."""
    assert is_committed(progress, 7) is committed
