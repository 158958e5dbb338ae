"""Commits that do not wait: late answers, overdue ones, and rebalances in between."""

from __future__ import annotations

import pytest
from tests.runtime.worker.rigs import SinkRig

from plugwright.errors import ConnectError
from plugwright.record import TopicPartition

T0, T1 = TopicPartition("t", 0), TopicPartition("t", 1)


@pytest.fixture
def rig():
    """A sink whose group keeps its answers back."""
    made = SinkRig(interval_s=1.0)
    made.consumer.holds_answers = True
    made.consumer.produce(T0, "a")
    return made


def _answer(rig):
    """A step: the group answers."""

    def step():
        rig.consumer.answers.popleft()()

    return step


def _late(answers):
    """A step: an answer comes that was taken aside."""

    def step():
        answers[0]()

    return step


def test_puts_go_on_while_the_group_thinks(rig):
    """Its answer comes with a later poll."""
    rig.run(rig.assign(T0), rig.interval, rig.produce(T0, "b"), rig.idle)
    assert [values for values in rig.said("put") if values] == [["a"], ["b"]]
    assert rig.loop.counters.commits == 1  # the last one, which waits


def test_no_second_commit_begins_before_the_answer(rig):
    """Kafka commits one at a time."""
    rig.run(rig.assign(T0), rig.interval, rig.produce(T0, "b"), rig.interval, rig.idle)
    assert len(rig.said("pre_commit")) == 2  # one by time, one at the end


def test_an_answer_ends_the_commit(rig):
    """The next one is due at its own time."""
    rig.run(
        rig.assign(T0), rig.interval, rig.idle, _answer(rig), rig.produce(T0, "b"), rig.interval
    )
    assert rig.consumer.commits[:2] == [{T0: 1}, {T0: 2}]


def test_an_overdue_answer_counts_as_a_failure(rig, caplog):
    """offset.flush.timeout.ms; two seconds here."""
    rig.run(rig.assign(T0), rig.interval, rig.interval, rig.interval, rig.interval, rig.idle)
    assert rig.loop.counters.commit_failures == 1
    assert "the commit of offsets timed out" in caplog.text
    assert len(rig.consumer.answers) == 2  # it was asked again


def test_an_answer_that_comes_too_late_changes_nothing(rig):
    """Neither a success nor a failure."""
    late = []
    rig.run(
        rig.assign(T0),
        rig.interval,
        lambda: late.append(rig.consumer.answers.popleft()),
        *[rig.interval] * 4,
        _late(late),
    )
    assert rig.loop.counters.commits == 1  # the last one, which waits
    assert rig.loop.counters.commit_failures == 2
    assert rig.loop.counters.commit_skips == 1


def test_an_answer_after_the_partitions_have_left_changes_nothing(rig):
    """They may be back by then, at another offset."""
    answers = []
    rig.run(
        rig.assign(T0),
        rig.interval,
        lambda: answers.append(rig.consumer.answers.popleft()),
        rig.revoke(T0),
        lambda: rig.consumer.group.update({T0: 0}),
        rig.assign(T0),
        _late(answers),
        rig.interval,
        rig.idle,
    )
    assert rig.consumer.commits[-1] == {T0: 1}
    assert rig.consumer.group == {T0: 1}


def test_an_answer_about_partitions_that_were_lost_moves_no_anchor():
    """A failed pre_commit goes back to where this member began again."""
    rig = SinkRig(interval_s=1.0, pre_commit=[None, ValueError("bad")])
    rig.consumer.holds_answers = True
    rig.consumer.produce(T0, "a")
    answers = []
    rig.run(
        rig.assign(T0),
        rig.interval,
        lambda: answers.append(rig.consumer.answers.popleft()),
        rig.lose(T0),
        _late(answers),
        rig.consumer.group.clear,
        rig.assign(T0),
        rig.interval,
        rig.idle,
    )
    assert rig.consumer.seeks == [(T0, 0)]


def test_a_revocation_waits_for_its_commit(rig):
    """It is the last chance."""
    seen = []
    rig.run(rig.assign(T0), rig.revoke(T0), lambda: seen.append(dict(rig.consumer.group)))
    assert (seen, rig.loop.counters.commits) == ([{T0: 1}], 1)


def test_a_refusing_answer_is_counted_and_tried_again(rig):
    """A rebalance in progress is no failure of the task."""
    rig.consumer.commit_failures.append(ConnectError("rebalance in progress"))
    rig.run(rig.assign(T0), rig.interval, rig.idle, _answer(rig), rig.interval)
    assert (rig.loop.counters.commit_failures, rig.consumer.commits[0]) == (1, {T0: 1})
    assert rig.status.states[-1] == "STOPPED"
