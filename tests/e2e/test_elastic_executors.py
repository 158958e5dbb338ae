"""Executors that come and go: tasks get those they need, and move when one is to go."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
from tests.e2e.pipeline import Pipeline
from tests.e2e.spark_cluster import StandaloneCluster, executors
from tests.e2e.workers import WorkerProcess, cluster_settings, until

pytestmark = [pytest.mark.drill, pytest.mark.spark, pytest.mark.kafka, pytest.mark.timeout(900)]

PLUGINS = Path(__file__).parents[2] / "plugin-path"


@pytest.fixture
def settings(broker, fresh):
    """Of a worker, without a master."""
    return {
        "bootstrap.servers": broker.bootstrap_servers,
        **cluster_settings(fresh("elastic")),
        "plugin.path": str(PLUGINS),
        "plugin.discovery": "service_load",
        "exactly.once.source.support": "enabled",
        "consumer.isolation.level": "read_committed",
        "spark.executor.cores": "2",
        "spark.executor.memory": "512m",
    }


def test_executors_come_for_tasks_and_go_with_them(settings, fresh, tmp_path):
    """With dynamic allocation, as many as have tasks."""
    elastic = {
        "spark.dynamicAllocation.enabled": "true",
        "spark.dynamicAllocation.shuffleTracking.enabled": "true",
        "spark.dynamicAllocation.minExecutors": "0",
        "spark.dynamicAllocation.executorIdleTimeout": "5s",
    }
    with StandaloneCluster(4) as spark:
        own = {**settings, "spark.master": spark.master, **spark.security, **elastic}
        with WorkerProcess(own) as worker:
            pipeline = Pipeline(settings["bootstrap.servers"], worker, tmp_path, fresh("lines"))
            assert pipeline.flows(), worker.said[-4000:]
            assert len(executors(spark.worker)) == 1
            pipeline.create_sink("wide", tmp_path / "wide.txt", tasks=2)
            worker.wait_for_state("wide", tasks=2, timeout_s=240)
            assert len(executors(spark.worker)) == 2
            worker.call("/connectors/wide", "DELETE")
            assert until(lambda: len(executors(spark.worker)) == 1)
            assert pipeline.flows(), worker.said[-4000:]
            for name in ("in", "out"):
                worker.call(f"/connectors/{name}", "DELETE")
            assert until(lambda: not executors(spark.worker))
            assert worker.stop() == 0

    assert pipeline.in_topic() == pipeline.lines
    assert set(pipeline.in_file()) == set(pipeline.lines)


@pytest.mark.parametrize("shared", ["1", "8"], ids=["own processes", "a shared process"])
def test_tasks_leave_a_decommissioned_spark_worker(settings, fresh, tmp_path, shared):
    """In an orderly way, before its executors end, which count as no crash."""
    settings = {**settings, "tasks.per.process": shared}
    graceful = {"spark.decommission.enabled": "true"}
    with StandaloneCluster(2, settings=graceful) as spark:
        spark.start_worker()
        own = {**settings, "spark.master": spark.master, **spark.security, **graceful}
        with WorkerProcess(own) as worker:
            pipeline = Pipeline(settings["bootstrap.servers"], worker, tmp_path, fresh("lines"))
            assert pipeline.flows(), worker.said[-4000:]
            leaving = next(each for each in spark.workers if any(executors(each).values()))
            (there,) = (each for each in spark.workers if each != leaving)
            os.kill(leaving, signal.SIGPWR)
            assert until(lambda: not any(executors(leaving).values())), worker.report()
            assert until(lambda: any(executors(there).values())), worker.report()
            assert pipeline.flows(), worker.report()
            assert until(lambda: not executors(leaving))  # with no task left, Spark ends it
            assert "task.crashed" not in worker.said
            assert worker.stop() == 0

    assert pipeline.in_topic() == pipeline.lines
    assert set(pipeline.in_file()) == set(pipeline.lines)
