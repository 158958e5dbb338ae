"""Records: what they carry, how they are copied and compared."""

from __future__ import annotations

import pickle

import pytest

from plugwright.headers import Headers
from plugwright.record import SinkRecord, SourceRecord, TimestampType, TopicPartition
from plugwright.schema import INT8_SCHEMA, STRING_SCHEMA

SOURCE = {
    "source_partition": {"filename": "a"},
    "source_offset": {"position": 3},
    "topic": "t",
    "value": "v",
    "value_schema": STRING_SCHEMA,
    "key": 1,
    "key_schema": INT8_SCHEMA,
    "kafka_partition": 2,
    "timestamp": 5,
}
SINK = {
    "topic": "t",
    "kafka_partition": 2,
    "key_schema": INT8_SCHEMA,
    "key": 1,
    "value_schema": STRING_SCHEMA,
    "value": "v",
    "kafka_offset": 7,
    "timestamp": 5,
    "timestamp_type": TimestampType.CREATE_TIME,
}
KINDS = {"source": (SourceRecord, SOURCE), "sink": (SinkRecord, SINK)}


def _make(kind, **changes):
    cls, properties = KINDS[kind]
    return cls(**{**properties, **changes})


@pytest.mark.parametrize("kind", KINDS)
def test_record_carries_what_it_was_given(kind):
    """Every argument is an attribute."""
    record = _make(kind)
    assert {name: getattr(record, name) for name in KINDS[kind][1]} == KINDS[kind][1]


def test_source_record_needs_only_where_from_where_to_and_what():
    """The rest is absent."""
    record = SourceRecord(None, None, "t", "v")
    absent = ("key", "key_schema", "value_schema", "kafka_partition", "timestamp")
    assert [getattr(record, name) for name in absent] == [None] * 5


def test_sink_record_without_time_says_so():
    """Kafka's default."""
    record = SinkRecord("t", 0, None, None, None, None, 0)
    assert (record.timestamp, record.timestamp_type.value) == (None, "NoTimestampType")


def test_sink_record_remembers_where_it_stood():
    """Whatever transformations do to it (KIP-793)."""
    record = _make("sink").new_record(topic="u", kafka_partition=9).new_record(kafka_offset=8)
    assert (record.topic, record.kafka_partition, record.kafka_offset) == ("u", 9, 8)
    assert (
        record.original_topic,
        record.original_kafka_partition,
        record.original_kafka_offset,
    ) == ("t", 2, 7)


@pytest.mark.parametrize("kind", KINDS)
def test_headers_are_never_missing(kind):
    """They are made on first use and stay."""
    record = _make(kind)
    assert (len(record.headers), record.has_headers) == (0, False)
    record.headers.add("a", 1)
    assert (len(record.headers), record.has_headers) == (1, True)


@pytest.mark.parametrize("kind", KINDS)
def test_given_headers_are_the_records_own(kind):
    """They are not copied."""
    headers = Headers().add("a", 1)
    assert _make(kind, headers=headers).headers is headers


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("headers", [Headers(), Headers().add("a", 1)], ids=["empty", "some"])
def test_copy_has_headers_of_its_own(kind, headers):
    """A header added to one is not seen by the other."""
    record = _make(kind, headers=headers.duplicate())
    copy = record.new_record(topic="u")
    copy.headers.add("b", 2)
    assert [header.key for header in record.headers] == [header.key for header in headers]


@pytest.mark.parametrize("kind", KINDS)
def test_copy_takes_given_headers_as_they_are(kind):
    """Kafka's second form of newRecord."""
    headers = Headers().add("z", 1)
    assert _make(kind).new_record(headers=headers).headers is headers


@pytest.mark.parametrize("kind", KINDS)
def test_copy_changes_what_is_named_and_nothing_else(kind):
    """The original stays."""
    record = _make(kind)
    copy = record.new_record(value="w", timestamp=6)
    assert (copy.value, copy.timestamp, copy.key, copy.topic) == ("w", 6, 1, "t")
    assert copy.new_record(value="v", timestamp=5) == record == _make(kind)
    assert type(copy) is type(record)


@pytest.mark.parametrize("kind", KINDS)
def test_copy_can_set_something_to_null(kind):
    """A given None is not a missing argument."""
    copy = _make(kind).new_record(value=None, value_schema=None)
    assert (copy.value, copy.value_schema) == (None, None)


@pytest.mark.parametrize("kind", KINDS)
def test_copy_refuses_unknown_names(kind):
    """A misspelt name would be lost silently."""
    with pytest.raises(TypeError, match=r"Record has no nonsense$"):
        _make(kind).new_record(nonsense=1)


@pytest.mark.parametrize(
    ("kind", "name"), [(kind, name) for kind in KINDS for name in KINDS[kind][1]]
)
def test_every_attribute_counts_in_equality(kind, name):
    """Records that differ in one are not equal."""
    assert _make(kind) == _make(kind)
    assert _make(kind) != _make(kind, **{name: "other"})


@pytest.mark.parametrize("kind", KINDS)
def test_headers_count_in_equality(kind):
    """No headers and empty headers are the same."""
    assert _make(kind, headers=Headers()) == _make(kind)
    assert _make(kind, headers=Headers().add("a", 1)) != _make(kind)


def test_original_coordinates_count_in_equality():
    """They are where the consumer saw the record."""
    assert _make("sink", topic="u").new_record(topic="t") != _make("sink")


def test_records_of_other_classes_are_not_equal():
    """A source record is no sink record."""
    assert _make("source") != _make("sink")


@pytest.mark.parametrize("kind", KINDS)
def test_record_is_not_hashable(kind):
    """Its headers change."""
    with pytest.raises(TypeError):
        hash(_make(kind))


@pytest.mark.parametrize("kind", KINDS)
def test_record_survives_pickling(kind):
    """Records travel between processes."""
    record = _make(kind, headers=Headers().add("a", 1))
    assert pickle.loads(pickle.dumps(record)) == record  # noqa: S301  # its own bytes


@pytest.mark.parametrize("kind", KINDS)
def test_record_shows_its_content(kind):
    """For people who debug."""
    assert repr(_make(kind)).startswith(f"{KINDS[kind][0].__name__}(topic='t', ") or (
        "topic='t'" in repr(_make(kind))
    )


def test_topic_partition_is_a_plain_pair():
    """It is a key of offset maps."""
    assert {TopicPartition("t", 1): 5}["t", 1] == 5


@pytest.mark.parametrize("kind", KINDS)
def test_a_duplicate_is_equal_and_has_headers_of_its_own(kind):
    """What changes in it does not show in the record that it was made of."""
    record = _make(kind, headers=Headers().add("a", 1))
    copy = record.duplicate()

    assert copy == record
    assert len(copy.headers.add("b", 2)) == len(record.headers) + 1


@pytest.mark.parametrize("kind", KINDS)
def test_a_duplicate_makes_no_headers(kind):
    """Most records have none, and a set of none costs time."""
    assert _make(kind).duplicate()._headers is None


@pytest.mark.parametrize("kind", KINDS)
def test_a_subclass_is_duplicated_with_its_own_attributes(kind):
    """The short way of the two known classes leaves nothing out."""
    base, properties = KINDS[kind]
    marked = type("Marked", (base,), {"__slots__": ("mark",)})
    record = marked(**properties)
    record.mark = "m"

    assert type(record.duplicate()) is marked
    assert record.new_record(topic="u").mark == "m"
