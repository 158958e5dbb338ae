"""Spark's own Kubernetes backend, with the settings of the manifests, and executors that run.

The API server is simulated: it knows pods and the Role, and records what it is asked. Executors are
processes of this machine, started as the posted pods say through the image's entry point.
"""

from __future__ import annotations

import os
import signal
from collections import Counter

import pytest
from tests.e2e.workers import WorkerProcess, until
from tests.kubernetes.manifests import POD, resource

from plugwright.kafka import create_topic, read_topic

pytestmark = [pytest.mark.spark, pytest.mark.kafka, pytest.mark.timeout(600)]

WITHOUT_LOGIN = ("security.protocol", "sasl.", "ssl.")
OVERHEAD_MIB, MEMORY_MIB = 4096, 512


def of_worker(given, broker, name):
    """The worker's settings, for a Kafka without login and topics of its own."""
    kept = {
        key: value
        for key, value in given.items()
        if not key.removeprefix("producer.").removeprefix("consumer.").startswith(WITHOUT_LOGIN)
        and not key.startswith(("rest.extension", "rest.basic", "rest.advertised", "listeners"))
    }
    topics = {f"{kind}.storage.topic": f"{name}-{kind}" for kind in ("config", "offset", "status")}
    replicas = {
        f"{kind}.storage.replication.factor": "1" for kind in ("config", "offset", "status")
    }
    servers = {"bootstrap.servers": broker.bootstrap_servers, "group.id": name}
    strings = dict.fromkeys(
        ("key.converter", "value.converter"), "org.apache.kafka.connect.storage.StringConverter"
    )
    plugins = {"plugin.path": "plugin-path"}
    return {**kept, **topics, **replicas, **servers, **strings, **plugins}


def executors(api):
    """The pods of executors that exist."""
    return api.all("pods", "spark-role=executor")


def names(api):
    """Their names."""
    return [each["metadata"]["name"] for each in executors(api)]


def slots(pod):
    """How many tasks an executor takes."""
    (container,) = pod["spec"]["containers"]
    return {each["name"]: each.get("value") for each in container["env"]}["SPARK_EXECUTOR_CORES"]


def require_pod(pod):
    """It is what the manifests describe, and belongs to the pod of the worker."""
    (owner,) = pod["metadata"]["ownerReferences"]
    assert (owner["kind"], owner["name"]) == ("Pod", POD["POD_NAME"])
    assert owner["uid"]
    assert pod["metadata"]["name"] == "plugwright-0-exec-1"
    assert pod["metadata"]["labels"]["app.kubernetes.io/component"] == "executor"
    spec, (container,) = pod["spec"], pod["spec"]["containers"]
    assert spec["serviceAccountName"] == "plugwright-executor"
    assert spec["automountServiceAccountToken"] is False
    assert spec["restartPolicy"] == "Never"
    assert spec["securityContext"]["runAsUser"] == 10001
    assert container["image"] == POD["PLUGWRIGHT_IMAGE"]
    assert container["securityContext"]["readOnlyRootFilesystem"] is True
    assert [each["containerPort"] for each in container["ports"]] == [7081]
    memory = f"{MEMORY_MIB + OVERHEAD_MIB}Mi"
    assert container["resources"]["requests"] == {"cpu": "1", "memory": memory}
    assert container["resources"]["limits"] == {"cpu": "4", "memory": memory}
    variables = {each["name"]: each.get("value") for each in container["env"]}
    assert variables["SPARK_DRIVER_URL"] == "spark://CoarseGrainedScheduler@127.0.0.1:7078"
    assert variables["SPARK_EXECUTOR_CORES"] == "16"
    assert "_SPARK_AUTH_SECRET" not in variables
    secrets = [v["secret"]["secretName"] for v in spec["volumes"] if "secret" in v]
    assert secrets == ["plugwright-spark"]


def values(broker, topic):
    """What is in a topic; a source that is killed may have sent it twice."""
    return {record.value() for record in read_topic(broker.bootstrap_servers, topic)}


def add(lines, text):
    """Append a line."""
    with lines.open("a") as more:
        more.write(f"{text}\n")


def test_a_connector_runs_on_executors_that_kubernetes_started(broker, fresh, kubernetes):
    """It runs, leaves one that is deleted, survives the loss of one, and leaves nothing behind.

    Spark asks only what the Role allows, and the Role allows nothing that Spark has not asked.
    """
    api, name, lines = kubernetes.api, fresh("kube"), kubernetes.place / "lines.txt"
    create_topic(broker.bootstrap_servers, name)
    lines.write_text("one\ntwo\n")
    settings = of_worker(kubernetes.settings, broker, name)
    with WorkerProcess(settings, distributed=True) as worker:
        source = {"connector.class": "FileStreamSource", "file": str(lines), "topic": name}
        worker.create("in", source)
        worker.wait_for_state("in", timeout_s=120)
        assert until(lambda: values(broker, name) == {b"one", b"two"})
        (pod,) = (body for kind, body in api.posted if kind == "pods")
        require_pod(pod)

        api.terminate("plugwright-0-exec-1")
        assert until(lambda: names(api) == ["plugwright-0-exec-2"])
        assert "task.crashed" not in worker.said
        add(lines, "three")
        assert until(lambda: b"three" in values(broker, name))

        lost = kubernetes.kubelet.processes["plugwright-0-exec-2"]
        os.killpg(lost.pid, signal.SIGKILL)
        assert until(lambda: names(api) == ["plugwright-0-exec-3"])
        assert slots(executors(api)[0]) == "16"  # also after an end that looks like out of memory
        add(lines, "four")
        assert until(lambda: b"four" in values(broker, name))
        worker.wait_for_state("in")
        assert worker.stop() == 0

    assert executors(api) == []
    assert api.all("configmaps") == []
    require_rights(api)


def require_rights(api):
    """What was asked was allowed, and hardly anything else is."""
    asked = Counter((each.verb, each.resource) for each in api.asked)
    refused = {(each.verb, each.resource) for each in api.asked if not each.allowed}
    allowed = {
        (verb, kind)
        for rule in resource("Role")["rules"]
        for verb in rule["verbs"]
        for kind in rule["resources"]
    }
    assert refused == set()
    assert allowed - asked.keys() == set()


def test_an_api_that_refuses_ends_the_worker_with_the_reason(broker, fresh, kubernetes):
    """Not with a stack of the JVM: the account lacks the right to see its own pod."""
    kubernetes.api.forbid("get", "pods")
    settings = of_worker(kubernetes.settings, broker, fresh("kube"))
    worker = WorkerProcess(settings, distributed=True)
    try:
        worker.start()
        assert worker.wait(120) != 0
        assert "spark.no-session" in worker.said
        assert "cannot get pods" in worker.said
        assert "Traceback" not in worker.said
    finally:
        worker.close()
