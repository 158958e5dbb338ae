"""The sink loop: order of calls, batches, retries, pause, errors."""

from __future__ import annotations

import pytest
from tests.runtime.worker.rigs import SinkRig

from plugwright.errors import ConnectError, DataError, PluginError, RetriableError
from plugwright.record import TopicPartition
from plugwright.worker import Boundary

T0, T1 = TopicPartition("t", 0), TopicPartition("t", 1)
LATER = RetriableError("endpoint down")


def _rig(**plan):
    rig = SinkRig(**plan)
    rig.consumer.produce(T0, "a", "b")
    return rig


def test_calls_come_in_the_order_of_the_contract():
    """initialize, start, open, put, pre_commit, close, stop."""
    rig = _rig()
    rig.run(rig.assign(T0))
    expected = ["initialize", "start", "open", "put", "pre_commit", "close", "stop"]
    assert rig.order == expected
    assert (rig.consumer.topics, rig.status.states) == (["t"], ["RUNNING", "STOPPED"])


def test_put_gets_the_records_in_order():
    """With topic, partition and offset in Kafka's coordinates."""
    taken = []
    rig = _rig()
    rig.task.put = taken.extend
    rig.run(rig.assign(T0))
    assert [(r.value, r.topic, r.kafka_partition, r.kafka_offset) for r in taken] == [
        ("a", "t", 0, 0),
        ("b", "t", 0, 1),
    ]


def test_put_is_called_with_nothing_on_an_idle_topic():
    """Tasks use empty puts to flush by time (Connect's contract)."""
    rig = SinkRig()
    rig.run(rig.assign(T0), rig.idle)
    assert rig.said("put") == [[], [], []]


def test_a_poll_takes_at_most_500_records():
    """The rest comes with the next one, nothing is left out."""
    rig = SinkRig()
    rig.consumer.produce(T0, *map(str, range(1100)))
    rig.run(rig.assign(T0), rig.idle)
    assert [len(batch) for batch in rig.said("put")] == [500, 500, 100]
    assert (rig.loop.counters.records, rig.loop.counters.batches) == (1100, 3)


def test_put_cannot_spoil_the_batch_it_may_get_again():
    """The task is given a copy."""
    batches = []

    def put(records):
        batches.append(len(records))
        records.clear()
        if len(batches) == 1:
            raise LATER

    rig = _rig()
    rig.task.put = put
    rig.run(rig.assign(T0), rig.until(lambda: len(batches) > 1))
    assert batches[:2] == [2, 2]


def test_a_retriable_put_brings_the_same_batch_again():
    """Although more has been written meanwhile."""
    rig = _rig(put=[LATER])
    rig.run(
        rig.assign(T0), rig.produce(T0, "c"), rig.until(lambda: rig.loop.counters.batches), rig.idle
    )
    assert [batch for batch in rig.said("put") if batch] == [["a", "b"], ["a", "b"], ["c"]]
    assert rig.loop.counters.retries == 1


def test_records_that_arrive_during_a_retry_wait_behind_the_batch():
    """A client that ignores the pause does not change the batch either."""
    rig = _rig(put=[LATER, LATER])
    rig.consumer.pause = lambda partitions: None
    rig.run(
        rig.assign(T0), rig.produce(T0, "c"), rig.until(lambda: rig.loop.counters.batches), rig.idle
    )
    assert [batch for batch in rig.said("put") if batch] == [["a", "b"]] * 3 + [["c"]]


def test_a_retry_waits_as_long_as_the_task_asks():
    """SinkTaskContext.timeout, to the millisecond."""
    times = []

    def put(task):
        times.append(rig.clock.now)
        if len(times) == 1:
            task.context.timeout(330)
            raise LATER

    rig = _rig(put=[put, put])
    rig.run(rig.assign(T0), rig.until(lambda: len(times) > 1))
    assert times[1] - times[0] == pytest.approx(0.33)


def test_a_retry_waits_a_second_unless_specified():
    """No busy loop against an endpoint that is down."""
    times = []
    again = [lambda _: times.append(rig.clock.now)]
    rig = _rig(put=[lambda _: again[0](_) or _raise(LATER), *again])
    rig.run(rig.assign(T0), rig.until(lambda: len(times) > 1))
    assert times[1] - times[0] == pytest.approx(1.0)


def test_a_long_retry_keeps_polling_with_its_partitions_paused():
    """Group membership lives on, and memory does not grow."""
    rig = _rig(put=[lambda task: task.context.timeout(60_000) or _raise(LATER)], interval_s=600.0)
    rig.consumer.produce(T1, *map(str, range(900)))
    seen = []
    rig.run(
        rig.assign(T0, T1),
        *[lambda: seen.append((set(rig.consumer.paused), len(rig.loop._arrived)))] * 10,
    )
    assert seen == [({T0, T1}, 0)] * 10


def test_a_successful_retry_resumes_what_the_task_has_not_paused():
    """Connect keeps the task's own pauses."""
    rig = _rig(put=[lambda task: task.context.pause(T1) or _raise(LATER)])
    rig.run(rig.assign(T0, T1), rig.until(lambda: rig.loop.counters.batches))
    assert T1 in rig.consumer.paused
    assert T0 not in rig.consumer.paused


def test_the_timeout_of_the_task_bounds_the_next_poll_only():
    """Then the loop polls as usual."""
    rig = _rig(put=[lambda task: task.context.timeout(50)])
    rig.run(rig.assign(T0), rig.idle, rig.idle)
    assert rig.consumer.polls == [0.2, 0.05, 0.2, 0.2]


@pytest.mark.parametrize("timeout_ms", [0, -1, -500])
def test_a_timeout_that_is_none_is_ignored(timeout_ms):
    """A negative one would make the client wait for ever."""
    rig = _rig(put=[lambda task: task.context.timeout(timeout_ms)])
    rig.run(rig.assign(T0), rig.idle)
    assert rig.consumer.polls == [0.2, 0.2, 0.2]


def test_a_failing_put_fails_the_task_and_commits_what_came_before():
    """Nothing of the failing batch; plugin and phase are named."""
    rig = _rig(put=[None, ValueError("bad")])
    rig.run(rig.assign(T0), rig.produce(T0, "c"), rig.idle)
    assert str(rig.status.error) == "shop.OrdersTask 1.4.0 failed in put: bad"
    assert rig.consumer.group == {T0: 2}
    assert rig.order[-3:] == ["pre_commit", "close", "stop"]


@pytest.mark.parametrize("phase", ["initialize", "start", "open", "put", "close", "stop"])
def test_a_failing_call_fails_the_task_and_names_plugin_and_phase(phase):
    """Plugin, version, location and phase are in the error, and stop is called."""
    rig = _rig(**{phase: [ValueError("bad")]})
    rig.run(rig.assign(T0), rig.idle)
    assert isinstance(rig.status.error, PluginError)
    assert rig.status.error.facts | {"phase": phase, "version": "1.4.0"} == rig.status.error.facts
    assert rig.order[-1] == "stop"
    assert rig.status.states[-1] == "FAILED"


def test_nothing_is_subscribed_when_the_task_does_not_start():
    """No partition is taken from the rest of the group."""
    rig = _rig(start=[ValueError("bad")])
    rig.run()
    assert (rig.consumer.topics, rig.order[-1]) == (None, "stop")


def test_an_unreadable_record_fails_the_task_and_puts_nothing_of_its_poll():
    """Offsets stay before it, so nothing is skipped."""
    rig = _rig()
    bad = rig.consumer.log[T0][1].__class__(("t", 0, 2), b"\xff")
    rig.consumer.log[T0].append(bad)
    rig.run(rig.assign(T0))
    assert isinstance(rig.status.error, DataError)
    assert (rig.said("put"), rig.consumer.group) == ([], {})


def test_a_consumer_that_fails_fails_the_task_after_a_commit():
    """What was put before is asked for and committed."""
    rig = _rig()
    rig.run(rig.assign(T0), lambda: _raise(ConnectError("fenced", code="kafka.consume-failed")))
    assert rig.status.error.code == "kafka.consume-failed"
    assert rig.consumer.group == {T0: 2}


def test_a_pause_stops_fetching_commits_and_keeps_the_membership():
    """Polls go on, puts do not; offsets are committed at once, as in Connect."""
    rig = _rig()
    during = []
    rig.run(
        rig.assign(T0, T1),
        rig.control.pause,
        rig.produce(T0, "c"),
        lambda: during.append((set(rig.consumer.paused), dict(rig.consumer.group))),
        rig.control.resume,
        rig.idle,
    )
    assert during == [({T0, T1}, {T0: 2, T1: 0})]
    assert rig.status.states == ["RUNNING", "PAUSED", "RUNNING", "STOPPED"]
    assert [batch for batch in rig.said("put") if batch] == [["a", "b"], ["c"]]


def test_partitions_that_come_during_a_pause_are_paused_too():
    """They are opened, but nothing is fetched."""
    rig = _rig()
    seen = []
    rig.run(
        rig.control.pause,
        rig.assign(T0),
        lambda: seen.append((set(rig.consumer.paused), len(rig.loop._arrived))),
    )
    assert (seen, rig.said("open")) == ([({T0}, 0)], [[T0]])


def test_the_pauses_of_the_task_survive_a_pause_of_the_connector():
    """Only the rest is resumed."""
    rig = _rig(put=[lambda task: task.context.pause(T1)])
    rig.run(rig.assign(T0, T1), rig.control.pause, rig.control.resume, rig.idle)
    assert T1 in rig.consumer.paused
    assert T0 not in rig.consumer.paused


def test_a_resume_during_a_retry_leaves_the_batch_alone():
    """Partitions stay paused until the batch has been put."""
    rig = _rig(put=[lambda task: task.context.timeout(60_000) or _raise(LATER)])
    seen = []
    rig.run(
        rig.assign(T0),
        rig.control.pause,
        rig.control.resume,
        rig.idle,
        lambda: seen.extend(rig.consumer.paused),
    )
    assert seen == [T0]


def test_a_retry_that_is_due_waits_for_the_resume_without_a_busy_loop():
    """Polls go on at their usual pace."""
    rig = _rig(put=[LATER])
    rig.run(rig.assign(T0), rig.control.pause, *[rig.idle] * 9)
    assert set(rig.consumer.polls[3:]) == {0.2}


def test_a_poll_does_not_outlast_the_commit_interval():
    """The commit is on time."""
    rig = SinkRig(interval_s=0.05)
    rig.run(rig.assign(T0), rig.idle)
    assert rig.consumer.polls == pytest.approx([0.05, 0.05, 0.05])


def test_a_stop_during_a_pause_ends_the_task():
    """With its commit and close."""
    rig = _rig()
    rig.run(rig.assign(T0), rig.control.pause, rig.idle)
    assert (rig.status.states[-1], rig.order[-1]) == ("STOPPED", "stop")


def test_the_task_may_resume_what_it_paused():
    """SinkTaskContext.pause and resume."""
    plan = [lambda task: task.context.pause(T0), lambda task: task.context.resume(T0)]
    rig = _rig(put=plan)
    during = []
    rig.run(rig.assign(T0), lambda: during.extend(rig.consumer.paused), rig.idle)
    assert (during, rig.consumer.paused) == ([T0], set())


def test_the_context_tells_configuration_and_assignment():
    """And that no one listens for errant records (KIP-610)."""
    reported = []
    rig = _rig(
        put=[lambda task: reported.append((task.context.configs, task.context.assignment()))]
    )
    rig.run(rig.assign(T0, T1))
    assert reported == [({"topics": "t"}, [T0, T1])]
    assert rig.task.context.errant_record_reporter() is None


def test_boundaries_are_announced_where_a_crash_matters():
    """In this order, for one batch."""
    rig = _rig()
    rig.run(rig.assign(T0))
    assert rig.boundaries[:4] == [
        Boundary.START,
        Boundary.OPEN,
        Boundary.PUT_ENTER,
        Boundary.PUT_RETURN,
    ]
    assert [boundary.value for boundary in rig.boundaries[-5:]] == [
        "pre-commit.enter",
        "pre-commit.return",
        "close",
        "consumer-commit",
        "stop",
    ]


def _raise(error):
    raise error
