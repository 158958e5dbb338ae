"""Ranges of offsets read from a live Kafka: to their ends, over gaps, where records are gone."""

from __future__ import annotations

import pytest
from confluent_kafka import Producer
from confluent_kafka import TopicPartition as ClientPartition
from confluent_kafka.admin import AdminClient

from plugwright.errors import ConnectError
from plugwright.kafka import LogPositions, OffsetRange, Subscription, create_topic, read_ranges
from plugwright.record import TopicPartition

pytestmark = pytest.mark.kafka


class Log:
    """A topic with two partitions."""

    def __init__(self, broker, name):
        self.servers, self.name = broker.bootstrap_servers, name
        create_topic(self.servers, name, partitions=2)

    def write(self, *values, partition=0, timestamp=0):
        """Some records."""
        producer = Producer({"bootstrap.servers": self.servers})
        for value in values:
            producer.produce(self.name, value, partition=partition, timestamp=timestamp)
        assert producer.flush(30) == 0

    def transact(self, *values, commit):
        """Some records in a transaction, and its marker."""
        producer = Producer({"bootstrap.servers": self.servers, "transactional.id": self.name})
        producer.init_transactions()
        producer.begin_transaction()
        for value in values:
            producer.produce(self.name, value, partition=0)
        producer.flush()
        (producer.commit_transaction if commit else producer.abort_transaction)()

    def delete_before(self, offset):
        """Have Kafka forget records."""
        admin = AdminClient({"bootstrap.servers": self.servers})
        (asked,) = admin.delete_records([ClientPartition(self.name, 0, offset)]).values()
        asked.result(30)

    def read(self, *ranges, fail=True, **client):
        """Partition, offset and value of what is read."""
        wanted = [OffsetRange(self.name, *each) for each in ranges]
        found = read_ranges(self.servers, wanted, client, timeout_s=20.0, fail_on_data_loss=fail)
        return sorted((m.partition(), m.offset(), m.value()) for part in found for m in part)

    def positions(self, topic=None):
        """Of the topic."""
        return LogPositions(self.servers, Subscription(topics=(topic or self.name,)), {})


@pytest.fixture
def log(broker, fresh):
    """New."""
    return Log(broker, fresh("log"))


def test_a_range_ends_by_position(log):
    """Whatever gaps markers and aborted records leave, in the middle or at its end."""
    log.write(b"a", b"b")
    log.write(b"c", partition=1)
    log.transact(b"kept", commit=True)  # offset 2, its marker 3
    log.transact(b"void", b"void", commit=False)  # 4 and 5, their marker 6

    committed = log.read((0, 1, 7), (1, 0, 1))
    everything = log.read((0, 3, 7), **{"isolation.level": "read_uncommitted"})

    assert committed == [(0, 1, b"b"), (0, 2, b"kept"), (1, 0, b"c")]
    assert everything == [(0, 4, b"void"), (0, 5, b"void")]
    assert log.read((0, 3, 4), (1, 0, 1)) == [(1, 0, b"c")]


def test_records_that_kafka_has_deleted_are_reported(log):
    """Or passed over, where that was asked for."""
    log.write(*(str(number).encode() for number in range(10)))
    log.delete_before(6)

    with pytest.raises(ConnectError, match=r"the partition begins at offset 6") as caught:
        log.read((0, 2, 8))

    assert (caught.value.code, "failOnDataLoss=false" in caught.value.hint) == (
        "kafka.data-lost",
        True,
    )
    assert log.read((0, 2, 8), fail=False) == [(0, 6, b"6"), (0, 7, b"7")]
    assert log.read((0, 2, 5), fail=False) == []
    with pytest.raises(ConnectError, match="the partition ends at offset 10"):
        log.read((0, 8, 12))


def test_positions_are_those_of_the_log(log):
    """Its beginning, its end, and a time between; asking for a topic does not make it."""
    log.write(b"old", timestamp=1_000)
    log.write(b"new", timestamp=5_000)
    log.delete_before(1)
    first, second = TopicPartition(log.name, 0), TopicPartition(log.name, 1)
    positions = log.positions()

    assert positions.partitions() == [first, second]
    assert positions.earliest([first, second]) == {first: 1, second: 0}
    assert positions.latest([first, second]) == {first: 2, second: 0}
    assert positions.since({first: 2_000, second: 2_000}) == {first: 1, second: 0}
    assert positions.since({first: 6_000}) == {first: 2}
    nowhere = log.positions(f"{log.name}-nowhere")
    assert [list(nowhere.partitions()), list(nowhere.partitions())] == [[], []]
