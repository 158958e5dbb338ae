"""A distributed worker on its way up: asked, and told to stop, before it is ready."""

from __future__ import annotations

import os
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.error import URLError

import pytest
from tests.e2e.workers import WorkerProcess, cluster_settings, until

pytestmark = [pytest.mark.spark, pytest.mark.kafka, pytest.mark.timeout(240)]

PLUGINS = Path(__file__).parents[2] / "plugin-path"
CONFLICT = 409
RUNNING = "Kafka Connect worker is running at"


@pytest.fixture
def worker(broker):
    """A worker that was just started."""
    settings = {
        "bootstrap.servers": broker.bootstrap_servers,
        "plugin.path": str(PLUGINS),
        "plugin.discovery": "service_load",
        **cluster_settings(_name("start")),
    }
    worker = WorkerProcess(settings, distributed=True)
    worker.start()
    assert until(lambda: _answers(worker)), worker.said
    yield worker
    worker.close()


def _name(purpose):
    return f"{purpose}-{time.time_ns()}"


def _answers(worker):
    try:
        return worker.call("/")[0] == 200
    except URLError:
        return False


def test_a_worker_that_is_to_end_before_it_runs_ends_in_order(worker):
    """It answers before Spark has started, and ends with status 0 and with all it started."""
    early = RUNNING not in worker.said

    code = worker.stop()

    assert (early, code) == (True, 0)
    assert "Stopped while starting" in worker.said
    assert until(lambda: not worker.processes(), 15)


def test_connectors_may_be_created_at_once_and_at_any_time(worker, tmp_path):
    """Whoever was told that a connector exists can steer it, while it and the worker start."""
    (tmp_path / "empty.txt").touch()
    kind = {"connector.class": "FileStreamSource", "file": str(tmp_path / "empty.txt")}

    def create(name):
        config = {**kind, "topic": name}
        created = until(lambda: (answer := worker.create(name, config))[0] != CONFLICT and answer)
        shown = worker.call(f"/connectors/{name}")
        paused = worker.call(f"/connectors/{name}/pause", "PUT")
        resumed = worker.call(f"/connectors/{name}/resume", "PUT")
        return [answer[0] for answer in (created, shown, paused, resumed)]

    names = [_name("at-once") for _ in range(8)]
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(create, names))

    assert answers == [[201, 200, 202, 202]] * len(names)
    for name in names:
        worker.wait_for_state(name)


def test_a_worker_ends_with_its_spark(worker):
    """Others of the group take over then; this one says why it has gone."""
    worker.wait_until_ready()
    (jvm,) = [pid for pid, command in worker.processes().items() if "/java " in command]

    os.kill(jvm, signal.SIGKILL)

    assert worker.wait() == 2
    assert "spark.ended: Spark's JVM has ended, and this worker with it" in worker.said
    assert until(lambda: not worker.processes(), 15)
