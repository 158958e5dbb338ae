"""Records that fail on their way into a sink task, or in it, and the queue they go to."""

from __future__ import annotations

from concurrent.futures import Future
from dataclasses import replace

import pytest
from tests.runtime.worker.fakes import FakeProducer, Message
from tests.runtime.worker.picky import ALL, T0, Picky, serve_when_waiting, sink_rig
from tests.runtime.worker.rigs import CODEC

from plugwright.errors import ConnectError, RetriableError
from plugwright.record import SinkRecord, TopicPartition
from plugwright.worker import ErrorSettings

T1 = TopicPartition("t", 1)
QUEUE = ErrorSettings(tolerate_all=True, dead_letter_topic="dlq")


def _put(rig):
    return [values for values in rig.said("put") if values]


def test_a_tolerated_record_is_not_put_and_its_offset_counts():
    """Sinks differ from sources here: the group moves past it."""
    rig = sink_rig("a", "b", "c", converters={"value": Picky(a=1, c=1)})
    rig.run(rig.assign(T0))
    assert (_put(rig), rig.consumer.group) == ([["b"]], {T0: 3})
    assert rig.loop.counters.errors.records_skipped == 2


def test_an_untolerated_record_fails_the_task_before_its_poll_is_put():
    """The group stays before it."""
    rig = sink_rig("a", "b", errors=ErrorSettings(), converters={"value": Picky(b=1)})
    rig.run(rig.assign(T0))
    assert (_put(rig), rig.consumer.group, rig.status.states[-1]) == ([], {}, "FAILED")


@pytest.mark.parametrize("part", ["key", "value", "header"])
def test_a_retriable_failure_repeats_the_failed_converter_only(part):
    """Order in Kafka: key, value, headers."""
    names = {"key": "k", "value": "v", "header": "h"}
    picky = {name: Picky(RetriableError("away")) for name in names}
    picky[part].failures = {names[part]: 2}
    rig = sink_rig(errors=ErrorSettings(retry_timeout_s=60), converters=picky)
    rig.consumer.log[T0].append(Message(("t", 0, 0), b"v", b"k", [("x", b"h")]))
    rig.run(rig.assign(T0))
    assert [len(picky[name].asked) for name in names] == [3 if n == part else 1 for n in names]
    assert _put(rig) == [["v"]]


def test_a_failed_key_leaves_value_and_header_alone():
    """Later operations of a failed record do not run."""
    key, value = Picky(k=1), Picky()
    rig = sink_rig(converters={"key": key, "value": value})
    rig.consumer.log[T0].append(Message(("t", 0, 0), b"v", b"k"))
    rig.run(rig.assign(T0))
    assert (key.asked, value.asked) == ([b"k"], [])


def test_converters_and_transformations_may_fail_in_one_batch():
    """Each record keeps its own fate, and its own message in the queue."""

    def transform(record):
        if record.value == "d":
            raise ValueError("bad")
        return None if record.value == "e" else record

    producer = FakeProducer()
    rig = sink_rig(
        *"abcdef",
        errors=QUEUE,
        transform=transform,
        producer=producer,
        converters={"value": Picky(b=1)},
    )
    producer.prompt = True
    serve_when_waiting(producer)
    rig.run(rig.assign(T0))
    assert _put(rig) == [["a", "c", "f"]]
    assert rig.consumer.group == {T0: 6}
    assert producer.topic == ["b", "d"]


def test_a_stop_during_retries_leaves_the_record_to_the_next_member():
    """Neither put nor skipped; what was put before is committed."""
    rig = sink_rig("a", errors=ErrorSettings(True, retry_timeout_s=-1))
    rig.loop._pipeline._codec = replace(CODEC, value=Picky(RetriableError("away"), b=99))
    rig.control.waits.append(rig.control.stop)
    rig.run(rig.assign(T0), rig.idle, rig.produce(T0, "b"), rig.idle)
    assert (_put(rig), rig.consumer.group, rig.status.states[-1]) == ([["a"]], {T0: 1}, "STOPPED")


def test_offsets_wait_for_the_queue():
    """A record that is in neither place would be lost."""
    producer = FakeProducer()
    rig = sink_rig(
        "a",
        "b",
        errors=QUEUE,
        producer=producer,
        converters={"value": Picky(b=1)},
        flush_timeout_s=0.0,
    )
    seen = []
    rig.run(
        rig.assign(T0),
        rig.interval,
        lambda: seen.append(dict(rig.consumer.group)),
        lambda: producer.acknowledge() or producer.serve(),
        rig.interval,
        lambda: seen.append(dict(rig.consumer.group)),
    )
    assert seen == [{}, {T0: 2}]
    assert rig.loop.counters.commit_failures == 1


def test_a_letter_that_gets_lost_is_counted_and_blocks_nothing(caplog):
    """Kafka's rule for converters and transformations."""
    producer = FakeProducer()
    producer.refused = {b"b"}
    rig = sink_rig("a", "b", errors=QUEUE, producer=producer, converters={"value": Picky(b=1)})
    rig.run(rig.assign(T0))
    assert (rig.consumer.group, rig.loop.counters.errors.dead_letter_failures) == ({T0: 2}, 1)


class Reporting:
    """A put that reports the records of some values."""

    def __init__(self, *values, swallow=False, changed=None):
        self.values, self.swallow, self.changed = values, swallow, changed
        self.futures = []

    def __call__(self, records):
        """Report."""
        reporter = self.task.context.errant_record_reporter()
        for record in records:
            if record.value in self.values:
                self._report(reporter, self.changed(record) if self.changed else record)

    def _report(self, reporter, record):
        try:
            self.futures.append(reporter.report(record, ValueError("too heavy")))
        except ConnectError:
            if not self.swallow:
                raise


def _reporting(rig, *values, **options):
    put = Reporting(*values, **options)
    put.task, rig.task.put = rig.task, put
    return put


@pytest.mark.parametrize(
    ("errors", "listens"),
    [
        (ErrorSettings(), False),
        (ALL, False),
        (ErrorSettings(log=True), True),
        (QUEUE, True),
    ],
    ids=["nothing", "tolerance-alone", "log", "queue"],
)
def test_there_is_a_reporter_if_anyone_listens(errors, listens):
    """A log or a queue (KIP-610)."""
    rig = sink_rig(errors=errors, producer=FakeProducer()).run()
    assert (rig.task.context.errant_record_reporter() is not None) is listens


def test_a_reported_record_goes_to_the_queue_as_it_was_consumed():
    """Whatever transformations made of it."""
    producer = FakeProducer()
    headers = replace(QUEUE, dead_letter_headers=True)
    upper = lambda record: record.new_record(value=record.value.upper())  # noqa: E731  # short
    rig = sink_rig(
        "a", "b", errors=headers, transform=upper, producer=producer, flush_timeout_s=0.0
    )
    _reporting(rig, "B")
    rig.run(rig.assign(T0))
    (letter,) = producer.in_flight
    shown = dict(letter[4])
    assert (letter[0], letter[3]) == ("dlq", b"b")
    assert shown["__connect.errors.stage"] == b"TASK_PUT"
    assert shown["__connect.errors.offset"] == b"1"
    assert shown["__connect.errors.class.name"].endswith(b"RecordingSink")


def test_a_copy_of_a_record_is_known_as_well():
    """new_record keeps what was consumed."""
    producer = FakeProducer()
    rig = sink_rig("a", errors=QUEUE, producer=producer, flush_timeout_s=0.0)
    _reporting(rig, "a", changed=lambda record: record.new_record(value="other"))
    rig.run(rig.assign(T0))
    assert producer.in_flight[0][3] == b"a"


def test_a_record_of_the_tasks_own_making_is_serialized_again():
    """Kafka does the same with records it does not know."""
    producer = FakeProducer()
    rig = sink_rig("a", errors=QUEUE, producer=producer, flush_timeout_s=0.0)
    made = lambda record: SinkRecord("t", 0, None, "k", None, "made", 9, 77)  # noqa: E731  # short
    _reporting(rig, "a", changed=made)
    rig.run(rig.assign(T0))
    assert producer.in_flight[0][:6] == ("dlq", None, b"k", b"made", None, 77)


def test_offsets_wait_for_reported_records():
    """KIP-610: outstanding futures first."""
    producer = FakeProducer()
    rig = sink_rig("a", errors=QUEUE, producer=producer, flush_timeout_s=0.0)
    put = _reporting(rig, "a")
    seen = []
    rig.run(
        rig.assign(T0),
        rig.interval,
        lambda: seen.append((put.futures[0].done(), dict(rig.consumer.group))),
        lambda: producer.acknowledge() or producer.serve(),
        rig.interval,
        lambda: seen.append((put.futures[0].done(), dict(rig.consumer.group))),
    )
    assert seen == [(False, {}), (True, {T0: 1})]


def test_a_reported_record_that_gets_lost_fails_the_task():
    """Unlike a converter's: the task was promised that it is safe."""
    producer = FakeProducer()
    producer.refused = {b"a"}
    rig = sink_rig("a", errors=QUEUE, producer=producer)
    _reporting(rig, "a")
    rig.run(rig.assign(T0), rig.interval, rig.idle)
    assert rig.status.error.code == "kafka.dead-letter-refused"
    assert rig.consumer.group == {}


def test_without_tolerance_a_report_raises():
    """And the record was reported before."""
    rig = sink_rig("a", errors=ErrorSettings(log=True))
    _reporting(rig, "a")
    rig.run(rig.assign(T0))
    assert "Tolerance exceeded" in str(rig.status.error)
    assert rig.loop.counters.errors.errors_logged == 1


def test_without_tolerance_a_report_fails_the_task_even_if_it_looks_away():
    """Kafka raises it after put has returned; nothing is committed."""
    rig = sink_rig("a", errors=ErrorSettings(log=True))
    _reporting(rig, "a", swallow=True)
    rig.run(rig.assign(T0))
    assert "Tolerance exceeded" in str(rig.status.error)
    assert rig.consumer.group == {}


def test_a_refused_report_is_not_forgotten_over_a_retry():
    """The task may not escape by asking for the batch again."""
    rig = sink_rig("a", errors=ErrorSettings(log=True))
    put = _reporting(rig, "a", swallow=True)

    def again(records):
        put(records)
        raise RetriableError("later")

    rig.task.put = again
    rig.run(rig.assign(T0))
    assert "Tolerance exceeded" in str(rig.status.error)


def test_a_report_to_the_log_alone_is_done_at_once():
    """There is nothing to wait for."""
    rig = sink_rig("a", errors=ErrorSettings(True, log=True))
    put = _reporting(rig, "a")
    rig.run(rig.assign(T0))
    assert isinstance(put.futures[0], Future)
    assert (put.futures[0].done(), rig.consumer.group) == (True, {T0: 1})


def test_records_remember_nothing_unless_someone_listens():
    """The happy path keeps its memory."""
    taken = []
    rig = sink_rig("a")
    rig.task.put = taken.extend
    rig.run(rig.assign(T0))
    assert not hasattr(taken[0], "_consumed")
