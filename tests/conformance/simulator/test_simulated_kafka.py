"""The parts of the simulated Kafka that histories do not reach."""

from __future__ import annotations

import pickle
from functools import partial

import pytest

from plugwright.errors import ConnectError, DataError
from plugwright.record import SourceRecord, TopicPartition
from plugwright.task import SourceTask
from plugwright.worker import (
    Conversion,
    ExactlyOnceGuarantee,
    SourceTaskLoop,
    TaskControl,
    TaskEnvironment,
    TaskIdentity,
)
from plugwright_conformance.simulator import (
    ConsumerGroup,
    Kind,
    PartitionLog,
    Recorder,
    Refusal,
    SimulatedConsumer,
    SimulatedKafka,
    SimulatedOffsetStore,
    SimulatedProducer,
    SimulatedTransactions,
    VirtualClock,
)
from plugwright_conformance.simulator.codec import simulated_codec
from plugwright_conformance.simulator.task_ending import TaskEnding

FILE = {"file": "a"}
HOME = TopicPartition("data", 0)


class Once(SourceTask):
    """Returns the same record at each poll."""

    version = start = stop = lambda *_: "1"

    def poll(self):
        """The record."""
        return [SourceRecord(FILE, {"position": 1}, "data", "a")]


@pytest.fixture
def kafka():
    """An empty one."""
    return SimulatedKafka(VirtualClock())


def test_markers_take_offsets_and_are_never_read():
    """As in Kafka's log format (KIP-98)."""
    log = PartitionLog("t", 0)
    log.append(None, b"a", producer=7)
    log.mark(7, Kind.COMMIT)
    log.append(None, b"b")
    assert [entry.offset for entry in log.read(0, 10, committed=True)] == [0, 2]
    assert (log.end, log.stable) == (3, 3)


def test_stable_offset_is_that_of_the_earliest_open_transaction():
    """A later transaction waits behind it."""
    log = PartitionLog("t", 0)
    log.append(None, b"0")
    log.append(None, b"1", producer=1)
    log.append(None, b"2", producer=2)
    log.mark(2, Kind.COMMIT)
    assert (log.stable, log.end) == (1, 4)
    log.mark(1, Kind.ABORT)
    assert (log.stable, log.end) == (5, 5)
    assert [entry.value for entry in log.read(0, 10, committed=True)] == [b"0", b"2"]


def test_transaction_that_takes_too_long_is_aborted_and_its_producer_fenced(kafka):
    """``transaction.timeout.ms``."""
    session = kafka.transactions.init("t", timeout_s=60)
    kafka.produce("data", b"a", session=session)
    kafka.clock.advance(61)
    with pytest.raises(Refusal, match="INVALID_PRODUCER_EPOCH"):
        kafka.produce("data", b"b", session=session)
    assert (kafka.read("data"), kafka.log("data", 0).end) == ([], 2)


def test_crash_keeps_what_the_broker_has_and_nothing_else(kafka):
    """The client's queue dies with its process, an appended record does not."""
    producer = SimulatedProducer(kafka, Recorder())
    reported = []

    def out(value):
        return ("data", None, None, value, None, None, lambda _, m: reported.append(m.value()))

    producer.send([out(b"a")])
    producer.serve()
    producer.send([out(b"b")])
    survived = pickle.loads(pickle.dumps(kafka))  # noqa: S301  # our own
    assert ([entry.value for entry in survived.read("data")], reported) == ([b"a"], [])


def test_record_is_acknowledged_after_it_was_appended(kafka):
    """Between the two comes a crash that repeats it."""
    recorder, reported = Recorder(), []
    producer = SimulatedProducer(kafka, recorder)
    producer.send(
        [("data", None, None, b"a", None, None, lambda e, m: reported.append(m.offset()))]
    )
    producer.serve()
    assert reported == []
    producer.serve()
    assert reported == [0]
    assert recorder.events == ["produce.append", "produce.acknowledge"]


def test_offset_store_is_a_compacted_topic_in_connects_format(kafka):
    """Key and value as `OffsetStorageWriter` writes them."""
    store = SimulatedOffsetStore(kafka, "offsets", "c", Recorder())
    store.store([(FILE, {"position": 1})])
    store.store([(FILE, {"position": 2})])
    written = [(entry.key, entry.value) for entry in kafka.read("offsets")]
    assert written[-1] == (b'["c", {"file": "a"}]', b'{"position": 2}')
    assert SimulatedOffsetStore(kafka, "offsets", "c", Recorder()).offset(FILE) == {"position": 2}
    assert SimulatedOffsetStore(kafka, "offsets", "d", Recorder()).offset(FILE) is None


@pytest.mark.parametrize("offset", [{"p": [1]}, {1: 1}, "p"], ids=["nested", "key", "no map"])
def test_offset_store_refuses_what_connect_refuses(kafka, offset):
    """Offsets are flat maps of plain values."""
    store = SimulatedOffsetStore(kafka, "offsets", "c", Recorder())
    with pytest.raises(DataError):
        store.store([(FILE, offset)])
    assert kafka.read("offsets") == []


def test_fenced_producer_learns_of_it_at_the_commit(kafka):
    """And nothing of its transaction is visible, nor its offset."""
    store = lambda: SimulatedOffsetStore(kafka, "offsets", "c", Recorder())  # noqa: E731  # short
    zombie = SimulatedTransactions(kafka, Recorder(), "c-0", store)
    zombie.begin()
    SimulatedTransactions(kafka, Recorder(), "c-0", store)
    refused = []
    zombie.send([("data", None, None, b"a", None, None, lambda e, m: refused.append(e))])
    with pytest.raises(ConnectError, match="INVALID_PRODUCER_EPOCH"):
        zombie.commit([(FILE, {"position": 1})])
    assert (refused, kafka.read("data")) == (["INVALID_PRODUCER_EPOCH"], [])
    assert store().offset(FILE) is None


def test_task_of_a_fenced_producer_fails_with_what_the_coordinator_says(kafka):
    """Though the broker has refused its records before that."""
    store = partial(SimulatedOffsetStore, kafka, "offsets", "c", Recorder())
    producer = SimulatedTransactions(kafka, Recorder(), "c-0", store)
    ending = TaskEnding()
    environment = TaskEnvironment(
        identity=TaskIdentity("c", 0, "Once", "1", ""),
        configs={},
        conversion=Conversion(simulated_codec(None, None)),
        control=TaskControl(),
        status=ending,
    )
    loop = SourceTaskLoop(Once(), environment, ExactlyOnceGuarantee(producer, producer.offsets))

    SimulatedTransactions(kafka, Recorder(), "c-0", store)
    loop.run()

    assert (ending.failure.code, kafka.read("data")) == ("transaction.fenced", [])


def test_stale_generation_may_not_commit(kafka):
    """A commit names the generation that its member has joined in."""
    kafka.create_topic("data")
    group = kafka.group("g")
    member = group.join(["data"], 0)
    group.assignment(member, kafka.partitions())
    group.rebalance()
    group.rejoin(member, [])
    group.assignment(member, kafka.partitions())
    with pytest.raises(Refusal, match="ILLEGAL_GENERATION"):
        group.commit({HOME: 1}, member, 1)
    group.commit({HOME: 2}, member, 2)
    assert group.offsets == {HOME: 2}


def test_poll_without_records_lets_the_time_pass(kafka):
    """Waiting is free, and the clock knows of it."""
    kafka.create_topic("data")
    member = SimulatedConsumer(kafka, "g", Recorder())

    class Listener:
        assigned = revoked = lost = staticmethod(lambda _: None)

    member.subscribe(["data"], Listener())
    assert member.poll(10, 0.25) == []
    assert kafka.clock() == 1000.25


def test_cooperative_group_gives_nothing_away_that_is_still_held():
    """The new member waits until the old one has revoked (KIP-429)."""
    group, partitions = ConsumerGroup(cooperative=True), {"data": 2}
    first = group.join(["data"], 0)
    _, both = group.assignment(first, partitions)
    group.settle(first, list(both))
    second = group.join(["data"], 0)
    group.rejoin(first, list(both))
    assert group.assignment(second, partitions) == (2, set())
    _, kept = group.assignment(first, partitions)
    assert kept == {HOME}
    group.settle(first, list(kept))
    for member, owned in ((first, kept), (second, set())):
        group.rejoin(member, list(owned))
    assert group.assignment(second, partitions) == (3, {TopicPartition("data", 1)})
