"""Sink offsets: only what pre_commit says is durable, never beyond what was put."""

from __future__ import annotations

import pytest
from tests.runtime.worker.rigs import SinkRig

from plugwright.errors import ConnectError, RetriableError
from plugwright.record import TopicPartition

T0, T1 = TopicPartition("t", 0), TopicPartition("t", 1)
FOREIGN = TopicPartition("other", 9)


def _rig(**plan):
    rig = SinkRig(**plan)
    rig.consumer.produce(T0, "a", "b", "c")
    return rig


def _answers(*maps):
    return [lambda _, answer=answer: answer for answer in maps]


def test_nothing_is_committed_before_the_interval():
    """Commits cost, so they wait."""
    seen = []
    rig = _rig()
    rig.run(rig.assign(T0), rig.idle, lambda: seen.append(list(rig.consumer.commits)))
    assert seen == [[]]


def test_pre_commit_is_asked_for_what_was_put():
    """An offset is that of the next record to read; of every partition, as in Kafka Connect."""
    rig = _rig()
    rig.run(rig.assign(T0, T1), rig.interval, rig.idle)
    assert rig.said("pre_commit")[0] == {T0: 3, T1: 0}
    assert rig.consumer.commits == [{T0: 3, T1: 0}]


def test_pre_commit_is_asked_before_anything_was_put():
    """With the offsets at which reading began; they are not committed, since nothing changed.

    Kafka Connect's worker takes them over from the consumer when partitions are assigned
    (WorkerSinkTask.HandleRebalance.onPartitionsAssigned).
    """
    rig = SinkRig()
    rig.consumer.group[T1] = 7
    rig.run(rig.assign(T0, T1), rig.interval, rig.idle)
    assert rig.said("pre_commit")[0] == {T0: 0, T1: 7}
    assert rig.consumer.commits == []


@pytest.mark.parametrize(
    ("answer", "committed"),
    [
        ({T0: 2}, {T0: 2, T1: 0}),
        ({}, {}),
        ({T0: 4}, {}),
        ({FOREIGN: 1}, {}),
        ({T0: 3, FOREIGN: 1}, {T0: 3, T1: 0}),
        ({T1: 0}, {}),
    ],
    ids=["smaller", "empty", "beyond", "foreign", "one-of-two-foreign", "not-asked-for"],
)
def test_only_consumed_offsets_of_the_named_partitions_are_committed(answer, committed):
    """The rest is ignored with a warning (Connect's WorkerSinkTask)."""
    rig = _rig(pre_commit=_answers(answer, answer))
    rig.run(rig.assign(T0, T1), rig.interval, rig.idle)
    assert rig.consumer.group == committed
    assert rig.status.states[-1] == "STOPPED"


def test_what_was_sought_back_is_not_left_committed_ahead():
    """The task answers about the other partition only; after a crash it sees all again."""

    def go_back(task):
        task.context.offset({T0: 1})
        task.context.request_commit()

    rig = _rig(put=[None, None, go_back], pre_commit=_answers({T0: 3, T1: 0}, {T1: 0}))
    rig.run(rig.assign(T0, T1), rig.interval, rig.idle)
    assert rig.consumer.commits[:2] == [{T0: 3, T1: 0}, {T0: 1, T1: 0}]


def test_pre_commit_may_answer_nothing_at_all():
    """None counts as an empty map."""
    rig = _rig()
    rig.task.pre_commit = lambda offsets: None
    rig.run(rig.assign(T0), rig.interval, rig.idle)
    assert (rig.consumer.commits, rig.status.states[-1]) == ([], "STOPPED")


def test_a_pre_commit_that_answers_nonsense_is_named_and_commits_nothing(caplog):
    """As if it had raised."""
    rig = _rig()
    rig.task.pre_commit = lambda offsets: 5
    rig.run(rig.assign(T0), rig.idle)
    assert "shop.OrdersTask 1.4.0 failed in pre_commit" in caplog.text
    assert (rig.consumer.group, rig.status.states[-1]) == ({}, "STOPPED")


def test_ignored_offsets_are_in_the_log(caplog):
    """Which partition, which offset."""
    rig = _rig(pre_commit=_answers({T0: 4, FOREIGN: 1}, {}))
    rig.run(rig.assign(T0), rig.interval, rig.idle)
    assert "ignored offset 4 beyond the consumed 3" in caplog.text
    assert "unassigned TopicPartition(topic='other'" in caplog.text


def test_an_offset_without_progress_is_not_committed_again():
    """The group has it already."""
    rig = _rig()
    rig.run(rig.assign(T0), rig.interval, rig.interval, rig.idle)
    assert len(rig.said("pre_commit")) == 3
    assert rig.consumer.commits == [{T0: 3}]


def test_an_offset_that_the_group_had_at_the_start_is_not_committed_again():
    """Nor is one read from the coordinator."""
    rig = _rig(pre_commit=_answers({T0: 1}, {T0: 1}))
    rig.consumer.group[T0] = 1
    rig.run(rig.assign(T0), rig.interval, rig.idle)
    assert rig.consumer.commits == []


def test_the_base_class_flushes_and_returns_what_it_was_given():
    """The default of pre_commit."""
    from plugwright.task import SinkTask  # noqa: PLC0415  # the default itself

    flushed = []
    rig = _rig()
    rig.task.flush = flushed.append
    rig.task.pre_commit = lambda offsets: SinkTask.pre_commit(rig.task, offsets)
    rig.run(rig.assign(T0), rig.interval)
    assert (flushed[0], rig.consumer.group) == ({T0: 3}, {T0: 3})


def test_request_commit_commits_in_the_next_round():
    """Long before the interval."""
    rig = _rig(put=[lambda task: task.context.request_commit()])
    seen = []
    rig.run(rig.assign(T0), rig.idle, lambda: seen.append(dict(rig.consumer.group)))
    assert seen == [{T0: 3}]


def test_a_commit_request_counts_once():
    """Even when the interval is over anyway."""
    rig = _rig(put=[lambda task: task.context.request_commit() or rig.interval()])
    rig.run(rig.assign(T0), rig.idle, rig.idle, rig.idle)
    assert len(rig.said("pre_commit")) == 2


@pytest.mark.parametrize("error", [ValueError("bad"), RetriableError("later")], ids=repr)
def test_a_raising_pre_commit_commits_nothing_and_goes_back(error):
    """The records since the last commit come again."""
    rig = _rig(pre_commit=[None, error])
    rig.run(rig.assign(T0), rig.interval, rig.produce(T0, "d"), rig.interval, rig.idle, rig.idle)
    assert rig.consumer.seeks == [(T0, 3)]
    assert [batch for batch in rig.said("put") if batch] == [["a", "b", "c"], ["d"], ["d"]]
    assert (rig.consumer.group, rig.status.states[-1]) == ({T0: 4}, "STOPPED")
    assert rig.loop.counters.commit_failures == 1


def test_without_a_committed_offset_it_goes_back_to_where_the_task_began():
    """Which is not the beginning of the log if the group began at its end."""
    rig = _rig(pre_commit=[ValueError("bad")])
    rig.run(lambda: rig.consumer.assign(T0) or rig.consumer.seek(T0, 1), rig.interval, rig.idle)
    assert rig.consumer.seeks[1:] == [(T0, 1)]


def _wait_a_minute(task):
    task.context.timeout(60_000)
    raise RetriableError("down")


def test_a_raising_pre_commit_reads_the_waiting_records_of_a_new_partition_again():
    """They were never put, so nothing but what waits says where they begin."""
    rig = _rig(put=[None, _wait_a_minute], pre_commit=[ValueError("bad")])
    minute = [rig.interval] * 7
    rig.run(rig.assign(T0, T1), rig.produce(T1, "x"), *minute, rig.idle)
    filled = [batch for batch in rig.said("put") if batch]
    assert filled == [["a", "b", "c"], ["x"], ["a", "b", "c", "x"]]
    assert rig.consumer.seeks == [(T0, 0), (T1, 0)]


def test_a_raising_pre_commit_drops_the_waiting_records_of_the_partitions_it_goes_back_in():
    """They come again, after those before them."""
    rig = _rig(put=[None, _wait_a_minute], pre_commit=[ValueError("bad")])
    minute = [rig.interval] * 7
    rig.run(rig.assign(T0), rig.produce(T0, "d"), *minute, rig.idle)
    filled = [batch for batch in rig.said("put") if batch]
    assert filled == [["a", "b", "c"], ["d"], ["a", "b", "c", "d"]]


def test_what_has_to_come_again_is_not_committed_before():
    """Until then pre_commit is asked about the last commit."""
    rig = _rig(put=[None, _wait_a_minute], pre_commit=[ValueError("bad")])
    rig.run(rig.assign(T0), rig.interval, rig.idle, rig.interval, rig.idle)
    first, *others = rig.said("pre_commit")
    assert (first, others) == ({T0: 3}, [{T0: 0}] * len(others))
    assert rig.consumer.commits == []


def test_a_raising_pre_commit_at_the_end_only_skips_the_commit():
    """Closing goes on (Connect logs and skips)."""
    rig = _rig(pre_commit=[ValueError("bad")])
    rig.run(rig.assign(T0))
    assert (rig.consumer.group, rig.consumer.seeks) == ({}, [])
    assert rig.order[-2:] == ["close", "stop"]
    assert rig.status.states[-1] == "STOPPED"


def test_a_group_that_refuses_the_commit_is_asked_again():
    """A rebalance in progress is no failure of the task (Connect counts and goes on)."""
    rig = _rig()
    rig.consumer.commit_failures.append(ConnectError("rebalance in progress"))
    rig.run(rig.assign(T0), rig.interval, rig.interval, rig.idle)
    assert rig.consumer.commits == [{T0: 3}]
    assert (rig.loop.counters.commit_failures, rig.status.states[-1]) == (1, "STOPPED")


def test_a_commit_refused_at_the_end_does_not_keep_the_task_from_closing():
    """The records come again to the next owner."""
    rig = _rig()
    rig.consumer.commit_failures.append(ConnectError("fenced"))
    rig.run(rig.assign(T0))
    assert (rig.order[-2:], rig.status.states[-1]) == (["close", "stop"], "STOPPED")


def test_context_offset_goes_back_before_the_next_batch():
    """Nothing read before the rewind is put after it."""
    rig = _rig(put=[lambda task: task.context.offset({T0: 1})])
    rig.run(rig.assign(T0), rig.produce(T0, "d"), rig.idle)
    assert [batch for batch in rig.said("put") if batch] == [["a", "b", "c"], ["b", "c", "d"]]


def test_a_rewind_takes_back_what_may_be_committed():
    """The offset asked for is the new position, also for pre_commit."""
    rig = _rig(put=[lambda task: task.context.offset({T0: 1}) or task.context.request_commit()])
    rig.run(rig.assign(T0), rig.idle)
    assert rig.said("pre_commit")[0] == {T0: 1}


def test_a_rewind_in_open_wins_over_the_group():
    """How sinks that keep offsets in their target begin (Connect applies it at once)."""
    rig = _rig(open=[lambda task: task.context.offset({T0: 2})])
    rig.consumer.group[T0] = 1
    rig.run(rig.assign(T0), rig.idle)
    assert [batch for batch in rig.said("put") if batch] == [["c"]]


def test_a_rewind_drops_the_waiting_batch_of_its_partition():
    """And leaves the other partition's alone."""

    def put(task):
        task.context.offset({T0: 2})
        raise RetriableError("again from there")

    rig = _rig(put=[put])
    rig.consumer.produce(T1, "x")
    rig.run(rig.assign(T0, T1), rig.until(lambda: rig.loop.counters.batches), rig.idle)
    assert [batch for batch in rig.said("put") if batch] == [["a", "b", "c", "x"], ["x"], ["c"]]


def test_a_failed_pre_commit_after_a_rewind_goes_back_to_the_rewind():
    """Not to the group's offset, which the task has overruled (Connect's lastCommittedOffsets)."""
    rig = _rig(open=[lambda task: task.context.offset({T0: 1})], pre_commit=[ValueError("bad")])
    rig.consumer.group[T0] = 3
    rig.run(rig.assign(T0), rig.idle, rig.interval, rig.idle)
    assert rig.consumer.seeks == [(T0, 1), (T0, 1)]


def test_a_failed_pre_commit_goes_back_below_what_was_committed_before_a_rewind():
    """What the task asked to see again is not durable yet."""
    back = [None, None, lambda task: task.context.offset({T0: 1})]
    rig = _rig(put=back, pre_commit=[None, ValueError("bad")])
    rig.run(rig.assign(T0), rig.interval, rig.idle, rig.interval, rig.idle)
    assert rig.consumer.commits[0] == {T0: 3}
    assert rig.consumer.seeks == [(T0, 1), (T0, 1)]


def test_a_rewind_of_a_partition_that_has_left_is_dropped():
    """A rebalance may come between the request and its fulfilment."""
    rig = _rig(close=[lambda task: task.context.offset({T0: 0})])
    rig.run(rig.assign(T0), rig.revoke(T0), rig.idle)
    assert (rig.consumer.seeks, rig.status.states[-1]) == ([], "STOPPED")


@pytest.mark.parametrize(
    "request_of",
    [
        lambda context: context.offset({T1: 0}),
        lambda context: context.pause(T1),
        lambda context: context.resume(T1),
    ],
    ids=["seek", "pause", "resume"],
)
def test_a_request_about_a_partition_of_others_fails_the_task(request_of):
    """Kafka's consumer refuses it too."""
    rig = _rig(put=[lambda task: request_of(task.context)])
    rig.run(rig.assign(T0), rig.idle)
    assert (rig.consumer.seeks, rig.status.states[-1]) == ([], "FAILED")
    error = rig.status.error
    assert (error.__cause__ or error).code == "task.unassigned"
