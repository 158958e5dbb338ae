"""What a task loop counts and measures, once for each batch."""

from __future__ import annotations

import pytest
from tests.runtime.worker.fakes import FakeTransactions
from tests.runtime.worker.rigs import SinkRig, SourceRig, line

from plugwright.record import TopicPartition

T0, T1 = TopicPartition("t", 0), TopicPartition("t", 1)


def _drop_first(record):
    return None if record.value == "a1" else record


@pytest.mark.parametrize("exactly_once", [False, True], ids=["at least once", "exactly once"])
def test_a_source_task_measures_polls_and_commits(exactly_once):
    """Polled records count before their transformation, those written behind it."""
    rig = SourceRig()
    rig.transform = _drop_first
    rig.producer.prompt = True
    if exactly_once:
        rig.transactions = FakeTransactions()
    rig.run([line("a", 1), line("a", 2), line("a", 3)], lambda: rig.clock.advance(2.0) or [])
    counters, figures = rig.loop.counters, rig.loop.counters.figures()
    assert (counters.polled, counters.records) == (3, 2)
    assert (figures["batch-size-avg"], figures["batch-size-max"]) == (1.5, 3.0)
    assert (figures["batch-ms-avg"], figures["batch-ms-max"]) == (1000.0, 2000.0)
    assert figures["commit-ms-max"] == 0.0


def test_a_sink_task_measures_puts_and_commits():
    """And knows how many partitions it has."""
    rig = SinkRig(put=[lambda task: rig.clock.advance(3.0)], transform=_drop_first)
    rig.consumer.produce(T0, "a1", "a2")
    seen = []
    rig.run(
        rig.assign(T0, T1),
        rig.interval,
        lambda: seen.append(rig.loop.counters.figures()),
        rig.revoke(T1),
        lambda: seen.append(rig.loop.counters.figures()),
    )
    counters, figures = rig.loop.counters, seen[0]
    assert (counters.polled, counters.records, counters.batches) == (2, 1, 1)
    assert (figures["batch-size-max"], figures["batch-ms-max"]) == (1.0, 3000.0)
    assert figures["commit-ms-max"] == 0.0
    assert [figures["partitions"] for figures in seen] == [2, 1]


def test_a_source_task_knows_what_kafka_has_not_acknowledged():
    """Two of five records, as its producer has them; the last look is after the last answer."""
    rig = SourceRig()
    seen = []
    rig.run(
        [line("a", number) for number in range(5)],
        lambda: rig.producer.acknowledge(3),
        lambda: seen.append(rig.loop.counters.figures()),
    )
    assert (seen[0]["active"], seen[0]["active-max"], seen[0]["active-avg"]) == (2, 5, 5.0)


def test_a_source_task_measures_its_transactions():
    """Records of each: the smallest, the largest, the average."""
    rig = SourceRig()
    rig.transactions = FakeTransactions()
    rig.run([line("a", 1)], [line("a", 2), line("a", 3), line("a", 4)])
    figures = rig.loop.counters.figures()
    assert [figures[f"transaction-size-{part}"] for part in ("min", "max", "avg")] == [1, 3, 2.0]


def test_a_sink_task_knows_what_no_commit_covers():
    """Summed over its partitions, and that of the one that is furthest behind."""
    rig = SinkRig()
    rig.consumer.produce(T0, "a", "b", "c")
    rig.consumer.produce(T1, "d")
    seen = []
    rig.run(
        rig.assign(T0, T1),
        rig.idle,
        lambda: seen.append(rig.loop.counters.figures()),
        rig.interval,
        rig.idle,
        lambda: seen.append(rig.loop.counters.figures()),
    )
    shown = [(f["active"], f["lag-max"], f["commit-number"]) for f in seen]
    assert shown == [(4, 3, 0), (0, 0, 1)]
    assert seen[1]["active-max"] == 4


def test_a_partition_that_leaves_takes_its_records_along():
    """The next owner counts them."""
    rig = SinkRig(pre_commit=[lambda _: {}, lambda _: {}])
    rig.consumer.produce(T0, "a", "b", "c")
    rig.consumer.produce(T1, "d")
    seen = []
    rig.run(
        rig.assign(T0, T1),
        rig.idle,
        rig.revoke(T0),
        lambda: seen.append(rig.loop.counters.figures()["active"]),
    )
    assert seen == [1]
