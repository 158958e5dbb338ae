"""A whole worker on Kafka's own authorizer: what the page lists is enough; an error names more."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.e2e.authorized import authorized_kafka, login, rights_of_page
from tests.e2e.workers import WorkerProcess, cluster_settings, until

from plugwright.kafka import TopicWriter, create_topic, read_topic

pytestmark = [pytest.mark.spark, pytest.mark.kafka, pytest.mark.timeout(420)]

PLUGINS = Path(__file__).parents[2] / "plugin-path"
JSON = "org.apache.kafka.connect.json.JsonConverter"
GROUP = "rights"
WORKER = {
    **cluster_settings(GROUP),
    "plugin.path": str(PLUGINS),
    "plugin.discovery": "service_load",
    "exactly.once.source.support": "enabled",
    **login(),
    **login("producer."),
    **login("consumer."),
}


@dataclass(frozen=True, slots=True)
class Lacking:
    """A connector that may do all but one thing.

    Attributes:
        role: of the connector.
        kind: of the resource that it may not use.
        name: of that resource, around the connector's.
        operation: that is not allowed.
    """

    role: str
    kind: str
    name: str
    operation: str

    @property
    def connector(self):
        """Its name, in which no resource's name occurs."""
        words = re.sub(r"\W", "", self.name.replace("{}", ""))
        return f"{self.role}-{self.kind}-{words}-{self.operation}".lower()

    @property
    def resource(self):
        """The name of the resource."""
        return self.name.format(self.connector)


LACKING = (
    Lacking("source", "Topic", "{}-records", "Write"),
    Lacking("source", "Topic", "{}-records", "Create"),
    Lacking("source", "Topic", "{}-positions", "Write"),
    Lacking("source", "TransactionalId", f"{GROUP}-{{}}-", "Write"),
    Lacking("sink", "Topic", "{}-records", "Read"),
    Lacking("sink", "Group", "connect-{}", "Read"),
    Lacking("sink", "Topic", "{}-dead", "Write"),
    Lacking("sink", "Topic", "{}-dead", "Create"),
)


def _rights(connector):
    """All of the page, with the names of one connector."""
    topic, offsets = f"{connector}-records", f"{connector}-positions"
    values = {
        **WORKER,
        "name": connector,
        "topics": topic,
        "errors.deadletterqueue.topic.name": f"{connector}-dead",
        "offsets.storage.topic": offsets,
        "{offset.storage.topic} or {offsets.storage.topic}": offsets,
        "the topics of its records": topic,
        "the topic": topic,
    }
    return rights_of_page(values)


def _all_rights():
    whole = _rights("source-whole") + _rights("sink-whole")
    return whole + [
        right
        for each in LACKING
        for right in _rights(each.connector)
        if (right.kind, right.name.rstrip("*"), right.operation)
        != (each.kind, each.resource, each.operation)
    ]


@pytest.fixture(scope="module")
def kafka():
    """It allows what the page lists, but for what is lacking."""
    with authorized_kafka() as opened:
        opened.allow(_all_rights())
        yield opened


@pytest.fixture(scope="module")
def worker(kafka):
    """A distributed worker whose logins may do nothing else."""
    with WorkerProcess(WORKER | {"bootstrap.servers": kafka.servers}, distributed=True) as opened:
        yield opened


def _source(name, topic, file):
    return {
        "connector.class": "FileStreamSource",
        "tasks.max": "1",
        "file": str(file),
        "topic": topic,
        "topic.creation.default.partitions": "1",
        "topic.creation.default.replication.factor": "1",
        "offsets.storage.topic": f"{name}-positions",
    }


def _sink(name, topic, file):
    return {
        "connector.class": "FileStreamSink",
        "tasks.max": "1",
        "file": str(file),
        "topics": topic,
        "value.converter": JSON,
        "value.converter.schemas.enable": "false",
        "errors.tolerance": "all",
        "errors.deadletterqueue.topic.name": f"{name}-dead",
        "errors.deadletterqueue.topic.replication.factor": "1",
    }


def test_a_worker_needs_nothing_but_what_the_page_lists(kafka, worker, tmp_path):
    """From a file over a topic to a file, and a line that is no JSON to the dead-letter queue."""
    given, got, topic = tmp_path / "in.txt", tmp_path / "out.txt", "source-whole-records"
    given.write_text('"one"\nno JSON\n"two"\n', "utf-8")

    worker.create("source-whole", _source("source-whole", topic, given))
    assert until(lambda: _offsets(worker, "source-whole") == [{"position": 20}]), worker.said
    worker.create("sink-whole", _sink("sink-whole", topic, got))
    assert until(lambda: _offsets(worker, "sink-whole") == [{"kafka_offset": 3}]), worker.said

    assert got.read_text("utf-8") == "one\ntwo\n"
    assert [each.value() for each in read_topic(kafka.inner, "sink-whole-dead")] == [b"no JSON"]
    refused = [each for each in kafka.denied() if "whole" in each[2] or GROUP in each[2]]
    assert refused == []


@pytest.mark.parametrize("lacking", LACKING, ids=lambda each: each.connector)
def test_an_error_names_the_right_that_lacks(kafka, worker, tmp_path, lacking):
    """The operation and the resource, which the client itself does not say."""
    name, topic, file = lacking.connector, f"{lacking.connector}-records", tmp_path / "lines.txt"
    if lacking.role == "source":
        file.write_text("one\n", "utf-8")
    if lacking.role == "sink":
        create_topic(kafka.inner, topic)
        TopicWriter(kafka.inner).write(topic, [b"no JSON"])
    config = (_source if lacking.role == "source" else _sink)(name, topic, file)

    worker.create(name, config)
    failed = until(lambda: _failed(worker, name))

    assert failed, worker.said[-5000:]
    said = rf"grant .*\b{lacking.operation}\b.* on {lacking.kind} {lacking.resource}"
    assert re.search(said, failed["trace"]), failed["trace"]


def _failed(worker, name):
    """The part of a connector that failed."""
    code, status = worker.call(f"/connectors/{name}/status")
    parts = [status["connector"], *status["tasks"]] if code == 200 else []
    return next((part for part in parts if part["state"] == "FAILED"), None)


def _offsets(worker, name):
    """The stored offsets of a connector."""
    code, answer = worker.call(f"/connectors/{name}/offsets")
    return [each["offset"] for each in answer["offsets"]] if code == 200 else []
