"""Transformations in the loops: what they change is passed on, what they drop still counts."""

from __future__ import annotations

import pytest
from tests.runtime.worker.rigs import ScriptedSource, SinkRig, SourceRig, line

from plugwright.errors import DataError
from plugwright.record import TopicPartition

T0, T1 = TopicPartition("t", 0), TopicPartition("t", 1)


def without(*values):
    """A transformation that drops records of these values and shouts the others."""
    return lambda record: (
        None if record.value in values else record.new_record(value=record.value.upper())
    )


def refusing(value):
    """A transformation that cannot take one value."""

    def transform(record):
        if record.value == value:
            raise DataError(f"no {value}")
        return record

    return transform


class AcknowledgedSource(ScriptedSource):
    """Notes which records are acknowledged to it, and whether Kafka has them."""

    def commit_record(self, record, metadata):
        """Note it."""
        self.calls.append((record.value, metadata is not None))


@pytest.fixture
def source():
    """A source loop whose task wants to hear of each record."""
    return SourceRig(AcknowledgedSource)


def test_the_producer_gets_what_the_transformation_made(source):
    """Bytes are those of the changed value; a dropped record is not sent."""
    source.transform = without("a2")

    source.run([line("a", 1), line("a", 2), line("a", 3)])

    assert [record[3] for record in source.producer.in_flight] == [b"A1", b"A3"]


def test_a_dropped_source_record_moves_no_offset(source):
    """Its offset waits for the next delivered record of the partition (Connect's rule)."""
    source.transform = without("a2", "b1")

    source.run([line("a", 1), line("a", 2), line("b", 1)], source.acknowledge())

    assert list(source.offsets.stored.values()) == [{"line": 1}]


def test_the_task_hears_of_a_dropped_record_without_metadata(source):
    """And of the delivered one as it was before the transformation (KIP-779)."""
    source.transform = without("a1")

    source.run([line("a", 1), line("a", 2)], source.acknowledge())

    assert [call for call in source.calls if isinstance(call, tuple)] == [
        ("a1", False),
        ("a2", True),
    ]


def test_a_record_that_cannot_be_transformed_fails_the_source_task(source):
    """What came before it is sent, and its offset is stored."""
    source.transform = refusing("a2")

    source.run([line("a", 1), line("a", 2)])

    assert source.status.states == ["RUNNING", "FAILED"]
    assert [record[3] for record in source.producer.in_flight] == [b"a1"]


def test_the_sink_is_given_what_the_transformation_made():
    """Dropped records are missing from the batch."""
    rig = SinkRig(transform=without("two"))

    rig.run(rig.assign(T0), rig.produce(T0, "one", "two", "three"))

    assert [values for values in rig.said("put") if values] == [["ONE", "THREE"]]


def test_a_dropped_sink_record_counts_as_consumed():
    """The committed offset goes past it, also when it was the last."""
    rig = SinkRig(transform=without("two"))

    rig.run(rig.assign(T0), rig.produce(T0, "one", "two"))

    assert rig.consumer.commits == [{T0: 2}]


def test_a_batch_of_which_nothing_is_left_is_consumed():
    """The task is given an empty batch, and the group's offset moves on."""
    rig = SinkRig(transform=without("one"))

    rig.run(rig.assign(T0), rig.produce(T0, "one"))

    assert [values for values in rig.said("put") if values] == []
    assert rig.consumer.commits == [{T0: 1}]


def test_dropped_records_of_a_partition_that_left_are_forgotten():
    """What was dropped before a revocation is committed with it, not after it."""
    rig = SinkRig(transform=without("gone"))

    rig.run(
        rig.assign(T0, T1), rig.produce(T1, "gone"), rig.idle, rig.revoke(T1), rig.produce(T0, "x")
    )

    assert rig.consumer.commits == [{T1: 1}, {T0: 1}]
