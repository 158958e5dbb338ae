"""Partitions come and go: open, commit and close, and nothing lost on the way."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.runtime.worker.rigs import RecordingSink, SinkRig

from plugwright.errors import ConnectError, RetriableError
from plugwright.record import TopicPartition

T0, T1, T2 = (TopicPartition("t", number) for number in range(3))
LATER = RetriableError("endpoint down")


def _rig(**plan):
    rig = SinkRig(**plan)
    rig.consumer.produce(T0, "a", "b")
    rig.consumer.produce(T1, "x")
    return rig


def test_a_revocation_commits_and_closes_the_named_partitions_only():
    """Cooperative rebalances pass deltas."""
    rig = _rig()
    seen = []
    rig.run(
        rig.assign(T0, T1),
        rig.revoke(T0),
        lambda: seen.append((dict(rig.consumer.group), rig.said("close"))),
    )
    assert seen == [({T0: 2}, [[T0]])]
    assert rig.said("pre_commit")[0] == {T0: 2}


def test_a_revocation_drops_the_waiting_records_of_its_partitions():
    """Their new owner gets them; the others stay."""
    rig = _rig(put=[LATER])
    rig.run(rig.assign(T0, T1), rig.revoke(T0), rig.until(lambda: rig.loop.counters.batches))
    assert [batch for batch in rig.said("put") if batch] == [["a", "b", "x"], ["x"]]


def test_lost_partitions_are_closed_without_a_commit():
    """It is too late for that."""
    rig = _rig()
    rig.run(rig.assign(T0, T1), rig.lose(T0), rig.idle)
    assert rig.said("close")[0] == [T0]
    assert T0 not in rig.consumer.group
    assert rig.said("pre_commit") == [{T1: 1}]


def test_a_partition_that_comes_back_begins_where_the_group_stands():
    """What this member remembered of it is forgotten."""
    rig = _rig()
    rig.run(
        rig.assign(T0),
        rig.revoke(T0),
        lambda: rig.consumer.group.update({T0: 1}),
        rig.assign(T0),
        rig.interval,
        rig.idle,
    )
    assert [batch for batch in rig.said("put") if batch] == [["a", "b"], ["b"]]
    assert rig.consumer.group == {T0: 2}


def test_a_partition_that_comes_back_is_not_committed_before_its_records_were_put():
    """What was put in its earlier time here does not count."""
    rig = _rig(put=[None, None, lambda task: task.context.timeout(60_000) or _raise(LATER)])
    rig.run(rig.assign(T0), rig.lose(T0), rig.assign(T0), rig.interval, rig.idle)
    assert {offset for asked in rig.said("pre_commit") for offset in asked.values()} == {0}
    assert rig.consumer.commits == []


def test_new_partitions_are_opened_without_the_old_ones():
    """Only the delta."""
    rig = _rig()
    rig.run(rig.assign(T0), rig.assign(T1))
    assert rig.said("open") == [[T0], [T1]]


def test_new_partitions_wait_while_a_batch_is_retried():
    """Everything is paused until the batch is through."""
    rig = _rig(put=[lambda task: task.context.timeout(5_000) or _raise(LATER)])
    seen = []
    rig.run(rig.assign(T0), rig.assign(T1), lambda: seen.append(set(rig.consumer.paused)))
    assert seen == [{T0, T1}]


def test_a_batch_that_left_holds_back_nothing():
    """When all its partitions are gone, new ones are read at once (Connect's rule)."""
    rig = _rig(put=[lambda task: task.context.timeout(60_000) or _raise(LATER)])
    rig.run(rig.assign(T0), rig.revoke(T0), rig.assign(T1), rig.idle)
    assert ["x"] in rig.said("put")


def test_the_pauses_of_the_task_survive_a_rebalance():
    """An eager rebalance takes a partition and gives it back; it stays paused."""
    rig = _rig(put=[lambda task: task.context.pause(T0)])
    rig.run(rig.assign(T0, T1), rig.revoke(T0, T1), rig.assign(T0, T1), rig.idle)
    assert T0 in rig.consumer.paused
    assert T1 not in rig.consumer.paused


def test_a_pause_of_a_partition_that_went_is_forgotten():
    """If it ever comes back, it is read."""
    rig = _rig(put=[lambda task: task.context.pause(T0)])
    rig.run(rig.assign(T0), rig.revoke(T0), rig.assign(T1), rig.assign(T0), rig.idle)
    assert T0 not in rig.consumer.paused


@pytest.mark.parametrize("phase", ["open", "close"])
def test_an_error_in_a_rebalance_fails_the_task_in_the_next_poll(phase):
    """It does not cross the client's callback."""
    rig = _rig(**{phase: [ValueError("bad")]})
    returned = []
    rig.run(
        lambda: rig.consumer.assign(T0),
        lambda: rig.consumer.revoke(T0) or returned.append(True),
    )
    assert rig.status.error.facts["phase"] == phase
    assert rig.order[-1] == "stop"


def test_partitions_are_closed_before_their_offsets_are_committed():
    """A sink may complete its files in ``close``, as in Kafka Connect; if it fails, nothing is."""
    rig, broken = _rig(), _rig(close=[ValueError("bad")])
    for each in (rig, broken):
        each.run(each.assign(T0), each.revoke(T0))

    events = [boundary.value for boundary in rig.boundaries]
    assert events.index("close") < events.index("consumer-commit")
    assert (rig.consumer.commits, broken.consumer.commits) == ([{T0: 2}], [])


def test_the_first_error_of_a_rebalance_is_the_one_reported():
    """Closing fails, then opening fails: closing it was."""
    rig = _rig(close=[ValueError("first")], open=[None, ValueError("second")])
    rig.run(rig.assign(T0), lambda: rig.consumer.revoke(T0) or rig.consumer.assign(T1))
    assert "first" in str(rig.status.error)


def test_nothing_that_a_failed_rebalance_polled_is_put():
    """The task has not opened those partitions."""
    rig = _rig(open=[ValueError("bad")])
    rig.run(rig.assign(T0))
    assert rig.said("put") == []


def test_offsets_that_cannot_be_read_fail_the_task():
    """Without them the task cannot know where it stands."""
    rig = _rig()
    rig.consumer.positions = lambda _: _raise(ConnectError("no coordinator", code="kafka.x"))
    rig.run(rig.assign(T0))
    assert rig.status.error.code == "kafka.x"


def test_leaving_the_group_after_the_end_calls_the_task_no_more():
    """The client calls back on close; the task was closed and stopped before."""
    rig = _rig()
    rig.run(rig.assign(T0))
    rig.consumer.close()
    assert rig.calls[-1] == ("stop",)
    assert rig.said("close") == [[T0]]


def test_a_task_without_partitions_is_not_closed():
    """There is nothing to close."""
    rig = _rig().run()
    assert (rig.said("close"), rig.order[-1]) == ([], "stop")


class _Crash(BaseException):
    """The process is gone."""


class DurableSink(RecordingSink):
    """Buffers in memory, and writes to ``target`` only in pre_commit."""

    target: set

    def __init__(self, calls, plan):
        super().__init__(calls, plan)
        self._buffer = {}

    def put(self, records):
        """Keep the records."""
        super().put(records)
        for record in records:
            home = TopicPartition(record.topic, record.kafka_partition)
            self._buffer.setdefault(home, set()).add((home, record.kafka_offset))

    def pre_commit(self, offsets):
        """Write what lies below the offsets."""
        super().pre_commit(offsets)
        for partition, offset in offsets.items():
            durable = {r for r in self._buffer.get(partition, ()) if r[1] < offset}
            self.target |= durable
        return offsets

    def close(self, partitions):
        """Forget what was not written."""
        super().close(partitions)
        for partition in partitions:
            self._buffer.pop(partition, None)


STEPS = st.lists(
    st.one_of(
        st.tuples(st.sampled_from(["assign", "revoke", "lose"]), st.sets(st.sampled_from("012"))),
        st.tuples(st.just("produce"), st.lists(st.sampled_from("012"), max_size=5)),
        st.tuples(st.sampled_from(["interval", "pause", "resume", "idle", "crash"]), st.none()),
    ),
    max_size=20,
)
TROUBLE = st.lists(st.sampled_from([None, None, "later", "rewind", "fail"]), max_size=10)


class _World:
    """A group that lives through the crashes of its only member."""

    def __init__(self, trouble, commit_trouble):
        self.target = set()
        self.trouble = iter(trouble)
        self.commit_trouble = iter(commit_trouble)
        self.consumer = None

    def member(self):
        """A new process with a new task; log and group stay."""
        rig = SinkRig(task_class=DurableSink)
        rig.task.target = self.target
        put, pre_commit = rig.task.put, rig.task.pre_commit
        rig.task.put = lambda records: put(records) or self._upset(rig, next(self.trouble, None))
        rig.task.pre_commit = lambda o: (
            self._upset(rig, next(self.commit_trouble, None)) or (pre_commit(o))
        )
        if self.consumer is not None:
            rig.consumer.log, rig.consumer.group = self.consumer.log, self.consumer.group
        self.consumer = rig.consumer
        return rig

    def _upset(self, rig, trouble):
        if trouble == "later":
            raise LATER
        if trouble == "fail":
            raise ValueError("bad")
        if trouble == "rewind" and (owned := rig.consumer.assignment()):
            rig.task.context.offset({owned[0]: rig.consumer.group.get(owned[0], 0)})

    def play(self, steps):
        """One process after another, until the steps are used up."""
        while steps:
            rig, done = self.member(), []
            scripted = [self._step(rig, step, done) for step in steps]
            with suppress(_Crash):
                rig.run(*scripted)
            assert done, "a process without a step would go on for ever"
            steps = steps[len(done) :]

    def _step(self, rig, step, done):
        def run():
            done.append(step)
            self._act(rig, *step)
            self.check()

        return run

    def _act(self, rig, action, about):
        consumer = rig.consumer
        partitions = [TopicPartition("t", int(number)) for number in about or ()]
        owned = set(consumer.assignment())
        if action == "crash":
            raise _Crash
        if action == "produce":
            for partition in partitions:
                consumer.produce(partition, "v")
        elif action == "assign":
            consumer.assign(*sorted(set(partitions) - owned))
        elif action in {"revoke", "lose"}:
            getattr(consumer, action)(*sorted(set(partitions) & owned))
        elif action in {"pause", "resume"}:
            getattr(rig.control, action)()
        elif action == "interval":
            rig.interval()

    def check(self):
        """Everything below the group's offsets is in the target."""
        missing = [
            (partition, offset)
            for partition, end in self.consumer.group.items()
            for offset in range(end)
            if (partition, offset) not in self.target
        ]
        assert not missing


@pytest.mark.slow
@settings(max_examples=100, deadline=None)
@given(STEPS, TROUBLE, TROUBLE)
def test_no_record_below_a_committed_offset_is_missing_from_the_target(
    steps, trouble, commit_trouble
):
    """Whatever retries, rewinds, failures, rebalances and crashes come."""
    world = _World(trouble, commit_trouble)
    world.play(steps)
    if world.consumer is not None:
        world.check()


@pytest.mark.slow
@settings(max_examples=50, deadline=None)
@given(STEPS, TROUBLE, TROUBLE)
def test_after_all_trouble_a_healthy_task_delivers_everything(steps, trouble, commit_trouble):
    """At-least-once: nothing is ever lost for good."""
    world = _World(trouble, commit_trouble)
    world.play(steps)
    world.trouble = world.commit_trouble = iter(())
    rig = world.member()
    everything = {(p, m.offset()) for p, log in rig.consumer.log.items() for m in log}
    rig.run(rig.assign(T0, T1, T2), rig.until(lambda: rig.order[-1] == "put" or not everything))
    assert everything <= world.target


def _raise(error):
    raise error
