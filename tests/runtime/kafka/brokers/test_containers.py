"""A broker in a container, with a stand-in for the engine."""

from __future__ import annotations

import socket
import subprocess
import sys
import threading
from unittest import mock

import pytest
from confluent_kafka.admin import AdminClient

from plugwright.errors import SetupError
from plugwright.kafka.brokers import containers as implementation
from plugwright.kafka.brokers import open_broker
from plugwright.kafka.brokers.containers import engine_answers, open_container, start_script

containers = pytest.importorskip("testcontainers.core.container")
docker = pytest.importorskip("docker")


class FakeContainer:
    """As much of a testcontainers container as the broker uses."""

    last = None
    error = None
    status = "running"

    def __init__(self, image):
        FakeContainer.last = self
        self.image, self.stops, self.copied = image, 0, {}

    def with_bind_ports(self, port, host):
        """Note the ports."""
        self.ports = (port, host)

    def with_command(self, command):
        """Note the command."""
        self.command = command

    def start(self):
        """Fail if configured to."""
        if self.error:
            raise self.error

    def get_container_host_ip(self):
        """Where the engine publishes ports."""
        return "engine"

    def get_exposed_port(self, port):
        """The published port."""
        return 32768

    def copy_into_container(self, content, path):
        """Note the file."""
        self.copied[path] = content.decode()

    def reload(self):
        """Nothing to load."""

    def get_logs(self):
        """Both outputs."""
        return b"out\n", b"err\n"

    def stop(self):
        """Count."""
        self.stops += 1


@pytest.fixture
def engine(monkeypatch):
    """An engine in which every container starts and Kafka answers."""
    monkeypatch.setattr(containers, "DockerContainer", FakeContainer)
    monkeypatch.setattr(implementation, "wait_until_ready", lambda *_: True)
    return monkeypatch


@pytest.mark.usefixtures("engine")
def test_kafka_starts_with_the_address_that_the_engine_gave():
    """The container waits for a script, which is written when the port is known."""
    with open_container() as broker:
        script = FakeContainer.last.copied["/tmp/plugwright-start.sh"]  # noqa: S108  # inside the container

    assert (broker.bootstrap_servers, broker.kind, broker.version, broker.log) == (
        "engine:32768",
        "testcontainers",
        "4.3.1",
        None,
    )
    assert "PLAINTEXT://engine:32768,INTERNAL://localhost:9094" in script
    assert FakeContainer.last.image == "apache/kafka:4.3.1"
    assert FakeContainer.last.ports == (9092, None)


@pytest.mark.usefixtures("engine")
def test_closing_twice_removes_the_container_once():
    """An engine would answer the second time with an error."""
    broker = open_container()

    broker.close()
    broker.close()

    assert FakeContainer.last.stops == 1


def test_a_container_that_cannot_start_is_removed_and_explained(engine):
    """The engine's own words."""
    engine.setattr(FakeContainer, "error", docker.errors.APIError("no space left"))

    with pytest.raises(SetupError, match="could not be used: no space left") as caught:
        open_container()

    assert caught.value.code == "environment.kafka-container-failed"
    assert FakeContainer.last.stops == 1


def test_a_kafka_that_does_not_answer_is_removed_and_explained(engine):
    """With the end of the container's log."""
    engine.setattr(implementation, "wait_until_ready", lambda *_: False)

    with pytest.raises(SetupError, match="it does not answer\nout\nerr"):
        open_container()

    assert FakeContainer.last.stops == 1


def test_the_start_script_is_shell():
    """Values with anything in them arrive whole; the last command is replaced here."""
    script = start_script({"a.b": "it's $HOME"}).replace("exec /etc/kafka/docker/run", "env")

    printed = subprocess.check_output(["/bin/sh", "-c", script], text=True)

    assert "KAFKA_A_B=it's $HOME" in printed.splitlines()


@pytest.mark.parametrize("module", ["docker", "testcontainers"])
def test_without_the_packages_there_is_no_engine(monkeypatch, module):
    """No import error, no question to the engine."""
    monkeypatch.setitem(sys.modules, module, None)

    assert engine_answers() is False


def test_an_engine_that_hangs_is_given_up(monkeypatch):
    """A dead remote engine must not hold up the start."""
    release = threading.Event()
    monkeypatch.setattr(docker, "from_env", lambda **_: release.wait())
    monkeypatch.setattr(implementation, "_ENGINE_SECONDS", 0.02)

    assert engine_answers({"DOCKER_HOST": "tcp://engine:2375"}) is False

    release.set()


def test_an_engine_that_answers_is_found(monkeypatch):
    """The client is closed again."""
    client = mock.Mock(**{"ping.return_value": True})
    monkeypatch.setattr(docker, "from_env", lambda **_: client)

    assert engine_answers({"DOCKER_HOST": "tcp://engine:2375"}) is True
    client.close.assert_called_once_with()


@pytest.mark.parametrize("listens", [False, True], ids=["no-socket", "no-engine-behind-it"])
def test_no_engine_is_an_answer(monkeypatch, tmp_path, listens):
    """Not an exception; the client is not even loaded."""
    monkeypatch.setitem(sys.modules, "docker.errors", None)
    with socket.socket(socket.AF_UNIX) as dead:
        if listens:
            dead.bind(str(tmp_path / "sock"))

        assert engine_answers({"DOCKER_HOST": f"unix://{tmp_path}/sock"}) is False


@pytest.mark.kafka
@pytest.mark.skipif(
    not engine_answers(), reason="no Docker engine answers within 2 s, so none can run the image"
)
def test_a_real_container_answers():
    """The image, the script and the two listeners fit together."""
    with open_broker(kind="testcontainers") as broker:
        client = AdminClient({"bootstrap.servers": broker.bootstrap_servers})

        assert len(client.list_topics(timeout=10).brokers) == 1
