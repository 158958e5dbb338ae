"""Readers name a group, because the client wants one, and never join it."""

from __future__ import annotations

import math
from types import SimpleNamespace

import pytest
from confluent_kafka import KafkaError

from plugwright.errors import ConnectError
from plugwright.kafka._range_reader import _RangeReader
from plugwright.kafka.login import LoginWatch
from plugwright.kafka.topics import _read


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


def test_a_reader_needs_no_right_to_the_group_that_it_never_joins():
    """The client looks for its coordinator all the same, and hands on the broker's refusal."""
    refused = FakeReader(KafkaError(KafkaError.GROUP_AUTHORIZATION_FAILED))
    assert [m.offset() for m in _read(refused, LoginWatch({}), "t", math.inf)] == [0]

    other = FakeReader(KafkaError(KafkaError.TOPIC_AUTHORIZATION_FAILED))
    with pytest.raises(ConnectError, match="topic t cannot be read"):
        list(_read(other, LoginWatch({}), "t", math.inf))


def test_a_reader_of_ranges_needs_none_either():
    """It is the same client."""
    _RangeReader._judge(FakeReader(KafkaError(KafkaError.GROUP_AUTHORIZATION_FAILED)).poll(0))

    with pytest.raises(ConnectError, match="reading t-0 failed"):
        _RangeReader._judge(FakeReader(KafkaError(KafkaError.TOPIC_AUTHORIZATION_FAILED)).poll(0))
