"""Executors on a machine that has Spark and Python and nothing else: no plugin, no Plugwright.

``DRILL_ROUNDS`` says how many executors and Spark workers are killed (20 by default).
"""

from __future__ import annotations

import os
import signal
import socket
import statistics
import sys
import threading
import time
from collections import Counter

import pytest
from tests.e2e.drill import ROUNDS
from tests.e2e.machines import joined_machine
from tests.e2e.pipeline import Pipeline
from tests.e2e.remote_executors import (
    NEEDS_NAMESPACES,
    conflicting_plugins,
    hidden_from_executors,
    linked_spark,
    on_executors,
    packed_environment,
)
from tests.e2e.spark_cluster import StandaloneCluster, executors
from tests.e2e.workers import WorkerProcess, cluster_settings, until

from plugwright.kafka.brokers.embedded import open_embedded

pytestmark = [
    pytest.mark.drill,
    pytest.mark.spark,
    pytest.mark.kafka,
    pytest.mark.timeout(7200),
    *NEEDS_NAMESPACES,
]

SECRET = "planted-in-a-configuration"  # noqa: S105  # it is to be looked for
_ALL_FRAMES = 3


class Capture:
    """Everything that crosses an interface, read from a raw socket."""

    def __init__(self, interface):
        self._socket = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.ntohs(_ALL_FRAMES))
        self._socket.bind((interface, 0))
        self._socket.settimeout(0.2)
        self._stopping = threading.Event()
        self.bytes = bytearray()
        self._thread = threading.Thread(target=self._read, daemon=True)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._stopping.set()
        self._thread.join()
        self._socket.close()

    def _read(self):
        while not self._stopping.is_set():
            try:
                self.bytes += self._socket.recv(65536)
            except TimeoutError:
                continue


def _kafka(host):
    """A Kafka at an address that both machines reach."""
    broker = open_embedded(host=host)
    return broker.bootstrap_servers, broker


def _settings(servers, spark, plugins, environment):
    return {
        "bootstrap.servers": servers,
        **cluster_settings("remote"),
        "plugin.path": str(plugins),
        "plugin.discovery": "service_load",
        "exactly.once.source.support": "enabled",
        "consumer.isolation.level": "read_committed",
        "spark.master": spark.master,
        **spark.security,
        "spark.executor.cores": "2",
        **on_executors(environment),
        # More crashes than a worker tolerates, and each as if it were the first.
        "task.crash.restarts.max": "1000",
        "task.crash.backoff.ms": "0",
    }


def _lost_machine(spark):
    """The worker of Spark is killed, and another one takes its place."""
    spark.kill_worker()
    spark.start_worker()


def _lost_executor(spark):
    """An executor that runs a task is killed, and Spark has noticed."""
    found = executors(spark.worker)
    victim = next(pid for pid, hosts in found.items() if hosts)
    os.kill(victim, signal.SIGKILL)
    assert until(lambda: victim not in executors(spark.worker))


def _require_exact(pipeline):
    """Every line is in the topic once, in its order, and in the file at least once."""
    assert pipeline.in_topic() == pipeline.lines
    written = Counter(pipeline.in_file())
    assert set(written) == set(pipeline.lines)
    return written.total() - len(written)


def test_tasks_run_and_survive_on_a_machine_that_has_nothing_of_ours(tmp_path):
    """Executors and Spark's worker die in turn; the ledger is exact after each round.

    The source and the sink insist on versions of one library that exclude each other.
    """
    plugins = conflicting_plugins(tmp_path / "plugins")
    environment = packed_environment(tmp_path)
    home = linked_spark(tmp_path / "spark")
    back, repeated = [], 0
    with joined_machine(hidden_from_executors(plugins)) as machine:
        servers, kafka = _kafka(machine.here)
        with (
            kafka,
            Capture("pw-near") as capture,
            StandaloneCluster(4, machine, home) as spark,
            WorkerProcess(_settings(servers, spark, plugins, environment)) as worker,
        ):
            pipeline = Pipeline(servers, worker, tmp_path, "lines", {"api.password": SECRET})
            assert pipeline.flows(), worker.said[-4000:]
            for number in range(ROUNDS):
                begun = time.monotonic()
                # Every fourth time it is the whole machine.
                (_lost_machine if number % 4 == 3 else _lost_executor)(spark)
                assert pipeline.flows(), worker.said[-4000:]
                back.append(time.monotonic() - begun)
                repeated = _require_exact(pipeline)
                _tell(f"round {number + 1}: {back[-1]:.1f} s, {repeated} repeated so far")
            assert worker.stop() == 0
            repeated = _require_exact(pipeline)

    figures = f"median {statistics.median(back):.1f} s, worst {max(back):.1f} s back"
    ledger = f"{len(pipeline.lines)} lines, 0 lost, {repeated} repeated by the sink"
    seen = f"{len(capture.bytes)} bytes captured, load {os.getloadavg()[0]:.1f}"
    _tell(f"{ROUNDS} rounds, {ledger}, {figures}, {seen}")
    assert b"line 7" in capture.bytes  # records of a Kafka without TLS, as a control
    assert SECRET.encode() not in capture.bytes


def _tell(line):
    sys.stderr.write(f"\n{line}\n")
