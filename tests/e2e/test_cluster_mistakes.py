"""What is wrong with a cluster is said by one clear error."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest
from tests.e2e.machines import Machine
from tests.e2e.pipeline import Pipeline
from tests.e2e.spark_cluster import StandaloneCluster
from tests.e2e.workers import WorkerProcess, cluster_settings, until

from plugwright.kafka import create_topic

pytestmark = [pytest.mark.spark, pytest.mark.kafka, pytest.mark.timeout(600)]

PLUGINS = Path(__file__).parents[2] / "plugin-path"
OLDER = """\
#!{python}
import collections, runpy, sys
parts = "major minor micro releaselevel serial"
sys.version_info = collections.namedtuple("Version", parts)(3, 10, 0, "final", 0)
sys.argv[:] = sys.argv[1:]
if sys.argv[0] == "-m":
    sys.argv[:] = sys.argv[1:]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
"""
"""An interpreter that calls itself an older one."""

AHEAD = """\
#!{python}
import runpy, sys, time
there = time.time
time.time = lambda: there() + {ahead_s}
time.time_ns = lambda: int(time.time() * 1e9)
sys.argv[:] = sys.argv[1:]
if sys.argv[0] == "-m":
    sys.argv[:] = sys.argv[1:]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
"""
"""An interpreter whose clock is wrong."""


@pytest.fixture
def settings(broker, fresh):
    """Of a worker, without a master."""
    return {
        "bootstrap.servers": broker.bootstrap_servers,
        **cluster_settings(fresh("mistake")),
        "plugin.path": str(PLUGINS),
        "plugin.discovery": "service_load",
        "spark.executor.memory": "512m",
    }


@pytest.fixture
def topic(broker, fresh):
    """With nothing in it."""
    name = fresh("lines")
    create_topic(broker.bootstrap_servers, name)
    return name


@pytest.fixture
def pythons(tmp_path):
    """Interpreters with which executors cannot run tasks."""
    bare, older = tmp_path / "bare" / "bin" / "python3", tmp_path / "older"
    bare.parent.mkdir(parents=True)
    bare.symlink_to(Path(sys.executable).resolve())
    older.write_text(OLDER.format(python=sys.executable), "utf-8")
    older.chmod(0o755)
    return {"missing": tmp_path / "none", "without packages": bare, "older": older}


@pytest.mark.parametrize(
    ("which", "words"),
    [
        ("missing", 'Cannot run program "'),
        pytest.param(
            "without packages", "ModuleNotFoundError: No module named '", marks=pytest.mark.drill
        ),
        pytest.param("older", "PYTHON_VERSION_MISMATCH", marks=pytest.mark.drill),
    ],
    ids=["missing", "without-packages", "older"],
)
def test_a_python_that_cannot_run_tasks_is_named(settings, topic, pythons, which, words):
    """By the trace of each task, which has failed; the worker goes on."""
    cluster = {"spark.master": "local-cluster[1,2,1024]", "spark.pyspark.python": pythons[which]}
    sink = {"connector.class": "FileStreamSink", "topics": topic, "file": "/nonexistent/out"}

    def failed():
        _, status = worker.call("/connectors/out/status")
        return [task["trace"] for task in status.get("tasks", ()) if task["state"] == "FAILED"]

    with WorkerProcess({**settings, **cluster}) as worker:
        worker.create("out", sink)
        assert until(failed, 240.0), worker.said[-4000:]
        (trace,) = failed()
        ready, _ = worker.call("/health")
        status = worker.stop()

    assert words in trace
    assert trace.startswith("task.crashed: the process of task out-0")
    assert (ready, status) == (200, 0)


def test_a_master_that_is_not_there_ends_the_worker(settings):
    """With the address, and what to do; there is no stack of the JVM."""
    worker = WorkerProcess({**settings, "spark.master": "spark://127.0.0.1:1"})

    with pytest.raises(RuntimeError) as raised, worker:
        pass

    said = str(raised.value)
    assert "spark.master-unreachable: no Spark master answers at spark://127.0.0.1:1: " in said
    assert "start the master, or correct spark.master" in said
    assert "Traceback" not in said


@pytest.fixture
def bulky(tmp_path):
    """A plugin path whose location has eight megabytes of data, of which archives make little."""
    location = tmp_path / "plugins" / "file-sink"
    shutil.copytree(PLUGINS / "file-sink", location)
    (location / "data.bin").write_bytes(bytes(8 << 20))
    return location.parent


def _on(spark):
    return {"spark.master": spark.master, **spark.security, "spark.executor.cores": "2"}


@pytest.mark.drill
@pytest.mark.skipif(os.geteuid() != 0, reason="only root mounts file systems")
@pytest.mark.parametrize(
    ("compresses", "words"),
    [
        (True, "task.location-damaged: the plugin location "),
        (False, " ended unexpectedly: java.nio.file.FileSystemException: "),
    ],
    ids=["unpacked", "archive"],
)
def test_no_room_on_an_executor_is_said(settings, topic, bulky, compresses, words):
    """For an archive, or for what it unpacks to."""
    if not compresses:
        (bulky / "file-sink" / "data.bin").write_bytes(os.urandom(8 << 20))
    sink = {"connector.class": "FileStreamSink", "topics": topic, "file": "/nonexistent/out"}

    def failed():
        _, status = worker.call("/connectors/out/status")
        return [task["trace"] for task in status.get("tasks", ()) if task["state"] == "FAILED"]

    with StandaloneCluster(2, Machine(room="4m")) as spark:
        own = {**settings, **_on(spark), "plugin.path": str(bulky)}
        with WorkerProcess(own) as worker:
            worker.create("out", sink)
            assert until(failed, 240.0), worker.said[-4000:]
            (trace,) = failed()
            status = worker.stop()

    assert [words in trace, "No space left on device" in trace] == [True, True], trace
    assert status == 0


@pytest.mark.drill
@pytest.mark.parametrize("ahead_s", [3600, -3600])
def test_executors_whose_clock_is_an_hour_off_run_tasks(settings, fresh, tmp_path, ahead_s):
    """What they and the worker tell each other is not dated; clients of Kafka keep their clock."""
    python = tmp_path / "python3"
    python.write_text(AHEAD.format(python=sys.executable, ahead_s=ahead_s), "utf-8")
    python.chmod(0o755)
    own = {
        **settings,
        "spark.master": "local-cluster[1,2,1024]",
        "spark.pyspark.python": str(python),
        "exactly.once.source.support": "enabled",
    }
    with WorkerProcess(own) as worker:
        servers = settings["bootstrap.servers"]
        pipeline = Pipeline(servers, worker, tmp_path, fresh("lines"))
        assert pipeline.flows(), worker.said[-4000:]
        status = worker.stop()

    assert status == 0
    assert pipeline.in_topic() == pipeline.lines
