"""Readers name a group, because the client wants one, and never join it."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from confluent_kafka import KafkaError

from plugwright.errors import ConnectError
from plugwright.kafka import OffsetRange, range_reader, read_ranges, read_topic, topics


class FakeReader:
    """A consumer of one record, to which the broker refuses the group that it names."""

    def __init__(self, error):
        home = {"topic": lambda: "t", "partition": lambda: 0}
        refusal = SimpleNamespace(error=lambda: error, **home, offset=lambda: -1)
        record = SimpleNamespace(error=lambda: None, **home, offset=lambda: 0)
        self._messages = [refusal, record]

    def list_topics(self, *_):
        """One topic with one partition."""
        return SimpleNamespace(topics={"t": SimpleNamespace(partitions={0: None})})

    def get_watermark_offsets(self, *_):
        """One record."""
        return 0, 1

    def assign(self, partitions):
        """Begin."""

    def poll(self, _):
        """The next message."""
        return self._messages.pop(0)

    def consume(self, *_):
        """Nothing beside it."""
        return []

    def incremental_assign(self, partitions):
        """Begin with ranges."""

    def pause(self, partitions):
        """The range has been read."""

    def close(self):
        """End."""


@pytest.fixture
def reader(monkeypatch):
    """What the client is that readers open, by the error that it meets."""

    def reader(code):
        client = FakeReader(KafkaError(code))
        for module in (range_reader, topics):
            monkeypatch.setattr(module, "Consumer", lambda _: client)

    return reader


def test_a_reader_needs_no_right_to_the_group_that_it_never_joins(reader):
    """The client looks for its coordinator all the same, and hands on the broker's refusal."""
    reader(KafkaError.GROUP_AUTHORIZATION_FAILED)
    assert [m.offset() for m in read_topic("nowhere:1", "t")] == [0]

    reader(KafkaError.TOPIC_AUTHORIZATION_FAILED)
    with pytest.raises(ConnectError, match="topic t cannot be read"):
        list(read_topic("nowhere:1", "t"))


def test_a_reader_of_ranges_needs_none_either(reader):
    """It is the same client."""
    ranges = [OffsetRange("t", 0, 0, 1)]
    reader(KafkaError.GROUP_AUTHORIZATION_FAILED)
    assert [m.offset() for batch in read_ranges("nowhere:1", ranges, {}) for m in batch] == [0]

    reader(KafkaError.TOPIC_AUTHORIZATION_FAILED)
    with pytest.raises(ConnectError, match="reading t-0 failed"):
        list(read_ranges("nowhere:1", ranges, {}))
