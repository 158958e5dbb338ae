"""Codecs that work through a batch at once are shown it before its records come one by one."""

from __future__ import annotations

from tests.runtime.worker.rigs import SinkRig, SourceRig, line

from plugwright.errors import PluginError
from plugwright.record import TopicPartition

T0 = TopicPartition("t", 0)


def failing(_):
    """A codec whose other process has ended."""
    raise PluginError("the host has ended", code="plugin.host-ended")


def test_a_source_batch_is_shown_before_its_first_record_is_transformed():
    """Whole, in order; large polls in pieces."""
    seen = []
    rig = SourceRig()
    rig.prepare = lambda records: seen.append([record.value for record in records])
    rig.transform = lambda record: seen.append(record.value) or record

    rig.run([line("a", 1), line("a", 2)], [line("b", number) for number in range(501)])

    assert seen[:3] == [["a1", "a2"], "a1", "a2"]
    assert [len(each) for each in seen if isinstance(each, list)] == [2, 500, 1]


def test_a_source_batch_that_cannot_be_prepared_fails_the_task_and_sends_nothing():
    """What was sent before it is kept."""
    rig = SourceRig()
    rig.prepare = failing

    rig.run([line("a", 1)])

    assert rig.status.states == ["RUNNING", "FAILED"]
    assert list(rig.producer.in_flight) == []


def test_a_consumed_batch_is_shown_before_its_first_message_is_converted():
    """An empty one is not."""
    seen = []
    rig = SinkRig(
        prepare=lambda messages: seen.append([message.value() for message in messages]),
        transform=lambda record: seen.append(record.value) or record,
    )

    rig.run(rig.assign(T0), rig.produce(T0, "one", "two"), rig.idle)

    assert seen == [[b"one", b"two"], "one", "two"]


def test_a_consumed_batch_that_cannot_be_prepared_fails_the_task_and_commits_nothing():
    """It will be read again."""
    rig = SinkRig(prepare=failing)

    rig.run(rig.assign(T0), rig.produce(T0, "one"))

    assert rig.status.states == ["RUNNING", "FAILED"]
    assert rig.consumer.commits == []
