"""Where spark.master says: tasks on executors of their own, which are killed and come back."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.e2e.machines import Machine
from tests.e2e.pipeline import Pipeline
from tests.e2e.spark_cluster import StandaloneCluster, executors
from tests.e2e.workers import WorkerProcess, cluster_settings, until

from plugwright.kafka import end_offsets

pytestmark = [pytest.mark.spark, pytest.mark.kafka, pytest.mark.timeout(600)]

PLUGIN_PATH = Path(__file__).parents[2] / "plugin-path"
COPY = """
import json, sys
from pyspark.sql import SparkSession
from plugwright.spark import register

master, plugins, source, target = sys.argv[1:]
settings = {"spark.driver.host": "127.0.0.1", "spark.executor.memory": "512m"}
settings |= json.load(sys.stdin)
session = SparkSession.builder.master(master).config(map=settings).getOrCreate()
register(session)

def at(builder, kind, file):
    options = {"connector.class": f"FileStream{kind}", "plugin.path": plugins, "file": file}
    return builder.format("plugwright").options(**options)

rows = at(session.read, "Source", source).option("topic", "t").load()
at(rows.write.mode("append"), "Sink", target).option("topics", "t").save()
session.stop()
"""


def _settings(broker, name, **more):
    return {
        "bootstrap.servers": broker.bootstrap_servers,
        **cluster_settings(name),
        "plugin.path": str(PLUGIN_PATH),
        "plugin.discovery": "service_load",
        "consumer.isolation.level": "read_committed",
        **more,
    }


def _kill_executor(root, victim=None):
    """Kill -9 of an executor with a task; which one, once there are as many as before again."""
    before = executors(root)
    victim = victim or next(pid for pid, hosts in before.items() if hosts)
    os.kill(victim, signal.SIGKILL)
    assert until(lambda: victim not in executors(root) and len(executors(root)) == len(before))


def _copied(spark, source, target):
    """What a DataFrame has read through one plugin and written through another, on executors."""
    command = [sys.executable, "-c", COPY, spark.master, str(PLUGIN_PATH), str(source), str(target)]
    environment = {**os.environ, "PYSPARK_PYTHON": sys.executable}
    done = subprocess.run(
        command,
        env=environment,
        input=json.dumps(spark.security),
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return target.read_text("utf-8").splitlines()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root has mount namespaces of its own here")
def test_plugins_travel_to_executors_that_do_not_have_them(broker, fresh, tmp_path):
    """Executors see an empty plugin.path; the worker sends what their tasks need, also anew."""
    plugins = tmp_path / "plugins"
    for name in ("file-source", "file-sink"):
        shutil.copytree(PLUGIN_PATH / name, plugins / name)
    with StandaloneCluster(4, Machine(hidden=[plugins])) as spark:
        settings = _settings(
            broker,
            fresh("travel"),
            **{
                "plugin.path": str(plugins),
                "spark.master": spark.master,
                **spark.security,
                "spark.executor.cores": "2",
                "spark.executor.memory": "512m",
            },
        )
        with WorkerProcess(settings) as worker:
            pipeline = Pipeline(broker.bootstrap_servers, worker, tmp_path, fresh("lines"))
            assert pipeline.flows(), (worker.said[-4000:], _traces(worker, "in"))
            _kill_executor(spark.worker)
            assert pipeline.flows(), (worker.said[-4000:], _traces(worker, "in"))
            status = worker.stop()

    assert status == 0
    assert set(pipeline.in_topic()) == set(pipeline.in_file()) == set(pipeline.lines)


def _traces(worker, connector):
    _, status = worker.call(f"/connectors/{connector}/status")
    return [task.get("trace", "") for task in status["tasks"]]


def test_tasks_outlive_executors_and_wait_for_slots(broker, fresh, tmp_path):
    """On a local cluster: exactly once although every executor is killed, and no orphans.

    The driver is killed at the end; that nothing outlives it is asserted by the worker's block.
    """
    settings = _settings(
        broker,
        fresh("local-cluster"),
        **{"spark.master": "local-cluster[2,2,1024]", "exactly.once.source.support": "enabled"},
    )
    with WorkerProcess(settings) as worker:
        pipeline = Pipeline(broker.bootstrap_servers, worker, tmp_path, fresh("lines"))
        assert pipeline.flows()
        for victim in executors(worker.pid):
            _kill_executor(worker.pid, victim)
            assert pipeline.flows(), (worker.said[-4000:], _traces(worker, "in"))
        pipeline.create_sink("wide", tmp_path / "wide.txt", tasks=3)
        assert until(lambda: any("no slot" in trace for trace in _traces(worker, "wide")))
        waits = next(trace for trace in _traces(worker, "wide") if trace)
        worker.call("/connectors/in", "DELETE")
        worker.wait_for_state("wide", tasks=3)
        worker.stop(signal.SIGKILL)

    assert "it has 4, and 5 tasks need one" in waits
    assert pipeline.in_topic() == pipeline.lines
    assert set(pipeline.in_file()) == set(pipeline.lines)


def test_a_standalone_cluster_runs_and_drains_tasks(broker, fresh, tmp_path):
    """Executors are killed and come back; SIGTERM commits what was done and lets executors go.

    DataFrames use them likewise.
    """
    with StandaloneCluster(4) as spark:
        settings = _settings(
            broker,
            fresh("standalone"),
            **{
                "spark.master": spark.master,
                **spark.security,
                "spark.executor.cores": "2",
                "spark.executor.memory": "512m",
                "offset.flush.interval.ms": "60000",
            },
        )
        with WorkerProcess(settings) as worker:
            pipeline = Pipeline(broker.bootstrap_servers, worker, tmp_path, fresh("lines"))
            assert pipeline.flows()
            _kill_executor(spark.worker)
            assert pipeline.flows(), worker.said[-4000:]
            status = worker.stop()
        assert until(lambda: not executors(spark.worker))
        copied = _copied(spark, pipeline.source, tmp_path / "copied.txt")

    assert copied == pipeline.lines
    assert status == 0, worker
    assert set(pipeline.in_topic()) == set(pipeline.in_file()) == set(pipeline.lines)
    assert pipeline.committed() == sum(end_offsets(pipeline.servers, pipeline.topic).values())
