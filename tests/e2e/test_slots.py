"""Fewer slots of Spark than tasks: who waits says so, and is not forgotten."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.e2e.workers import WorkerProcess, cluster_settings, until

from plugwright.kafka import create_topic

pytestmark = [pytest.mark.spark, pytest.mark.kafka, pytest.mark.timeout(300)]

PLUGINS = Path(__file__).parents[2] / "plugin-path"


def _tasks(worker, connector):
    _, status = worker.call(f"/connectors/{connector}/status")
    return [(task["state"], task.get("trace", "")) for task in status.get("tasks", ())]


def _running(worker, connector):
    return [state for state, _ in _tasks(worker, connector)].count("RUNNING")


def test_a_slot_that_comes_free_goes_to_the_connector_that_has_none(broker, fresh, tmp_path):
    """Though a task of the one that has all of them has waited for longer."""
    topic = fresh("lines")
    create_topic(broker.bootstrap_servers, topic)
    sink = {"connector.class": "FileStreamSink", "topics": topic}
    settings = {
        "bootstrap.servers": broker.bootstrap_servers,
        **cluster_settings(fresh("slots")),
        "plugin.path": str(PLUGINS),
        "plugin.discovery": "service_load",
        "spark.master": "local[2]",
    }
    with WorkerProcess(settings) as worker:
        wide = {**sink, "file": str(tmp_path / "wide.txt"), "tasks.max": "3"}
        assert worker.create("wide", wide)[0] == 201
        assert until(lambda: _running(worker, "wide") == 2), worker.said
        narrow = {**sink, "file": str(tmp_path / "narrow.txt"), "tasks.max": "1"}
        assert worker.create("narrow", narrow)[0] == 201
        assert until(lambda: "spark.no-slot" in _tasks(worker, "narrow")[0][1]), worker.said
        waits = _tasks(worker, "narrow")[0]
        _, ready = worker.call("/health/ready")
        held = [state for state, _ in _tasks(worker, "wide")].index("RUNNING")
        worker.call(f"/connectors/wide/tasks/{held}/restart", "POST")
        assert until(lambda: _running(worker, "narrow") == 1), worker.said
        assert until(lambda: _running(worker, "wide") == 1), _tasks(worker, "wide")
        said = worker.said

    assert waits[0] == "UNASSIGNED"
    assert "it has 2, and 4 tasks need one" in waits[1]
    assert "Connector wide has 2 of them; lowering its tasks.max frees some." in waits[1]
    assert "narrow-0" in ready["message"]
    assert "narrow-0: spark.no-slot: " in said
