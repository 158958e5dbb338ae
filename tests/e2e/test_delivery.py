"""Delivery on Spark against a live Kafka: exactly once through kills, dead letters, deaf polls."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest

from plugwright.herder import EmbeddedHerder, WorkerConfig
from plugwright.kafka import TopicWriter, create_topic, read_topic
from plugwright.plugins import Plugins

pytestmark = [pytest.mark.spark, pytest.mark.kafka]

PLUGIN_PATH = Path(__file__).parents[2] / "plugin-path"


class Stage:
    """A herder over the bundled plugins."""

    def __init__(self, broker, launcher, fresh):
        self.servers = broker.bootstrap_servers
        self.name = fresh("delivery")
        self._launcher = launcher
        self.herder = None

    def start(self, connector, worker):
        """Start a connector on a worker of these settings."""
        config = WorkerConfig.parse(
            {
                "bootstrap.servers": self.servers,
                "key.converter": "StringConverter",
                "value.converter": "StringConverter",
                "offset.storage.topic": f"{self.name}-offsets",
                "offset.storage.partitions": "1",
                "offset.flush.interval.ms": "200",
                **worker,
            }
        )
        plugins = Plugins.service_load([PLUGIN_PATH])
        self.herder = EmbeddedHerder(config, plugins, self._launcher)
        return self.herder.start_connector({"name": self.name, "tasks.max": "1", **connector})

    def values(self, topic):
        """What a committed reader sees."""
        return [(m.value() or b"").decode() for m in read_topic(self.servers, topic)]


@pytest.fixture
def stage(broker, launcher, fresh):
    """Closed at the end."""
    made = Stage(broker, launcher, fresh)
    yield made
    if made.herder:
        made.herder.close()


def _until(condition, seconds=60.0):
    deadline = time.monotonic() + seconds
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.05)


@pytest.mark.parametrize("boundary", ["poll", "interval"])
def test_every_line_arrives_exactly_once_although_the_task_is_killed(stage, tmp_path, boundary):
    """Kill -9 of its process, three times, in the middle of the file."""
    lines = [f"line {number}" for number in range(60_000)]
    path = tmp_path / "in.txt"
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    create_topic(stage.servers, stage.name)
    job = stage.start(
        {
            "connector.class": "FileStreamSource",
            "file": str(path),
            "topic": stage.name,
            "batch.size": "50",
            "transaction.boundary": boundary,
            "transaction.boundary.interval.ms": "50",
            "exactly.once.support": "required",
        },
        {"exactly.once.source.support": "enabled", "group.id": stage.name},
    )
    for attempt in range(3):
        running = lambda tasks, attempt=attempt: (  # noqa: E731  # short
            tasks[0].attempt == attempt and tasks[0].counters.get("commits", 0) > 3
        )
        assert job.wait_for(running, 60), job.statuses
        os.kill(job.statuses[0].pid, signal.SIGKILL)
    _until(lambda: len(stage.values(stage.name)) >= len(lines), 120)
    assert stage.herder.stop_connector(stage.name)
    assert stage.values(stage.name) == lines


def test_records_that_fail_go_to_the_dead_letter_queue(stage, tmp_path):
    """The topic is made; the sink writes the others, and the group moves past all of them."""
    topic, queue = stage.name, f"{stage.name}-dlq"
    create_topic(stage.servers, topic)
    values = [b'"line %d"' % n if n % 3 else b"no json %d" % n for n in range(300)]
    TopicWriter(stage.servers).write(topic, values)
    job = stage.start(
        {
            "connector.class": "FileStreamSink",
            "topics": topic,
            "file": str(tmp_path / "out.txt"),
            "value.converter": "JsonConverter",
            "value.converter.schemas.enable": "false",
            "errors.tolerance": "all",
            "errors.deadletterqueue.topic.name": queue,
            "errors.deadletterqueue.topic.replication.factor": "1",
            "errors.deadletterqueue.context.headers.enable": "true",
        },
        {},
    )
    arrived = lambda tasks: tasks[0].counters.get("records", 0) >= 200  # noqa: E731  # short
    assert job.wait_for(arrived, 60), job.statuses
    assert stage.herder.stop_connector(topic)
    lines = (tmp_path / "out.txt").read_text(encoding="utf-8").splitlines()
    assert lines == [f"line {n}" for n in range(300) if n % 3]
    letters = list(read_topic(stage.servers, queue))
    assert [m.value() for m in letters] == [v for n, v in enumerate(values) if n % 3 == 0]
    reported = dict(letters[1].headers())
    assert reported["__connect.errors.offset"] == b"3"
    assert reported["__connect.errors.stage"] == b"VALUE_CONVERTER"
    assert reported["__connect.errors.connector.name"] == topic.encode()
    assert job.statuses[0].counters["total-records-skipped"] == 100
    assert job.statuses[0].counters["deadletterqueue-produce-requests"] == 100
