"""One batch in the place of a group member: the sink loop over records that it is given."""

from __future__ import annotations

import pytest

from plugwright.converters import StringConverter
from plugwright.errors import ConnectError, RetriableError
from plugwright.record import TopicPartition
from plugwright.task import BatchIdentity, IdempotentSinkTask, SinkTask
from plugwright.worker import (
    BatchConsumer,
    BatchTerms,
    Conversion,
    ErrorSettings,
    RecordCodec,
    SinkClients,
    SinkSettings,
    SinkTaskLoop,
    TaskControl,
    TaskEnvironment,
    TaskIdentity,
    WholeBatchTask,
)

T0, T1 = TopicPartition("t", 0), TopicPartition("t", 1)
BATCH = BatchIdentity("q-2", 4, 1)


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
        self.given = records
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


def _run(sink, messages, *, starts=None, patience_s=0.0, errors=None):
    control, outcome = TaskControl(), Outcome()
    chunks = [messages[:3], messages[3:]]
    consumer = BatchConsumer(iter(chunks), control, starts=starts, terms=BatchTerms(patience_s))
    identity = TaskIdentity("c", 0, "Sink", "1", "", lambda _: None)
    loop_task = sink
    if isinstance(sink, IdempotentSinkTask):
        sink.control = control
        loop_task = WholeBatchTask(sink, BATCH, consumer, identity)
    converter = StringConverter()
    converter.configure({}, is_key=False)
    loop = SinkTaskLoop(
        loop_task,
        TaskEnvironment(
            identity=identity,
            configs={},
            conversion=Conversion(RecordCodec(converter, converter, converter)),
            control=control,
            status=outcome,
        ),
        SinkClients(consumer, ("t",)),
        settings=SinkSettings(errors=errors or ErrorSettings()),
        task_class="shop.Sink",
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
            "0 s after the end of a batch, pre_commit reports t-0 durable up to 7 instead of 10; a "
            "batch can only be completed as a whole"
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


class Listener:
    """Does nothing with its partitions."""

    def assigned(self, partitions):
        """New ones."""


def _given(*homes):
    consumer = BatchConsumer(iter([[Message(*each) for each in homes]]), TaskControl())
    consumer.subscribe(["t"], Listener())
    return consumer


def _polled(consumer, most):
    return [(each.partition(), each.offset()) for each in consumer.poll(most, 0.0)]


def test_a_paused_partition_is_passed_over_and_is_in_order_later():
    """However many of its records are in front of another's."""
    consumer = _given((0, 0), (1, 0), (0, 1), (0, 2), (1, 1))

    begun = _polled(consumer, 2)
    consumer.pause([T0])
    passed = _polled(consumer, 1)
    consumer.resume([T0])

    assert (begun, passed) == ([(0, 0), (1, 0)], [(1, 1)])
    assert _polled(consumer, 5) == [(0, 1), (0, 2)]


def test_what_is_durable_says_nothing_of_records_whose_numbers_go_back():
    """Rows may have the offsets of a topic in any order; the last ones are asked about, too."""
    consumer = _given((0, 5), (0, 1))
    consumer.poll(1, 0.0)
    consumer.commit({T0: 6})
    consumer.poll(1, 0.0)

    consumer.poll(1, 0.0)
    complete = [consumer.complete]
    consumer.commit({T0: 2})
    consumer.poll(1, 0.0)

    assert [*complete, consumer.complete] == [False, True]


def test_a_task_cannot_go_back_to_what_is_not_kept_any_more(monkeypatch):
    """Only the last records of a batch are."""
    monkeypatch.setattr("plugwright.worker._batch_consumer._REMEMBERED", 2)
    consumer = _given((0, 0), (0, 1), (0, 2), (1, 0))
    for _ in range(2):
        consumer.poll(2, 0.0)

    with pytest.raises(ConnectError, match="records before 2 are no longer buffered"):
        consumer.seek(T0, 1)
    consumer.seek(T0, 2)

    assert _polled(consumer, 5) == [(0, 2)]


def test_a_loop_that_was_stopped_has_not_done_its_batch():
    """Its sender sends it again."""
    sink = Sink()

    def stop():
        raise ConnectError("full")

    sink.on_put = stop
    consumer, outcome = _run(sink, MESSAGES)

    assert (consumer.complete, str(outcome.error)) == (False, "Sink 1 failed in put: full")


class Ledger(Sink, IdempotentSinkTask):
    """Writes batches whole, unless it has them."""

    def __init__(self, answers=(True,)):
        super().__init__()
        self.answers, self.written, self.on_flush = iter(answers), [], lambda: None

    def begin_batch(self, identity):
        """What was put before is void."""
        self.calls.append(("begin", identity))
        self.values = []
        answer = next(self.answers)
        if isinstance(answer, Exception):
            raise answer
        return answer

    def flush(self, offsets):
        """Write what was put."""
        self.calls.append(("flush", dict(offsets)))
        self.on_flush()
        self.written += self.values

    pre_commit = SinkTask.pre_commit


ENDS = {T0: 10, T1: 4}


def _raising(*errors):
    left = iter(errors)

    def step():
        if (error := next(left, None)) is not None:
            raise error

    return step


def test_an_idempotent_task_receives_its_batch_and_is_flushed_once():
    """After its partitions are open, before the first put; at the end of all of it."""
    sink = Ledger()

    consumer, outcome = _run(sink, MESSAGES)

    assert (sink.written, consumer.complete, outcome.error) == (ALL, True, None)
    assert sink.calls == [
        "start",
        ("open", T0),
        ("open", T1),
        ("begin", BATCH),
        ("flush", ENDS),
        ("close", T0, T1),
        "stop",
    ]


def test_a_batch_that_an_idempotent_task_has_is_done_without_a_record():
    """Nothing is converted, so that no record goes to a dead-letter queue again."""
    sink = Ledger(answers=[False])

    consumer, outcome = _run(sink, [*MESSAGES, Message(0, 10)])

    assert (sink.values, sink.written, consumer.complete) == ([], [], True)
    assert outcome.states == ["running", "stopped"]
    assert ("begin", BATCH) in sink.calls


@pytest.mark.parametrize("way", ["commit", "pause", "stop", "fail", "go back"])
def test_half_a_batch_of_an_idempotent_task_is_never_made_durable(way):
    """Repeated, it would be taken for the whole, whatever has the loop commit."""
    sink = Ledger()

    def half():
        if 0 < len(sink.values) < 700 and not sink.calls.count(way):
            sink.calls.append(way)
            _disturb(sink, way)

    sink.on_put = half
    consumer, _ = _run(sink, [Message(0, n) for n in range(1200)])

    flushed = [call[1] for call in sink.calls if call[0] == "flush"]
    assert way in sink.calls
    assert (flushed, consumer.complete) in [([], False), ([{T0: 1200}], True)]
    assert consumer.complete == (way not in {"stop", "fail"})


def _disturb(sink, way):
    if way == "commit":
        sink.context.request_commit()
    elif way == "pause":
        sink.control.pause()
        sink.control.resume()
        sink.context.request_commit()
    elif way == "stop":
        sink.control.stop()
    elif way == "fail":
        raise ConnectError("full")
    else:
        sink.context.offset({T0: 100})
        sink.context.request_commit()


def test_a_batch_of_an_idempotent_task_that_fails_to_flush_comes_again():
    """It is asked whether the batch is wanted still: what has failed may have been written."""
    again, lost = Ledger([True, True]), Ledger([True, False])
    again.on_flush, lost.on_flush = _raising(OSError("full")), _raising(OSError("no answer"))

    consumers = [_run(sink, MESSAGES, patience_s=5.0)[0] for sink in (again, lost)]

    assert [consumer.complete for consumer in consumers] == [True, True]
    assert (sorted(again.written), lost.written) == (sorted(ALL), [])
    assert [call[0] for call in again.calls].count("begin") == 2


@pytest.mark.slow
def test_an_idempotent_task_is_asked_again_where_it_asks_for_that():
    """In begin_batch and in flush; no record is put twice."""
    sink = Ledger([RetriableError("busy"), True])
    sink.on_flush = _raising(RetriableError("busy"))

    consumer, outcome = _run(sink, MESSAGES, patience_s=5.0)

    assert (outcome.error, consumer.complete, sink.written) == (None, True, ALL)


def test_an_idempotent_task_that_fails_in_begin_batch_fails():
    """The error says where."""
    _, outcome = _run(Ledger([OSError("no answer")]), MESSAGES)

    assert str(outcome.error) == "Sink 1 failed in begin_batch: no answer"


def test_an_idempotent_task_that_cannot_be_opened_is_not_asked():
    """Its error is that of open."""
    sink = Ledger()
    sink.on_open = _raising(OSError("closed"))

    _, outcome = _run(sink, MESSAGES)

    assert str(outcome.error) == "Sink 1 failed in open: closed"
    assert ("begin", BATCH) not in sink.calls


@pytest.mark.slow
def test_what_a_paused_partition_holds_back_belongs_to_the_batch():
    """The rest is not made durable without it."""
    sink, puts = Ledger(), []

    def hold():
        puts.append(len(sink.values))
        sink.context.request_commit()
        if len(puts) == 1:
            sink.context.pause(T1)
        elif len(puts) == 5:
            sink.context.resume(T1)

    sink.on_put = hold
    messages = [Message(1, 0), *(Message(0, n) for n in range(700)), Message(1, 1)]
    consumer, _ = _run(sink, messages)

    assert [call for call in sink.calls if call[0] == "flush"] == [("flush", {T0: 700, T1: 2})]
    assert (len(sink.written), consumer.complete) == (702, True)


def test_what_waits_to_be_put_again_belongs_to_the_batch():
    """A task that is stopped meanwhile has nothing durable."""
    sink = Ledger()

    def busy():
        if sink.values:
            sink.control.stop()
            raise RetriableError("busy")

    sink.on_put = busy
    consumer, _ = _run(sink, [Message(0, n) for n in range(700)])

    assert (len(sink.values), sink.written, consumer.complete) == (500, [], False)


def test_what_an_idempotent_task_reports_is_reported_in_its_name(caplog):
    """Not in that of what stands in front of it (KIP-610)."""
    sink = Ledger()

    def report():
        for record in sink.given[:1]:
            sink.context.errant_record_reporter().report(record, ValueError("odd"))

    sink.on_put = report
    consumer, _ = _run(sink, MESSAGES, errors=ErrorSettings(tolerate_all=True, log=True))

    assert consumer.complete
    assert "shop.Sink" in caplog.text
