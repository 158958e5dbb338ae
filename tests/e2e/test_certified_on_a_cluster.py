"""``plugwright certify --spark-master``: live checks on executors that have nothing of ours."""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.e2e.machines import joined_machine
from tests.e2e.remote_executors import (
    NEEDS_NAMESPACES,
    conflicting_plugins,
    hidden_from_executors,
    linked_spark,
    on_executors,
    packed_environment,
)
from tests.e2e.spark_cluster import StandaloneCluster

from plugwright.config import properties_text

pytestmark = [
    pytest.mark.drill,
    pytest.mark.spark,
    pytest.mark.kafka,
    pytest.mark.timeout(7200),
    *NEEDS_NAMESPACES,
]

PLUGWRIGHT = str(Path(sys.executable).with_name("plugwright"))
KILLS = ["CON-REB-01", "CON-REB-03", "CON-SPK-05"]


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    """Packed once for both tests."""
    return packed_environment(tmp_path_factory.mktemp("environment"))


@pytest.fixture(scope="module")
def spark_home(tmp_path_factory):
    """Likewise."""
    return linked_spark(tmp_path_factory.mktemp("spark"))


@pytest.fixture
def plugins(tmp_path):
    """A source and a sink that could not share a process."""
    return conflicting_plugins(tmp_path / "plugins")


def _plugwright(directory, *words):
    command = [PLUGWRIGHT, *map(str, words)]
    environment = {**os.environ, "NO_COLOR": "1", "COLUMNS": "200"}
    with (directory / "said.txt").open("a+", encoding="utf-8") as said:
        done = subprocess.run(
            command, stdout=said, stderr=subprocess.STDOUT, env=environment, check=False
        )
    return done.returncode


def _certify(directory, spark, environment, *words):
    """The status of a certification on a cluster whose settings are in a worker's file."""
    worker = directory / "worker.properties"
    secret = directory / "secret.properties"
    security = dict(spark.security)
    secret.write_text(f"secret={security.pop('spark.authenticate.secret')}\n", "utf-8")
    settings = {
        "bootstrap.servers": "kafka:9092",
        "config.providers": "file",
        "config.providers.file.class": "org.apache.kafka.common.config.provider.FileConfigProvider",
        **security,
        "spark.authenticate.secret": f"${{file:{secret}:secret}}",
        **on_executors(environment),
    }
    worker.write_text(properties_text(settings), "utf-8")
    cluster = ("--spark-master", spark.master, "--worker-config", worker)
    return _plugwright(directory, "certify", *words, *cluster, "--report", directory / "out")


def _results(directory, name):
    return json.loads((directory / "out" / name / "results.json").read_text("utf-8"))


@pytest.mark.parametrize("name", ["file-source", "file-sink"])
def test_plugin_is_certified_on_executors_that_do_not_have_it(
    name, environment, spark_home, plugins, tmp_path
):
    """Nothing fails there, also not when processes of tasks are killed; the certificate verifies.

    The plugin beside it insists on another version of what both depend on.
    """
    key, out = tmp_path / "certify.key", tmp_path / "out" / name
    assert _plugwright(tmp_path, "keygen", key) == 0
    with (
        joined_machine(hidden_from_executors(plugins)) as machine,
        StandaloneCluster(8, machine, spark_home) as spark,
    ):
        words = (plugins / name, "--records", "10000", "--key", key)
        status = _certify(tmp_path, spark, environment, *words)
        master = spark.master
    said = (tmp_path / "said.txt").read_text("utf-8")

    results = _results(tmp_path, name)
    bad = [each["id"] for each in results["results"] if each["outcome"] in {"FAIL", "ERROR"}]
    assert (status, bad) == (0, []), said[-4000:]
    killed = {each["outcome"] for each in results["results"] if each["id"] in KILLS}
    assert killed == {"PASS"}
    assert results["environment"]["spark.master"] == master
    certificate = out / "certificate.json"
    signed = json.loads(certificate.read_text("utf-8"))
    statement = json.loads(base64.b64decode(signed["payload"]))
    assert statement["predicate"]["environment"]["spark.master"] == master
    proofs = ("--trust", f"{key}.pub", "--results", out / "results.json")
    assert _plugwright(tmp_path, "verify", certificate, *proofs, "--wheel", plugins / name) == 0


def test_what_only_the_own_machine_can_show_is_not_measured(
    environment, spark_home, plugins, tmp_path
):
    """Executors have another host name and count their processes themselves, as on a machine.

    The numbers by which tasks know their processes mean others here. Executors, which are children
    of Spark's worker, are seen, so that a whole worker can be suspended and killed.
    """
    checks = [word for check in KILLS for word in ("--check", check)]
    with (
        joined_machine(hidden_from_executors(plugins), "plugwright-far") as machine,
        StandaloneCluster(8, machine, spark_home) as spark,
    ):
        words = (plugins / "file-sink", *checks, "--records", "2000")
        _certify(tmp_path, spark, environment, *words)
    said = (tmp_path / "said.txt").read_text("utf-8")

    results = _results(tmp_path, "file-sink")["results"]
    assert {(each["id"], each["outcome"]) for each in results} == {
        ("CON-REB-01", "NOT_RUN"),
        ("CON-REB-03", "PASS"),
        ("CON-SPK-05", "PASS"),
    }, said[-4000:]
    for each in results:
        if each["outcome"] == "NOT_RUN":
            assert each["message"].startswith("not measured: the process of task ")
            assert " is on plugwright-far, and is none that the suite" in each["message"]
