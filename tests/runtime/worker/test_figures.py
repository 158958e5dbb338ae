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
