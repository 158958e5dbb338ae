"""A Kafka that lets in only who has a password."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.e2e.clients import CLIENTS
from tests.e2e.workers import WorkerProcess, cluster_settings, free_port, until

from plugwright.errors import ConnectError, SetupError
from plugwright.kafka import (
    read_topic,
    worker_clients,
)

pytestmark = [pytest.mark.spark, pytest.mark.kafka, pytest.mark.timeout(240)]

PLUGINS = Path(__file__).parents[2] / "plugin-path"
LOGIN = "org.apache.kafka.common.security.plain.PlainLoginModule required"
PASSWORD = "workers-s3cret"  # noqa: S105  # of a Kafka that lives for some seconds
MISTAKE = "workers-mistake"


@pytest.fixture(scope="module")
def secured():
    """Address of a Kafka whose only user is ``worker``."""
    from plugwright.kafka.brokers.embedded import open_embedded  # noqa: PLC0415  # an extra

    client, inner, controller = (f"127.0.0.1:{free_port()}" for _ in range(3))
    listeners = f"SECURED://{client},INNER://{inner}"
    protocols = "SECURED:SASL_PLAINTEXT,INNER:PLAINTEXT,CONTROLLER:PLAINTEXT"
    properties = {
        "listeners": f"{listeners},CONTROLLER://{controller}",
        "advertised.listeners": listeners,
        "inter.broker.listener.name": "INNER",
        "controller.quorum.voters": f"1@{controller}",
        "listener.security.protocol.map": protocols,
        "listener.name.secured.sasl.enabled.mechanisms": "PLAIN",
        "listener.name.secured.plain.sasl.jaas.config": f'{LOGIN} user_worker="{PASSWORD}";',
    }
    try:
        broker = open_embedded(port=int(inner.rpartition(":")[2]), properties=properties)
    except SetupError as error:
        if os.environ.get("CI"):
            raise
        pytest.skip(str(error))
    with broker:
        yield client


def _login(password, prefix=""):
    return {
        f"{prefix}security.protocol": "SASL_PLAINTEXT",
        f"{prefix}sasl.mechanism": "PLAIN",
        f"{prefix}sasl.jaas.config": f'{LOGIN} username="worker" password="{password}";',
    }


@pytest.mark.parametrize("use", CLIENTS.values(), ids=CLIENTS)
def test_a_client_with_the_right_password_is_let_in(secured, fresh, use):
    """All clients of the worker, with its top-level settings."""
    use(secured, worker_clients(_login(PASSWORD)), fresh("in"))


@pytest.mark.parametrize("use", CLIENTS.values(), ids=CLIENTS)
def test_a_wrong_password_is_reported_instead_of_waiting(secured, fresh, use):
    """Which client, where, and why, but not the password."""
    with pytest.raises(ConnectError) as caught:
        use(secured, worker_clients(_login(MISTAKE)), fresh("out"))

    assert caught.value.code == "kafka.authentication-failed", str(caught.value)
    assert f" at {secured} failed: " in str(caught.value)
    assert "Authentication failed: Invalid username or password" in str(caught.value)
    assert MISTAKE not in f"{caught.value}{caught.value.hint}{caught.value.facts}"


def test_a_worker_and_its_tasks_log_in(secured, fresh, tmp_path):
    """Tasks with what has a prefix; one with a wrong password fails and says so."""
    source, group = tmp_path / "in.txt", fresh("secured")
    source.write_text("one\ntwo\n", "utf-8")
    settings = {
        "bootstrap.servers": secured,
        "plugin.path": str(PLUGINS),
        "plugin.discovery": "service_load",
        **cluster_settings(group),
        **_login(PASSWORD),
        **_login(PASSWORD, "producer."),
        **_login(PASSWORD, "consumer."),
        **_login(PASSWORD, "admin."),
    }
    config = {"connector.class": "FileStreamSource", "file": str(source), "topic": group}
    with WorkerProcess(settings, distributed=True) as worker:
        worker.create("right", config)
        worker.create("wrong", config | _login(MISTAKE, "producer.override."))
        worker.wait_for_state("right")
        task = until(lambda: _failed_task(worker, "wrong"))
        assert until(lambda: _values(secured, group) == [b"one", b"two"])
        offsets = until(lambda: worker.call("/connectors/right/offsets")[1]["offsets"])
        said = worker.said

    assert "SASL authentication of client connector-producer-wrong-0" in task["trace"]
    assert "kafka.authentication-failed" in task["trace"]
    assert offsets[0]["offset"] == {"position": 8}
    assert PASSWORD not in said
    assert MISTAKE not in said


def _failed_task(worker, name):
    code, status = worker.call(f"/connectors/{name}/status")
    tasks = status["tasks"] if code == 200 else []
    return next((task for task in tasks if task["state"] == "FAILED"), None)


def _values(servers, topic):
    overrides = worker_clients(_login(PASSWORD)).consumer
    return [message.value() for message in read_topic(servers, topic, overrides=overrides)]


def test_a_worker_with_a_wrong_password_does_not_start(secured, fresh):
    """It ends with status 2 and what to correct."""
    settings = {"bootstrap.servers": secured, **cluster_settings(fresh("out")), **_login(MISTAKE)}
    worker = WorkerProcess(settings, distributed=True)
    try:
        worker.start()
        status = worker.wait()
        said = worker.said
    finally:
        worker.close()

    assert status == 2, said
    assert f"SASL authentication of client plugwright-admin at {secured} failed" in said
    assert "settings without a prefix apply to the worker's own clients" in said
    assert MISTAKE not in said
