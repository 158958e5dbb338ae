"""Kafka as a data source of Spark, against a live Kafka."""

from __future__ import annotations

import contextlib
import time
from datetime import UTC, datetime

import pytest
from confluent_kafka import Producer

from plugwright.kafka import create_topic
from plugwright.spark.kafka_source import FORMAT, KafkaDataSource

pytestmark = [pytest.mark.spark, pytest.mark.kafka]

NOON = 1_735_732_800_000  # 2025-01-01T12:00:00Z


@pytest.fixture
def spark(spark_session):
    """The session, with the data source."""
    spark_session.dataSource.register(KafkaDataSource)
    return spark_session


@pytest.fixture
def options(broker):
    """The options of every reader."""
    return {"kafka.bootstrap.servers": broker.bootstrap_servers}


def _transaction(broker, topic, values, *, commit):
    producer = Producer(
        {"bootstrap.servers": broker.bootstrap_servers, "transactional.id": f"{topic}-writer"}
    )
    producer.init_transactions()
    producer.begin_transaction()
    for value in values:
        producer.produce(topic, value, partition=0)
    producer.flush()
    (producer.commit_transaction if commit else producer.abort_transaction)()


def _write(broker, topic, values, partition=0):
    producer = Producer({"bootstrap.servers": broker.bootstrap_servers})
    for value in values:
        producer.produce(topic, value, partition=partition)
    assert producer.flush(30) == 0


def _plain(row):
    headers = row.headers and [(each.key, each.value) for each in row.headers]
    return (row.key, row.value, row.partition, row.offset, row.timestampType, headers)


def test_a_batch_reads_all_columns_up_to_the_last_committed_record(spark, options, broker, fresh):
    """Keys, values and headers may be missing; markers and aborted records are passed over."""
    topic = fresh("rows")
    create_topic(broker.bootstrap_servers, topic, partitions=2, config={"retention.ms": "-1"})
    producer = Producer({"bootstrap.servers": broker.bootstrap_servers})
    headers = [("trace", b"\x00\xff"), ("empty", None), ("trace", b"")]
    producer.produce(topic, b"v1", b"k1", partition=0, timestamp=NOON, headers=headers)
    producer.produce(topic, None, b"k2", partition=0, timestamp=NOON + 1)
    producer.produce(topic, b"", None, partition=1, timestamp=NOON + 2)
    assert producer.flush(30) == 0
    _transaction(broker, topic, [b"kept"], commit=True)  # offset 2, its marker 3
    _transaction(broker, topic, [b"void", b"void"], commit=False)  # 4 and 5, their marker 6

    given = options | {"subscribe": topic, "includeHeaders": "true", "minPartitions": "4"}
    rows = spark.read.format(FORMAT).options(**given).load().collect()
    found = sorted(rows, key=lambda row: (row.partition, row.offset))

    assert [_plain(row) for row in found] == [
        (b"k1", b"v1", 0, 0, 0, [("trace", b"\x00\xff"), ("empty", None), ("trace", b"")]),
        (b"k2", None, 0, 1, 0, None),
        (None, b"kept", 0, 2, 0, None),
        (None, b"", 1, 0, 0, None),
    ]
    assert found[0].timestamp.astimezone(UTC) == datetime(2025, 1, 1, 12, tzinfo=UTC)
    assert {row.topic for row in found} == {topic}
    with pytest.raises(Exception, match="topic nowhere does not exist") as caught:
        spark.read.format(FORMAT).options(**options, subscribe="nowhere").load().count()
    assert "subscribe" in str(caught.value)


class Query:
    """A stream into a Parquet-free place: each batch's values, kept by the test."""

    def __init__(self, spark, options, checkpoint):
        self.values, self.batches = [], []
        rows = spark.readStream.format(FORMAT).options(**options).load()

        def keep(frame, batch):
            found = [row.value.decode() for row in frame.select("value").collect()]
            self.values += found
            self.batches.append((batch, len(found)))

        self.query = (
            rows.writeStream.foreachBatch(keep).option("checkpointLocation", checkpoint).start()
        )

    def wait_for(self, count):
        """Until so many values have come."""
        deadline = time.monotonic() + 60
        while len(self.values) < count and self.query.isActive:
            assert time.monotonic() < deadline, self.values
            time.sleep(0.05)
        self.query.processAllAvailable()

    def stop(self):
        """End it."""
        with contextlib.suppress(Exception):
            self.query.stop()


def test_a_stream_goes_on_from_its_checkpoint(spark, options, broker, fresh, tmp_path):
    """Nothing is lost and nothing comes twice, batches have their limit, new partitions join in."""
    topic = fresh("stream")
    create_topic(broker.bootstrap_servers, topic)
    _write(broker, topic, [f"a{n}" for n in range(10)])
    given = options | {
        "subscribe": topic,
        "startingOffsets": "earliest",
        "maxOffsetsPerTrigger": "4",
    }
    first = Query(spark, given, str(tmp_path))
    first.wait_for(10)
    first.stop()
    _write(broker, topic, [f"b{n}" for n in range(5)])

    second = Query(spark, given, str(tmp_path))
    second.wait_for(5)
    _write(broker, topic, ["c"])
    second.wait_for(6)
    second.stop()

    assert first.values == [f"a{n}" for n in range(10)]
    assert [size for _, size in first.batches] == [4, 4, 2]
    assert second.values == [*(f"b{n}" for n in range(5)), "c"]
