"""The settings of a sink about its engine, and what sources receive."""

from __future__ import annotations

import pytest

from plugwright.herder import WorkerConfig
from plugwright.herder.engine_config import (
    engine_info,
    is_streamed,
    stream_settings,
    validate_engine,
)

WORKER = {
    "bootstrap.servers": "kafka:9092",
    "key.converter": "StringConverter",
    "value.converter": "StringConverter",
    "offset.storage.topic": "o",
}


def _errors(properties, *, sink):
    found = validate_engine(properties, sink=sink)
    return {value.name: value.error_messages for value in found if value.error_messages}


def test_tasks_are_resident_unless_the_sink_says_otherwise():
    """Existing configurations mean what they meant."""
    assert [is_streamed({}), is_streamed({"spark.engine": "stream"})] == [False, True]


def test_wrong_settings_are_reported_together():
    """In the words of all settings."""
    found = _errors(
        {
            "spark.engine": "fast",
            "spark.engine.batch.max.records": "0",
            "spark.engine.kafka.source": "java",
        },
        sink=True,
    )

    assert list(found) == [
        "spark.engine",
        "spark.engine.batch.max.records",
        "spark.engine.kafka.source",
    ]
    assert list(found["spark.engine"]) == [
        "Invalid value fast for configuration spark.engine: String must be one of: resident, stream"
    ]


def test_a_source_cannot_be_streamed():
    """The reason and the fix are in the problem."""
    assert {k: list(v) for k, v in _errors({"spark.engine": "stream"}, sink=False).items()} == {
        "spark.engine": [
            (
                "Invalid value stream for configuration spark.engine: a source connector runs "
                "only as resident tasks, because a Spark stream cannot use offsets that are known "
                "only after a poll, nor Kafka transactions; remove the setting"
            )
        ]
    }


@pytest.mark.parametrize("properties", [{}, {"spark.engine": "resident"}], ids=str)
def test_a_source_has_resident_tasks(properties):
    """Nothing is said of it."""
    assert list(validate_engine(properties, sink=False)) == []


def test_settings_become_those_of_the_stream():
    """Each connector has a directory of its own; overrides of the consumer name the group."""
    properties = {
        "name": "orders",
        "spark.engine": "stream",
        "spark.engine.checkpoint.location": "hdfs://cluster/checkpoints/",
        "spark.engine.batch.max.records": "500",
        "spark.engine.batch.interval.ms": "250",
        "consumer.override.group.id": "mine",
    }

    found = stream_settings(WorkerConfig.parse(WORKER), properties)

    assert (found.location, found.group) == ("hdfs://cluster/checkpoints/orders", "mine")
    assert (found.max_records, found.interval_s, found.spark_source) == (500, 0.25, False)


def test_checkpoints_are_in_the_cache_by_default(monkeypatch, tmp_path):
    """The group is what the connector's name says."""
    monkeypatch.setenv("PLUGWRIGHT_CACHE", str(tmp_path))

    found = stream_settings(WorkerConfig.parse(WORKER), {"name": "orders"})

    assert (found.location, found.group) == (
        f"file://{tmp_path}/checkpoints/orders",
        "connect-orders",
    )


def test_the_status_says_what_is_different_about_a_stream():
    """Offset owner and latency; nothing of resident tasks."""
    properties = {
        "name": "orders",
        "spark.engine": "stream",
        "spark.engine.checkpoint.location": "/checkpoints",
    }

    found = engine_info(properties)

    assert (found.name, found.offsets, found.latency) == (
        "stream",
        "owned by the checkpoint in /checkpoints/orders, mirrored to group connect-orders",
        "records wait for the next batch; batches start at least 100 ms apart",
    )
    assert engine_info({"name": "orders"}) is None
