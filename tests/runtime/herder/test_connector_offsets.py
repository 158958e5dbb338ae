"""Offsets of a sink, changed right after a stop."""

from __future__ import annotations

import pytest

from plugwright.errors import ConnectError
from plugwright.herder import WorkerConfig
from plugwright.herder.connector_offsets import GroupSinkOffsets
from plugwright.record import TopicPartition

WORKER = {
    "bootstrap.servers": "k:1",
    "key.converter": "JsonConverter",
    "value.converter": "JsonConverter",
}
OFFSETS = [({"kafka_topic": "t", "kafka_partition": 0}, {"kafka_offset": 7})]


class Group:
    """Refuses some times, as while a stopped member is still in it."""

    def __init__(self, codes):
        self.codes = list(codes)
        self.offsets = {}

    def alter(self, changes):
        """Refuse, or take the changes."""
        if self.codes:
            raise ConnectError("no", code=self.codes.pop(0))
        self.offsets |= changes


@pytest.fixture
def time(monkeypatch):
    """Seconds that pass with each sleep."""

    class Time:
        now = 0.0

        def sleep(self, seconds):
            self.now += seconds

        def monotonic(self):
            return self.now

    time = Time()
    monkeypatch.setattr("plugwright.retry.time", time)
    return time


def sink(monkeypatch, codes, **settings):
    """The offsets of a sink whose group refuses with these codes first."""
    group = Group(codes)
    monkeypatch.setattr("plugwright.herder.connector_offsets.GroupOffsets", lambda *_: group)
    return GroupSinkOffsets("s", settings, WorkerConfig.parse(WORKER)), group


def test_a_stopped_member_is_waited_for(time, monkeypatch):
    """It leaves when its session is over, 10 s after the stop."""
    offsets, group = sink(monkeypatch, ["kafka.group-in-use"] * 20)

    offsets.write(OFFSETS)

    assert (group.offsets, time.now) == ({TopicPartition("t", 0): 7}, 10.0)


@pytest.mark.parametrize(("session_ms", "patience_s"), [("", 15), ("30000", 35)])
def test_who_stays_in_the_group_is_reported(time, monkeypatch, session_ms, patience_s):
    """After the time that a session may take, whatever it is."""
    own = {"consumer.override.session.timeout.ms": session_ms} if session_ms else {}
    offsets, _ = sink(monkeypatch, ["kafka.group-in-use"] * 1000, **own)

    with pytest.raises(ConnectError) as raised:
        offsets.write(OFFSETS)

    assert raised.value.code == "kafka.group-in-use"
    assert patience_s <= time.now <= patience_s + 1


def test_other_refusals_are_final(time, monkeypatch):
    """A partition that is not there does not come by waiting."""
    offsets, _ = sink(monkeypatch, ["kafka.group-offsets"])

    with pytest.raises(ConnectError):
        offsets.write(OFFSETS)

    assert time.now == 0
