"""A configuration written for Kafka Connect, Java class names and all, means the same here."""

from __future__ import annotations

from pathlib import Path

import pytest

from plugwright.herder import EmbeddedHerder, WorkerConfig
from plugwright.kafka import create_topic, read_topic
from plugwright.plugins import Plugins

pytestmark = [pytest.mark.spark, pytest.mark.kafka]

PLUGIN_PATH = Path(__file__).parents[2] / "plugin-path"

SCHEMA = (
    '{"type":"struct","fields":[{"type":"string","optional":false,"field":"line"},'
    '{"type":"string","optional":true,"field":"origin"}],"optional":false}'
)


def test_a_java_configuration_runs_unchanged(broker, launcher, fresh, tmp_path):
    """Transformations, a predicate and JsonConverter give the bytes that Java gives."""
    topic = fresh("java")
    (tmp_path / "in.txt").write_text("one\ntwo\n", encoding="utf-8")
    create_topic(broker.bootstrap_servers, topic)
    worker = WorkerConfig.parse(
        {
            "bootstrap.servers": broker.bootstrap_servers,
            "key.converter": "org.apache.kafka.connect.storage.StringConverter",
            "value.converter": "org.apache.kafka.connect.json.JsonConverter",
            "offset.storage.topic": f"{topic}-offsets",
            "offset.storage.partitions": "1",
        }
    )
    herder = EmbeddedHerder(worker, Plugins.service_load([PLUGIN_PATH]), launcher)
    job = herder.start_connector(
        {
            "name": topic,
            "connector.class": "org.apache.kafka.connect.file.FileStreamSourceConnector",
            "tasks.max": "1",
            "file": str(tmp_path / "in.txt"),
            "topic": topic,
            "transforms": "MakeMap, InsertSource, Never",
            "transforms.MakeMap.type": "org.apache.kafka.connect.transforms.HoistField$Value",
            "transforms.MakeMap.field": "line",
            "transforms.InsertSource.type": "org.apache.kafka.connect.transforms.InsertField$Value",
            "transforms.InsertSource.static.field": "origin",
            "transforms.InsertSource.static.value": "test-file-source",
            "transforms.Never.type": "org.apache.kafka.connect.transforms.Filter",
            "transforms.Never.predicate": "Tombstone",
            "predicates": "Tombstone",
            "predicates.Tombstone.type": (
                "org.apache.kafka.connect.transforms.predicates.RecordIsTombstone"
            ),
        }
    )
    job.wait_for(lambda tasks: tasks[0].counters.get("records", 0) >= 2, 30)
    herder.stop_connector(topic)

    values = [
        (message.value() or b"").decode() for message in read_topic(broker.bootstrap_servers, topic)
    ]

    assert values == [
        f'{{"schema":{SCHEMA},"payload":{{"line":"{line}","origin":"test-file-source"}}}}'
        for line in ("one", "two")
    ], job.statuses
