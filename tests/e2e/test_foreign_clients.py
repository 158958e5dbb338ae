"""Clients that others wrote for Kafka Connect's REST API, against a distributed worker."""

from __future__ import annotations

import uuid
from contextlib import suppress
from pathlib import Path

import pytest
from kafka_connect import KafkaConnect
from kafka_connect_api.errors import GenericNotFound
from kafka_connect_api.kafka_connect_api import Api, Cluster
from kafka_connect_healthcheck.health import Health
from requests import HTTPError
from tests.e2e.workers import WorkerProcess, cluster_settings, until

pytestmark = [pytest.mark.spark, pytest.mark.kafka, pytest.mark.timeout(400)]

PLUGINS = Path(__file__).parents[2] / "plugin-path"
FILE_SOURCE = "plugwright_file_source.FileStreamSourceConnector"


@pytest.fixture(scope="module")
def worker(broker):
    """A worker of a cluster."""
    settings = {
        "bootstrap.servers": broker.bootstrap_servers,
        "plugin.path": str(PLUGINS),
        **cluster_settings(f"clients-{uuid.uuid4().hex[:8]}"),
    }
    with WorkerProcess(settings, distributed=True) as worker:
        yield worker


@pytest.fixture
def lines(tmp_path):
    """The configuration of a connector that reads lines."""
    file = tmp_path / "lines.txt"
    file.write_text("one\ntwo\n")
    topic = f"clients-{uuid.uuid4().hex[:8]}"
    return {"connector.class": FILE_SOURCE, "file": str(file), "topic": topic, "tasks.max": "1"}


def once_known(condition):
    """A condition that does not hold while there is no status yet, which is a 404, as in Java."""

    def holds():
        with suppress(HTTPError, GenericNotFound):
            return condition()
        return False

    return holds


def test_kafka_connect_py_manages_a_connector(worker, lines):
    """From its creation to its end, by every call that the client has for one connector."""
    client, name = KafkaConnect(worker.url), "managed"

    def is_in(state):
        return until(lambda: list(client.list_connectors("status", "man.*", state)) == [name])

    assert client.get_cluster_info().keys() == {"version", "commit", "kafka_cluster_id"}
    assert FILE_SOURCE in {each["class"] for each in client.list_connector_plugins()}
    found = client.validate_connector_config(
        "FileStreamSource", {**lines, "file": ""} | {"name": name}
    )
    assert (found["name"], found["error_count"]) == (FILE_SOURCE, 0)
    assert client.create_connector({"name": name, "config": lines})["name"] == name
    assert until(once_known(lambda: client.get_connector_status(name)["tasks"]))
    assert is_in("running")
    assert client.get_connector(name)["type"] == "source"
    assert client.get_connector_config(name) == {**lines, "name": name}
    assert until(lambda: client.list_connector_topics(name)[name]["topics"] == [lines["topic"]])
    client.reset_connector_topics(name)
    assert client.list_connector_topics(name)[name]["topics"] == []
    client.pause_connector(name)
    assert is_in("paused")
    client.resume_connector(name)
    assert is_in("running")
    client.restart_connector(name, include_tasks=True)
    assert is_in("running")
    assert until(
        once_known(lambda: client.get_connector_task_status(name, 0)["state"] == "RUNNING")
    )
    client.restart_connector_task(name, 0)
    assert [task["id"]["task"] for task in client.list_connector_tasks(name)] == [0]
    client.update_connector(name, {**lines, "batch.size": "7"})
    assert client.get_connector_config(name)["batch.size"] == "7"
    client.stop_connector(name)
    assert is_in("stopped")
    client.delete_connector(name)
    with pytest.raises(HTTPError, match="404"):
        client.get_connector(name)


def test_kafka_connect_api_cycles_a_connector(worker, lines):
    """Objects of a cluster, its connectors and their tasks, and its log levels."""
    cluster = Cluster(Api(hostname="127.0.0.1", port=int(worker.url.rpartition(":")[2])))
    KafkaConnect(worker.url).create_connector({"name": "cycled", "config": lines})
    connector = cluster.connectors["cycled"]

    assert until(once_known(lambda: connector.tasks and connector.tasks[0].is_running()))
    connector.cycle_connector()

    assert connector.exists()
    assert until(connector.tasks[0].is_running)
    assert connector.connector_class == FILE_SOURCE
    cluster.root_logger = "WARN"
    assert cluster.root_logger["level"] == "WARN"
    cluster.root_logger = "INFO"
    connector.delete()
    with pytest.raises(GenericNotFound, match="Connector cycled not found"):
        connector.exists()


def test_the_healthcheck_sees_a_failed_task(worker, lines, tmp_path):
    """And says which; a worker whose tasks run is healthy."""
    client = KafkaConnect(worker.url)
    worker_id = worker.url.removeprefix("http://")
    health = Health(worker.url, worker_id, ["FAILED"], None, 0, ["connector", "task"])
    client.create_connector({"name": "sound", "config": lines})
    sounds = lambda: client.get_connector_task_status("sound", 0)["state"]  # noqa: E731  # short
    assert until(once_known(lambda: sounds() == "RUNNING"))

    sound = health.get_health_result()
    client.create_connector({"name": "broken", "config": {**lines, "file": str(tmp_path)}})
    # As long as the new connector has no status, the result is an error without failures.
    assert until(lambda: health.get_health_result().get("failures"))
    broken = health.get_health_result()

    assert (sound["healthy"], sound["failures"]) == (True, [])
    assert [(f["type"], f["connector"], f["state"]) for f in broken["failures"]] == [
        ("task", "broken", "FAILED")
    ]
    assert "Is a directory" in broken["failures"][0]["trace"]
    for name in ("sound", "broken"):
        client.delete_connector(name)
