"""A distributed worker on its way up: queried, and stopped, before it is ready."""

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


def _has_scratch(worker):
    return any(worker.directory.glob("plugwright-spark-*"))


def _has_java(worker):
    return any("/java " in command for command in worker.processes().values())


def _serves(worker):
    return RUNNING in worker.said


def _tell_group(worker):
    """As a service manager does: whatever the worker has started receives the signal, too."""
    os.killpg(worker.pid, signal.SIGTERM)


def _tell_twice(worker):
    """As an operator who is in a hurry."""
    for _ in range(2):
        os.kill(worker.pid, signal.SIGTERM)
        time.sleep(0.2)


@pytest.mark.parametrize("tell", [_tell_group, _tell_twice])
@pytest.mark.parametrize("reached", [_has_scratch, _has_java, _serves])
def test_nothing_is_left_of_a_worker_that_was_stopped(worker, reached, tell):
    """No process, no file of Spark's, no trace, in whatever phase of the start it is."""
    assert until(lambda: reached(worker), pause=0.01)

    tell(worker)
    code = worker.wait(120)

    serving = RUNNING in worker.said and tell is _tell_twice
    assert code in ({0, 130} if serving else {0}), worker.said
    assert "Traceback" not in worker.said
    assert until(lambda: not worker.processes(), 15)
    assert serving or not _spark_files(worker)


def _spark_files(worker):
    own = {"worker.log", "worker.properties"}
    return [path.name for path in worker.directory.iterdir() if path.name not in own]


def test_connectors_may_be_created_at_once_and_at_any_time(worker, tmp_path):
    """A client that knows of a connector can steer it, while it and the worker start."""
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
    assert "spark.ended: Spark's JVM ended, so this worker ends too" in worker.said
    assert until(lambda: not worker.processes(), 15)
