"""Between records and bytes."""

from __future__ import annotations

import pytest
from tests.runtime.worker.fakes import Message

from plugwright.converters import StringConverter
from plugwright.headers import Headers
from plugwright.record import SourceRecord, TimestampType
from plugwright.schema import INT32_SCHEMA
from plugwright.worker import RecordCodec

CODEC = RecordCodec(StringConverter(), StringConverter(), StringConverter())


def _nothing(error, message):
    """Takes an acknowledgement."""


def test_a_record_becomes_what_the_producer_takes():
    """Topic, partition, key, value, headers, timestamp, callback."""
    headers = Headers()
    headers.add("h", 5, INT32_SCHEMA)
    headers.add("h", None, None)
    record = SourceRecord(
        None, None, "t", "v", key="k", kafka_partition=2, timestamp=7, headers=headers
    )
    expected = ("t", 2, b"k", b"v", [("h", b"5"), ("h", None)], 7, _nothing)
    assert CODEC.encode(record, _nothing) == expected


def test_what_a_record_does_not_say_stays_unsaid():
    """No headers is not an empty list of headers."""
    outgoing = CODEC.encode(SourceRecord(None, None, "t", None), _nothing)
    assert outgoing == ("t", None, None, None, None, None, _nothing)


def test_looking_at_the_headers_adds_none():
    """An empty set of headers is none."""
    record = SourceRecord(None, None, "t", "v")
    assert len(record.headers) == 0
    assert CODEC.encode(record, _nothing)[4] is None


def test_a_message_becomes_a_record():
    """With its place in Kafka and its headers in order."""
    raw = [("h", b"1"), ("g", None), ("h", b"2")]
    record = CODEC.decode(Message(("t", 2, 9), b"v", b"k", raw, (1, 7)))
    assert (record.topic, record.kafka_partition, record.kafka_offset) == ("t", 2, 9)
    assert (record.key, record.value, record.timestamp) == ("k", "v", 7)
    assert [(h.key, h.value) for h in record.headers] == [("h", "1"), ("g", None), ("h", "2")]


@pytest.mark.parametrize(
    ("time", "timestamp", "kind"),
    [
        ((0, 5), None, TimestampType.NO_TIMESTAMP_TYPE),
        ((1, 5), 5, TimestampType.CREATE_TIME),
        ((2, 5), 5, TimestampType.LOG_APPEND_TIME),
    ],
    ids=["none", "create", "append"],
)
def test_the_kind_of_timestamp_is_kept(time, timestamp, kind):
    """The client's 0, 1 and 2."""
    record = CODEC.decode(Message(("t", 0, 0), b"v", time=time))
    assert (record.timestamp, record.timestamp_type) == (timestamp, kind)


def test_a_tombstone_has_no_value():
    """And no key, if there is none."""
    record = CODEC.decode(Message(("t", 0, 0)))
    assert (record.key, record.value, record.has_headers) == (None, None, False)
