"""Which source offsets are stored: those below everything that Kafka has acknowledged."""

from __future__ import annotations

import logging

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.runtime.worker.rigs import ScriptedSource, SourceRig, line

from plugwright.errors import ConnectError, DataError
from plugwright.logs import RelayHandler
from plugwright.record import SourceRecord
from plugwright.worker.submitted import stretches

A, B = {"file": "a"}, {"file": "b"}


@pytest.fixture
def rig():
    """A source loop with a scripted task."""
    return SourceRig()


def _lines(file, numbers):
    return [line(file, number) for number in numbers]


def test_nothing_is_stored_before_the_acknowledgement(rig):
    """An interval may pass; the record is still in flight."""
    rig.run(_lines("a", [1]), rig.interval)
    assert rig.offsets.writes == []


def test_an_acknowledged_offset_is_stored_at_the_interval(rig):
    """Once, however many rounds follow."""
    rig.run(_lines("a", [1, 2]), rig.acknowledge(), rig.interval, None, rig.interval)
    assert rig.offsets.writes == [[(A, {"line": 2})]]


def test_nothing_is_stored_before_the_interval(rig):
    """Commits cost, so they wait."""
    seen = []
    rig.run(_lines("a", [1]), rig.acknowledge(), lambda: seen.append(list(rig.offsets.writes)))
    assert seen == [[]]


def test_the_final_commit_waits_for_the_flush_timeout_and_stores(rig):
    """A clean stop stores what was acknowledged meanwhile."""
    rig.run(_lines("a", [1]), lambda: rig.control.stop() or rig.producer.acknowledge())
    assert (rig.producer.flushes, rig.offsets.writes) == ([2.0], [[(A, {"line": 1})]])


def test_what_is_not_acknowledged_in_time_is_not_stored(rig, caplog):
    """It will be read again, and the log says so."""
    rig.run(_lines("a", [1]))
    assert (rig.offsets.writes, rig.status.states[-1]) == ([], "STOPPED")
    assert "orders-3: 1 records not acknowledged within 2 s" in caplog.text


def test_an_unacknowledged_record_holds_back_what_follows_in_its_partition(rig):
    """The stored offset is that of the longest acknowledged prefix."""
    answers = [rig.producer.reorder, rig.producer.acknowledge]
    rig.run(
        _lines("a", [1]),
        _lines("a", [2]),
        _lines("a", [3]),
        lambda: answers[0]([0, 2, 1]) or answers[1](2),
    )
    assert rig.offsets.writes == [[(A, {"line": 1})]]


def test_an_unacknowledged_record_holds_back_no_other_partition(rig):
    """One FIFO per source partition, as in Connect's SubmittedRecords."""
    batch = [*_lines("a", [1, 2]), *_lines("b", [5]), *_lines("a", [3])]
    rig.run(batch, lambda: rig.producer.reorder([2, 0, 1, 3]) or rig.producer.acknowledge(1))
    assert rig.offsets.writes == [[(B, {"line": 5})]]


def test_interleaved_partitions_each_keep_their_own_place(rig):
    """a1 b1 a2 b2, of which the first three arrive."""
    batch = [line("a", 1), line("b", 1), line("a", 2), line("b", 2)]
    rig.run(batch, rig.acknowledge(3))
    assert rig.offsets.stored == {(("file", "a"),): {"line": 2}, (("file", "b"),): {"line": 1}}


def test_equal_partitions_are_one_whatever_the_order_of_their_keys(rig):
    """Equality of the map decides, not the object."""
    first = SourceRecord({"x": 1, "y": 2}, {"n": 1}, "t", "1")
    second = SourceRecord({"y": 2, "x": 1}, {"n": 2}, "t", "2")
    rig.run([first], [second], lambda: rig.producer.reorder([1, 0]) or rig.producer.acknowledge(1))
    assert rig.offsets.writes == []


@pytest.mark.parametrize(
    ("partitions", "expected"),
    [
        ([], []),
        ([A], [(0, 1)]),
        ([A, {"file": "a"}, A], [(0, 3)]),
        ([A, B, B, A], [(0, 1), (1, 3), (3, 4)]),
        ([None, None, A], [(0, 2), (2, 3)]),
    ],
    ids=["none", "one", "equal", "two", "null"],
)
def test_stretches_end_where_the_partition_changes(partitions, expected):
    """Partitions are compared as maps, most often by identity."""
    records = [SourceRecord(partition, None, "t", "v") for partition in partitions]
    assert stretches(records) == expected


def test_a_record_without_a_source_partition_has_no_offset(rig):
    """Connect allows null."""
    rig.run([SourceRecord(None, None, "t", "v")], rig.acknowledge())
    assert (rig.offsets.writes, rig.status.states[-1]) == ([], "STOPPED")


def test_a_null_offset_is_passed_on(rig):
    """Which erases what was stored for the partition."""
    rig.run([SourceRecord(A, None, "t", "v")], rig.acknowledge())
    assert rig.offsets.writes == [[(A, None)]]


def test_commit_is_called_with_nothing_to_store(rig):
    """Connect: on success, also with nothing to flush."""
    rig.run(rig.interval, rig.interval)
    assert rig.calls.count("commit") == 3
    assert rig.offsets.writes == []


def test_a_failed_store_stays_pending_and_is_tried_again(rig):
    """Nothing is forgotten, the task goes on, and its commit waits for success."""
    rig.offsets.failures.append(ConnectError("broker away"))
    rig.run(_lines("a", [1]), rig.acknowledge(), rig.interval, rig.interval)
    assert rig.offsets.writes == [[(A, {"line": 1})]]
    assert (rig.calls.count("commit"), rig.loop.counters.commit_failures) == (2, 1)


def test_trouble_with_offsets_is_logged_as_that(rig):
    """The lines of the one who stores them have a context of their own (KIP-449)."""
    scopes = []
    rig.offsets.failures.append(ConnectError("broker away"))
    handler = RelayHandler(lambda line: scopes.append((line.message[-11:], line.scope)), OSError)
    logging.getLogger("plugwright.worker").addHandler(handler)
    try:
        rig.run(_lines("a", [1]), rig.acknowledge(), rig.interval)
    finally:
        logging.getLogger("plugwright.worker").removeHandler(handler)
    assert ("broker away", "offsets") in scopes


def test_pending_offsets_are_one_for_each_partition(rig):
    """However long the store is away, only the newest is kept."""
    rig.offsets.failures.extend([ConnectError("away"), ConnectError("away")])
    rounds = [
        step for n in (1, 2, 3) for step in (_lines("a", [n]), rig.acknowledge(), rig.interval)
    ]
    rig.run(*rounds)
    assert rig.offsets.writes == [[(A, {"line": 3})]]


def test_a_store_that_fails_to_the_end_does_not_fail_the_task(rig):
    """The records will be read again."""
    rig.offsets.failures.append(ConnectError("away"))
    rig.run(_lines("a", [1]), rig.acknowledge())
    assert (rig.offsets.writes, rig.status.states[-1]) == ([], "STOPPED")


def test_offsets_that_can_never_be_stored_fail_the_task(rig):
    """Trying again for ever would commit nothing and report nothing."""
    rig.offsets.failures.extend([DataError("a list"), DataError("a list")])
    rig.run(_lines("a", [1]), rig.acknowledge(), rig.interval)
    assert isinstance(rig.status.error, DataError)


def test_a_source_partition_that_is_no_plain_map_fails_the_task(rig):
    """`Offsets may only contain primitive types`."""
    rig.run([SourceRecord({"at": object()}, {"n": 1}, "t", "v")])
    assert rig.status.error.code == "offsets.not-plain"


def test_a_failing_poll_still_stores_what_was_acknowledged(rig):
    """Connect's finalOffsetCommit runs after a failure, too."""
    rig.run(_lines("a", [1]), rig.acknowledge(), rig.fail(ValueError("bad")))
    assert (rig.offsets.writes, rig.status.states[-1]) == ([[(A, {"line": 1})]], "FAILED")


def test_a_refusal_stores_what_lies_before_it_and_beside_it(rig):
    """Only the refused record's own partition is held back."""
    rig.run(
        _lines("a", [1]),
        [*_lines("a", [2]), *_lines("b", [9])],
        lambda: rig.producer.acknowledge(1) or rig.producer.refuse(1) or rig.producer.acknowledge(),
    )
    assert rig.offsets.stored == {(("file", "a"),): {"line": 1}, (("file", "b"),): {"line": 9}}
    assert rig.status.states[-1] == "FAILED"


def test_nothing_is_stored_when_the_task_does_not_start():
    """There is nothing to store, and no flush to wait for."""

    class Failing(ScriptedSource):
        def start(self, props):
            raise ValueError("bad")

    rig = SourceRig(Failing).run()
    assert (rig.offsets.writes, rig.producer.flushes) == ([], [])


BATCHES = st.lists(st.sampled_from("abc"), max_size=6)
ANSWERS = st.tuples(st.integers(0, 8), st.randoms(use_true_random=False), st.booleans())
ROUNDS = st.lists(st.one_of(BATCHES, ANSWERS, st.just("interval")), max_size=25)


class _Witness:
    """Notes what is acknowledged, and checks every write of the store against it."""

    def __init__(self, rig, store_fails):
        self.rig = rig
        self.sent = {}
        self.acknowledged = set()
        self.bad = []
        inner = rig.offsets.store
        rig.offsets.failures.extend(
            ConnectError("away") if fails else None for fails in store_fails
        )

        def store(offsets):
            inner(offsets)
            self.bad += [o for o in offsets if not self._safe(o[0]["file"], o[1]["line"])]

        rig.offsets.store = store

    def step(self, round_):
        """The script step for one drawn round."""
        if round_ == "interval":
            return self.rig.interval
        if isinstance(round_, list):
            return [self._next(file) for file in round_]
        return lambda: self._answer(*round_)

    def _next(self, file):
        self.sent[file] = self.sent.get(file, 0) + 1
        return line(file, self.sent[file])

    def _answer(self, count, random, refuse):
        producer = self.rig.producer
        order = list(range(len(producer.in_flight)))
        random.shuffle(order)
        producer.reorder(order)
        count = min(count, len(order))
        values = [record[3].decode() for record in list(producer.in_flight)[:count]]
        if refuse and values:
            producer.refuse(1)
            values, count = values[1:], count - 1
        self.acknowledged.update(values)
        producer.acknowledge(count)

    def _safe(self, file, number):
        return all(f"{file}{n}" in self.acknowledged for n in range(1, number + 1))


@pytest.mark.slow
@settings(max_examples=100, deadline=None)
@given(ROUNDS, st.lists(st.booleans(), max_size=5))
def test_no_stored_offset_is_beyond_an_unacknowledged_record(rounds, store_fails):
    """Whatever the order of polls, answers, refusals, intervals and failing stores."""
    rig = SourceRig()
    witness = _Witness(rig, store_fails)
    rig.run(*[witness.step(round_) for round_ in rounds])
    assert witness.bad == []


@pytest.mark.slow
@settings(max_examples=50, deadline=None)
@given(st.lists(BATCHES, max_size=10))
def test_when_all_is_acknowledged_the_last_offset_of_each_partition_is_stored(batches):
    """Nothing is held back without a reason."""
    rig = SourceRig()
    rig.producer.prompt = True
    witness = _Witness(rig, [])
    steps = [witness.step(batch) for batch in batches]
    witness.acknowledged = {f"{f}{n}" for f, last in witness.sent.items() for n in range(last + 1)}
    rig.run(*steps)
    assert {k[0][1]: v["line"] for k, v in rig.offsets.stored.items()} == witness.sent
