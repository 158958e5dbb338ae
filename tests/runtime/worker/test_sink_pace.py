"""How many records a sink is given at once, and how many may be given twice after a crash."""

from __future__ import annotations

import pytest
from tests.runtime.worker.rigs import SinkRig

from plugwright.errors import ConnectError
from plugwright.record import TopicPartition
from plugwright.worker import Boundary

pytestmark = pytest.mark.slow

T0, T1 = TopicPartition("t", 0), TopicPartition("t", 1)


class Crashes(SinkRig):
    """Notes at every boundary what a crash there would have put again."""

    def __init__(self, **settings):
        super().__init__(**settings)
        self.repeated = []
        self.loop._observe = self._note
        self.loop._offsets._observe = self._note

    def _note(self, boundary):
        self.boundaries.append(boundary)
        put = sum(len(values) for values in self.said("put"))
        self.repeated.append(put - sum(self.consumer.group.values()))


def numbers(count):
    """Values of so many records."""
    return [str(number) for number in range(count)]


@pytest.mark.parametrize("most", [1, 7, 500, 2000])
def test_put_is_given_no_more_than_max_poll_records(most):
    """As Java's consumer, whose poll has that limit."""
    rig = SinkRig(max_poll_records=most)
    rig.consumer.produce(T0, *numbers(1200))
    rig.run(rig.assign(T0), *[rig.idle] * (1200 // most + 1))
    sizes = [len(values) for values in rig.said("put")]
    assert (max(sizes), sum(sizes)) == (min(most, 1200), 1200)


@pytest.mark.parametrize(("limit", "poll"), [(1, 500), (10, 500), (100, 7), (250, 100), (999, 500)])
def test_no_crash_point_repeats_more_than_the_limit(limit, poll):
    """Records are committed before a batch could go beyond it, and a batch is no larger."""
    rig = Crashes(interval_s=1e9, flush_max_records=limit, max_poll_records=poll)
    rig.consumer.produce(T0, *numbers(700))
    rig.consumer.produce(T1, *numbers(700))
    rig.run(rig.assign(T0, T1), *[rig.idle] * 1500)
    assert len(rig.boundaries) > 10
    assert sum(len(values) for values in rig.said("put")) == 1400
    assert 0 < max(rig.repeated) <= limit


def test_without_a_limit_only_time_counts():
    """Kafka Connect's way: all that came within an interval."""
    rig = Crashes(interval_s=1e9)
    rig.consumer.produce(T0, *numbers(1400))
    rig.run(rig.assign(T0), rig.idle, rig.idle)
    assert (max(rig.repeated), rig.consumer.commits) == (1400, [{T0: 1400}])


def test_a_commit_for_the_limit_is_waited_for():
    """Otherwise the next batches would be put while the answer is under way."""
    rig = Crashes(interval_s=1e9, flush_max_records=4, max_poll_records=2)
    rig.consumer.holds_answers = True
    rig.consumer.produce(T0, *numbers(40))
    rig.run(rig.assign(T0), *[rig.idle] * 20)
    assert max(rig.repeated) <= 4
    assert Boundary.CONSUMER_COMMIT in rig.boundaries


def test_a_commit_that_was_refused_is_tried_again_soon():
    """Another whole interval would double what a crash repeats."""
    rig = SinkRig(interval_s=100.0)
    rig.consumer.produce(T0, "a")
    rig.consumer.commit_failures.append(ConnectError("no", code="kafka.commit-failed"))

    def later(seconds):
        return lambda: rig.clock.advance(seconds)

    seen = []
    rig.run(
        rig.assign(T0),
        later(100),
        later(1),
        lambda: seen.append(list(rig.consumer.commits)),
        later(2),
        rig.idle,
        lambda: seen.append(list(rig.consumer.commits)),
    )
    assert seen == [[], [{T0: 1}]]
