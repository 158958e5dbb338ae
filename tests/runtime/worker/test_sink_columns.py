"""A task that takes columns sees and causes the same as one that takes records."""

from __future__ import annotations

from collections import deque

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.runtime.worker.fakes import FakeProducer, Message
from tests.runtime.worker.rigs import CODEC, RecordingSink, SinkRig

from plugwright import STRING_SCHEMA, SinkColumns, SinkRecord, TopicPartition
from plugwright.converters import JsonConverter, StringConverter
from plugwright.errors import DataError, RetriableError
from plugwright.record import TimestampType
from plugwright.worker import ErrorSettings, RecordCodec

T0, T1, U0 = TopicPartition("t", 0), TopicPartition("t", 1), TopicPartition("u", 0)
ROW = ("topic", "kafka_partition", "key_schema", "key", "value_schema", "value", "kafka_offset")


def _rows(records):
    return [
        (*(getattr(record, name) for name in ROW), record.timestamp, str(record.headers))
        for record in records
    ]


def _original(part):
    home = part.original_topic, part.original_kafka_partition
    return [(*home, offset) for offset in part.original_kafka_offsets]


class ByRecord(RecordingSink):
    """Takes records; reports values that begin with ``bad``, and has ``plan['fails']`` fail."""

    def __init__(self, calls, plan):
        super().__init__(calls, {})
        self._fails = deque(plan.get("fails", ()))
        self._seeks = deque(plan.get("seeks", ()))

    def put(self, records):
        """Take them."""
        self.take(_rows(records), records)

    def take(self, rows, records):
        """Note the rows, then do what is planned."""
        self.calls.append(("put", rows))
        if rows and self._fails and self._fails.popleft():
            raise RetriableError("not now")
        if rows and self._seeks and (seek := self._seeks.popleft()) is not None:
            self.context.offset({T0: seek})
        for record in records:
            if str(record.value).lower().startswith("bad"):
                reporter = self.context.errant_record_reporter()
                if reporter is None:
                    raise DataError(f"cannot take {record.value}")
                reporter.report(record, DataError("bad"))


class ByColumn(ByRecord):
    """Takes columns."""

    def put(self, records):
        """Not wanted."""
        raise AssertionError(f"put is called with {records}")

    def put_batch(self, batch):
        """Take the columns: rows are made of them, headers of the records."""
        rows = []
        for part in batch:
            assert _original(part) == [
                (each.original_topic, each.original_kafka_partition, each.original_kafka_offset)
                for each in part.records()
            ]
            assert len(part) == len(part.keys) == len(part.values) == len(part.records()) > 0
            shared = part.topic, part.kafka_partition, part.key_schema
            columns = part.keys, part.values, part.kafka_offsets, part.timestamps, part.records()
            rows += [
                (*shared, key, part.value_schema, value, offset, timestamp, str(record.headers))
                for key, value, offset, timestamp, record in zip(*columns, strict=True)
            ]
        records = [record for part in batch for record in part.records()]
        assert _rows(records) == rows
        self.take(rows, records)
        for part in batch:  # the batch that comes again is not spoilt
            part.values[:] = part.keys[:] = []


class Letters(FakeProducer):
    """The producer of a dead-letter queue, which has every record at once."""

    def send(self, batch):
        """Acknowledge."""
        super().send(batch)
        self.acknowledge()
        self.serve()


def _lived(task_class, case):
    """What a task is called with, what is committed, reported and counted."""
    letters = Letters()
    errors = ErrorSettings(
        tolerate_all=case["tolerates"], dead_letter_topic="dlq" if case["letters"] else ""
    )
    transform = {"": None, "drops": _without_c, "renames": _renamed}[case["transform"]]
    rig = SinkRig(
        task_class=task_class,
        errors=errors,
        dead_letters=letters if case["letters"] else None,
        transform=transform,
        max_poll_records=case["size"],
        codec=CODEC if case["strings"] else JSON,
        fails=case["fails"],
        seeks=case["seeks"],
    )
    for partition, parts in case["messages"]:
        log = rig.consumer.log[partition]
        log.append(Message((*partition, len(log)), *parts))
    moves = {
        "interval": rig.interval,
        "revoke": lambda: T1 in rig.consumer.next_offsets and rig.consumer.revoke(T1),
        "lose": lambda: T1 in rig.consumer.next_offsets and rig.consumer.lose(T1),
        "assign": lambda: T1 in rig.consumer.next_offsets or rig.consumer.assign(T1),
        "idle": rig.idle,
    }
    rig.run(rig.assign(T0, T1, U0), *(moves[each] for each in case["moves"]))
    counters = rig.loop.counters
    return {
        "calls": rig.calls,
        "group": rig.consumer.group,
        "commits": rig.consumer.commits,
        "seeks": rig.consumer.seeks,
        "states": rig.status.states,
        "failure": str(rig.status.error),
        "letters": letters.topic,
        "counts": (counters.polled, counters.records, counters.batches, counters.retries),
        "failed": counters.errors.record_failures,
    }


def _without_c(record):
    return None if record.value == "c" else record


def _renamed(record):
    return record.new_record(topic="v", kafka_partition=5) if record.value == "a" else record


JSON = RecordCodec(CODEC.key, JsonConverter(), CODEC.header)
_SCHEMAED = b'{"schema":{"type":"int32","optional":false},"payload":7}'
_MESSAGES = st.lists(
    st.tuples(
        st.sampled_from([T0, T0, T0, T1, U0]),
        st.tuples(
            st.sampled_from([b"a", b"b", b"c", b"", None, b"\xff", b"bad", b"{}", _SCHEMAED]),
            st.sampled_from([None, None, b"k", b"\xfe"]),
            st.sampled_from([None, None, None, None, [("h", b"1")], [("h", b"\xff")]]),
            st.sampled_from([(1, 5), (2, 6), (0, -1)]),
        ),
    ),
    max_size=30,
)
_CASES = st.fixed_dictionaries(
    {
        "messages": _MESSAGES,
        "tolerates": st.sampled_from([True, True, False]),
        "letters": st.booleans(),
        "transform": st.sampled_from(["", "", "", "drops", "renames"]),
        "strings": st.sampled_from([True, True, False]),
        "size": st.sampled_from([1, 3, 500]),
        "fails": st.lists(st.booleans(), max_size=6),
        "seeks": st.lists(st.sampled_from([None, None, 0, 2]), max_size=4),
        "moves": st.lists(
            st.sampled_from(["idle", "idle", "interval", "revoke", "lose", "assign"]), max_size=15
        ),
    }
)


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(_CASES)
def test_both_ways_are_the_same(case):
    """Rows, retries, seeks, rebalances, commits, failures, letters and figures."""
    assert _lived(ByColumn, case) == _lived(ByRecord, case)


class AfterAll(ByColumn):
    """Overrides ``put`` of a task with columns."""

    def put(self, records):
        """Take records after all."""
        self.calls.append(("value", [record.value for record in records]))


def test_an_overridden_put_is_called():
    """The subclass knows nothing of columns, and what it does must not be passed over."""
    rig = SinkRig(task_class=AfterAll)
    rig.consumer.produce(T0, "a", "b")
    rig.run(rig.assign(T0))
    assert [values for values in rig.said("value") if values] == [["a", "b"]]


class Shouted(StringConverter):
    """Reads capitals, which it would write as they are."""

    def read_column(self, data):
        """Read them."""
        return None, [text.decode().upper() for text in data]


def test_a_reported_record_is_what_kafka_had():
    """Not what the converter makes of it once more (KIP-610)."""
    letters = Letters()
    rig = SinkRig(
        task_class=ByColumn,
        codec=RecordCodec(CODEC.key, Shouted(), CODEC.header),
        errors=ErrorSettings(tolerate_all=True, dead_letter_topic="dlq"),
        dead_letters=letters,
    )
    rig.consumer.produce(T0, "bad")
    rig.run(rig.assign(T0))
    assert (rig.said("put")[0][0][5], letters.topic) == ("BAD", ["bad"])


def test_consumed_columns_build_no_record_unless_asked(monkeypatch):
    """This is what columns are for."""

    def refuse(*_):
        raise AssertionError("a record is built")

    class Values(RecordingSink):
        def put_batch(self, batch):
            self.calls.extend(("value", value) for part in batch for value in part.values)

    rig = SinkRig(task_class=Values)
    rig.consumer.produce(T0, "a", "b")
    rig.consumer.produce(T1, "c")
    monkeypatch.setattr(SinkRecord, "__init__", refuse)
    rig.run(rig.assign(T0, T1))
    assert rig.said("value") == ["a", "b", "c"]
    assert rig.consumer.group == {T0: 2, T1: 1}


@pytest.mark.parametrize("name", ["topic", "kafka_partition", "key_schema", "value_schema"])
def test_a_part_ends_where_records_differ(name):
    """In topic, partition or one of the schemas; otherwise it goes on."""
    schema = STRING_SCHEMA
    records = [
        SinkRecord("t", 0, schema, f"k{n}", schema, f"v{n}", n, 10 + n, TimestampType.CREATE_TIME)
        for n in range(4)
    ]
    other = {"topic": "u", "kafka_partition": 3}.get(name)
    records[2] = records[2].new_record(**{name: other})
    first, second, third = SinkColumns.of(records)
    assert (first.keys, first.values) == (["k0", "k1"], ["v0", "v1"])
    assert (first.kafka_offsets, first.timestamps) == ([0, 1], [10, 11])
    assert (second.values, getattr(second, name)) == (["v2"], other)
    assert (len(third), list(third.records())) == (1, records[3:])
    assert SinkColumns.of([]) == []
