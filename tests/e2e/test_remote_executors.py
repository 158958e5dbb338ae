"""Executors on a machine that has Spark and Python and nothing else: no plugin, no Plugwright.

``DRILL_ROUNDS`` says how many executors and Spark workers are killed (20 by default).
"""

from __future__ import annotations

import os
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import threading
import time
from pathlib import Path

import pyspark
import pytest
from tests.e2e.drill import ROUNDS
from tests.e2e.machines import joined_machine
from tests.e2e.spark_cluster import StandaloneCluster, executors
from tests.e2e.test_spark_clusters import Pipeline
from tests.e2e.workers import WorkerProcess, cluster_settings, free_port, until

from plugwright.kafka.brokers._embedded import open_embedded
from plugwright_toolkit.commands.pack_environment import pack_environment
from plugwright_toolkit.own_wheel import write_own_wheel

pytestmark = [
    pytest.mark.drill,
    pytest.mark.spark,
    pytest.mark.kafka,
    pytest.mark.timeout(7200),
    pytest.mark.skipif(os.geteuid() != 0, reason="namespaces need root"),
    pytest.mark.skipif(shutil.which("ip") is None, reason="there is no iproute2"),
]

ROOT = Path(__file__).parents[2]
SECRET = "planted-in-a-configuration"  # noqa: S105  # it is to be looked for
NEEDED = ["confluent-kafka", "cryptography", "importlib-metadata", "orjson", "pluggy"]
NEEDED += ["packaging", "installer", "pandas<3", "pyarrow"]
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


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    """A packed environment with this Plugwright and what its tasks import."""
    directory = tmp_path_factory.mktemp("environment")
    uv = shutil.which("uv", path=f"{sys.prefix}/bin")
    own = directory / "own"
    subprocess.run([uv, "venv", "--quiet", "--python", sys.executable, own], check=True)
    wheel = write_own_wheel(directory / "wheels").path
    install = [uv, "pip", "install", "--quiet", "--python", own, "--constraint"]
    subprocess.run([*install, ROOT / "constraints.txt", *NEEDED], check=True)
    subprocess.run([*install[:-1], "--no-deps", wheel], check=True)
    return pack_environment(own, directory / "environment.tar.gz")


@pytest.fixture(scope="module")
def spark_home(tmp_path_factory):
    """Spark itself, installed where the other machine sees it."""
    home = tmp_path_factory.mktemp("spark") / "home"
    shutil.copytree(Path(pyspark.__file__).parent, home, copy_function=os.link)
    return home


def _kafka(host):
    """A Kafka at an address that both machines reach."""
    client, inner, controller = f"{host}:{free_port()}", free_port(), free_port()
    listeners = f"PLAINTEXT://{client},INNER://127.0.0.1:{inner}"
    protocols = "PLAINTEXT:PLAINTEXT,INNER:PLAINTEXT,CONTROLLER:PLAINTEXT"
    properties = {
        "listeners": f"{listeners},CONTROLLER://127.0.0.1:{controller}",
        "advertised.listeners": listeners,
        "inter.broker.listener.name": "INNER",
        "controller.quorum.voters": f"1@127.0.0.1:{controller}",
        "listener.security.protocol.map": protocols,
    }
    return client, open_embedded(port=inner, properties=properties)


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
        "spark.executor.memory": "512m",
        "spark.archives": f"{environment}#environment",
        "spark.pyspark.python": "./environment/bin/python",
    }


def test_tasks_run_and_survive_on_a_machine_that_has_nothing_of_ours(
    environment, spark_home, tmp_path
):
    """Executors and Spark's worker die in turn; every line arrives, once where it has to."""
    plugins = tmp_path / "plugins"
    for name in ("file-source", "file-sink"):
        shutil.copytree(ROOT / "plugin-path" / name, plugins / name)
    back = []
    ours = {ROOT, Path(sys.prefix)}
    hidden = [each for each in ours if not ours & set(each.parents)]
    with joined_machine([*hidden, plugins]) as machine:
        servers, kafka = _kafka(machine.here)
        with (
            kafka,
            Capture("pw-near") as capture,
            StandaloneCluster(4, machine, spark_home) as spark,
            WorkerProcess(_settings(servers, spark, plugins, environment)) as worker,
        ):
            pipeline = Pipeline(servers, worker, tmp_path, "lines", {"api.password": SECRET})
            assert pipeline.flows(), worker.said[-4000:]
            for number in range(ROUNDS):
                begun = time.monotonic()
                if number % 4 == 3:  # every fourth time it is the whole machine
                    spark.kill_worker()
                    spark.start_worker()
                else:
                    found = executors(spark.worker)
                    victim = next(pid for pid, hosts in found.items() if hosts)
                    os.kill(victim, signal.SIGKILL)
                    assert until(lambda gone=victim: gone not in executors(spark.worker))
                assert pipeline.flows(), worker.said[-4000:]
                back.append(time.monotonic() - begun)
            assert worker.stop() == 0
            written = pipeline.in_topic()

    figures = f"median {statistics.median(back):.1f} s, worst {max(back):.1f} s back"
    seen = f"{len(capture.bytes)} bytes captured, load {os.getloadavg()[0]:.1f}"
    sys.stderr.write(f"\n{ROUNDS} rounds, {len(written)} lines, {figures}, {seen}\n")
    assert written == pipeline.lines
    assert set(pipeline.in_file()) == set(pipeline.lines)
    assert b"line 7" in capture.bytes  # records of a Kafka without TLS, as a control
    assert SECRET.encode() not in capture.bytes
