"""One batch in the place of a group member: the sink loop over records that it is given."""

from __future__ import annotations

import pytest

from plugwright.converters import StringConverter
from plugwright.errors import ConnectError, RetriableError
from plugwright.record import TopicPartition
from plugwright.task import SinkTask
from plugwright.worker import (
    BatchConsumer,
    RecordCodec,
    SinkSettings,
    SinkTaskLoop,
    TaskControl,
    TaskIdentity,
)

T0, T1 = TopicPartition("t", 0), TopicPartition("t", 1)


class Message:
    """A record with a value."""

    def __init__(self, partition, offset):
        self._home, self._offset = ("t", partition), offset

    def topic(self):
        """Of all."""
        return self._home[0]

    def partition(self):
        """Of this one."""
        return self._home[1]

    def offset(self):
        """Of this one."""
        return self._offset

    def key(self):
        """None."""

    def value(self):
        """Partition and offset."""
        return f"{self._home[1]}:{self._offset}".encode()

    def timestamp(self):
        """None."""
        return 0, -1

    def headers(self):
        """None."""


class Sink(SinkTask):
    """Keeps what it was given."""

    def __init__(self):
        self.calls, self.values, self.durable = [], [], None
        self.on_open = self.on_put = lambda: None

    def version(self):
        """Any."""
        return "1"

    def start(self, props):
        """Ready."""
        self.calls.append("start")

    def open(self, partitions):
        """New ones."""
        self.calls.append(("open", *partitions))
        self.on_open()

    def put(self, records):
        """Keep them."""
        self.on_put()
        self.values += [record.value for record in records]

    def pre_commit(self, offsets):
        """What is durable."""
        self.calls.append("pre_commit")
        return offsets if self.durable is None else self.durable

    def close(self, partitions):
        """Gone ones."""
        self.calls.append(("close", *partitions))

    def stop(self):
        """The end."""
        self.calls.append("stop")


class Outcome:
    """What the loop tells."""

    def __init__(self):
        self.error, self.states = None, []

    def running(self):
        """It runs."""
        self.states.append("running")

    def paused(self):
        """It holds."""
        self.states.append("paused")

    def stopped(self):
        """It has ended."""
        self.states.append("stopped")

    def failed(self, error):
        """It has failed."""
        self.error = error


def _run(sink, messages, *, starts=None, patience_s=0.0):
    control, outcome = TaskControl(), Outcome()
    chunks = [messages[:3], messages[3:]]
    consumer = BatchConsumer(iter(chunks), control, starts=starts, patience_s=patience_s)
    converter = StringConverter()
    converter.configure({}, is_key=False)
    loop = SinkTaskLoop(
        sink,
        identity=TaskIdentity("c", 0, "Sink", "1", "", lambda _: None),
        configs={},
        topics=("t",),
        codec=RecordCodec(converter, converter, converter),
        consumer=consumer,
        control=control,
        status=outcome,
        settings=SinkSettings(),
    )
    consumer.request_commit = loop.request_commit
    loop.run()
    return consumer, outcome


MESSAGES = [Message(0, 5), Message(0, 6), Message(1, 2), Message(0, 9), Message(1, 3)]
ALL = ["0:5", "0:6", "1:2", "0:9", "1:3"]


def test_a_batch_is_put_committed_and_closed():
    """Partitions are opened as they come; the loop ends once all is durable."""
    sink = Sink()

    consumer, outcome = _run(sink, MESSAGES)

    assert (sink.values, consumer.complete, outcome.error) == (ALL, True, None)
    assert sink.calls[:4] == ["start", ("open", T0), ("open", T1), "pre_commit"]
    assert sink.calls[-2:] == [("close", T0, T1), "stop"]
    assert outcome.states == ["running", "stopped"]


def test_a_batch_that_is_not_durable_in_time_is_not_complete():
    """The error says how far the task is, and what else would run it."""
    sink = Sink()
    sink.durable = {T0: 7}

    consumer, outcome = _run(sink, MESSAGES)

    assert not consumer.complete
    assert (outcome.error.code, str(outcome.error)) == (
        "stream.not-durable",
        (
            "pre_commit says that t-0 is durable up to 7, not up to 10, 0 s after the end of a "
            "batch, which can only be done as a whole"
        ),
    )
    assert "spark.engine=resident" in outcome.error.hint


def test_one_record_that_is_not_durable_is_enough():
    """Its batch is not done."""
    sink = Sink()
    sink.durable = {T0: 9, T1: 4}

    consumer, outcome = _run(sink, MESSAGES)

    assert (consumer.complete, outcome.error.facts["offset"]) == (False, 10)


def test_a_task_can_go_to_what_it_has_not_been_given():
    """What lies before is passed over."""
    sink = Sink()
    sink.on_open = lambda: sink.context.offset({T0: 650})

    consumer, _ = _run(sink, [Message(0, n) for n in range(700)])

    assert sink.values == [f"0:{n}" for n in range(650, 700)]
    assert consumer.complete


def test_a_batch_is_put_again_where_the_task_asks_for_it():
    """The loop pauses the batch meanwhile."""
    sink, failures = Sink(), iter([RetriableError("busy")])

    def busy():
        if (error := next(failures, None)) is not None:
            sink.context.timeout(1)
            raise error

    sink.on_put = busy
    consumer, _ = _run(sink, MESSAGES)

    assert (sink.values, consumer.complete) == (ALL, True)


@pytest.mark.parametrize(
    ("offset", "expected"),
    [(5, ALL), (6, ["1:2", "1:3", "0:6", "0:9"]), (8, ["1:2", "1:3", "0:9"]), (10, ["1:2", "1:3"])],
)
def test_a_task_goes_on_where_its_target_is(offset, expected):
    """Records before that offset are not put: the target has them, which makes it exactly once."""
    sink = Sink()
    sink.on_open = lambda: sink.context.offset({T0: offset}) if T0 in sink.calls[-1] else None

    consumer, _ = _run(sink, MESSAGES)

    assert (sorted(sink.values), consumer.complete) == (sorted(expected), True)


@pytest.mark.parametrize(("start", "fails"), [(4, True), (3, False), (None, False)])
def test_a_task_cannot_go_back_behind_the_batch(start, fails):
    """A gap before the first record belongs to the batch."""
    sink = Sink()
    sink.on_open = lambda: sink.context.offset({T0: 3}) if T0 in sink.calls[-1] else None

    consumer, outcome = _run(sink, MESSAGES, starts=None if start is None else {T0: start})

    assert (getattr(outcome.error, "code", None) == "stream.rewind") == fails
    assert consumer.complete != fails


@pytest.mark.slow
def test_a_partition_that_the_task_has_paused_waits():
    """The others go on, and the batch ends after it was resumed."""
    sink, seen = Sink(), []

    def steer():
        seen.append(len(sink.values))
        if len(seen) == 1:
            sink.context.pause(T0)
        if len(seen) == 4:
            sink.context.resume(T0)

    sink.on_put = steer
    consumer, outcome = _run(sink, MESSAGES + [Message(0, n) for n in range(10, 700)])

    assert outcome.error is None
    assert (len(sink.values), consumer.complete) == (695, True)
    assert [v for v in sink.values if v[0] == "0"] == [
        "0:5",
        "0:6",
        "0:9",
        *(f"0:{n}" for n in range(10, 700)),
    ]


def test_a_loop_that_was_stopped_has_not_done_its_batch():
    """Whoever gave it gives it again."""
    sink = Sink()

    def stop():
        raise ConnectError("full")

    sink.on_put = stop
    consumer, outcome = _run(sink, MESSAGES)

    assert (consumer.complete, str(outcome.error)) == (False, "Sink 1 failed in put: full")
