"""Apache Kafka's own image in a container engine."""

from __future__ import annotations

import importlib.util
import os
import shlex
import socket
from typing import TYPE_CHECKING, Any, ClassVar

from plugwright.errors import SetupError
from plugwright.kafka.brokers._artifacts import KAFKA_VERSION
from plugwright.kafka.brokers._broker import Broker, ProgressListener, quiet
from plugwright.kafka.brokers.deadline import within
from plugwright.kafka.brokers.packages import require
from plugwright.kafka.brokers.ports import require_free
from plugwright.kafka.brokers.probe import wait_until_ready
from plugwright.kafka.brokers.properties import CLIENT_PORT, environment, for_container

if TYPE_CHECKING:
    from collections.abc import Mapping

_IMAGE = f"apache/kafka:{KAFKA_VERSION}"
_ENGINE_SECONDS = 2.0
_DEFAULT_HOST = "unix:///var/run/docker.sock"
_READY_SECONDS = 60.0
_LOG_LINES = 15
# The clients' address is known only when the container runs, so Kafka's own start command
# waits for the script that sets it.
_SCRIPT = "/tmp/plugwright-start.sh"  # noqa: S108  # inside the container
_WAIT_FOR_SCRIPT = f"while [ ! -s {_SCRIPT} ]; do sleep 0.1; done; sleep 0.1; exec sh {_SCRIPT}"
_RUN = "exec /etc/kafka/docker/run\n"


class ContainerBroker(Broker):
    """A single Kafka node in a container that the engine removes with it."""

    kind: ClassVar[str] = "testcontainers"
    version: ClassVar[str] = KAFKA_VERSION
    log: ClassVar[None] = None

    def __init__(self, container: Any, bootstrap_servers: str) -> None:
        self._container = container
        self._bootstrap_servers = bootstrap_servers
        self._closed = False

    @property
    def bootstrap_servers(self) -> str:
        """The address at which the engine publishes the broker."""
        return self._bootstrap_servers

    @property
    def has_ended(self) -> bool:
        """Whether the container stopped by itself."""
        self._container.reload()
        return bool(self._container.status in {"exited", "dead"})

    def last_lines(self) -> tuple[str, ...]:
        """The last lines of the container's output."""
        output = b"\n".join(self._container.get_logs()).decode("utf-8", "replace")
        return tuple(line for line in output.splitlines() if line.strip())[-_LOG_LINES:]

    def close(self) -> None:
        """Remove the container and its data."""
        if not self._closed:
            self._closed = True
            self._container.stop()


def engine_answers(environ: Mapping[str, str] = os.environ) -> bool:
    """Whether a Docker engine answers within two seconds and testcontainers is installed."""
    if importlib.util.find_spec("docker") is None:
        return False
    if importlib.util.find_spec("testcontainers") is None:
        return False
    if not _takes_connections(environ.get("DOCKER_HOST") or _DEFAULT_HOST):
        return False
    docker = require("docker", "conformance")
    try:
        return within(_ENGINE_SECONDS, lambda: _ping(docker))
    except (docker.errors.DockerException, OSError):
        return False


def _takes_connections(host: str) -> bool:
    """Whether there may be an engine; avoids importing the client on most machines.

    The client also does not close the socket if no engine answers.
    """
    scheme, _, path = host.partition("://")
    if scheme != "unix":
        return True
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(_ENGINE_SECONDS)
        try:
            connection.connect(path)
        except OSError:
            return False
    return True


def _ping(docker: Any) -> bool:
    client = docker.from_env(timeout=_ENGINE_SECONDS)
    try:
        return bool(client.ping())
    finally:
        client.close()


def open_container(
    *,
    port: int | None = None,
    properties: Mapping[str, str] | None = None,
    progress: ProgressListener = quiet,
) -> ContainerBroker:
    """Start a new, empty Kafka in a container and wait until it answers.

    Args:
        port: the port for clients; by default one that the engine chooses.
        properties: server properties on top of those for a single node.
        progress: notified of slow steps.

    Raises:
        SetupError: ``environment.port-in-use``, ``environment.package-missing`` or
            ``environment.kafka-container-failed``.
    """
    if port is not None:
        require_free(port)
    containers = require("testcontainers.core.container", "conformance")
    docker_errors = require("docker.errors", "conformance")
    progress(f"starting the container {_IMAGE}")
    try:
        container = containers.DockerContainer(_IMAGE)
    except (docker_errors.DockerException, OSError) as error:
        raise _container_failed(str(error)) from error
    container.with_bind_ports(CLIENT_PORT, port)
    container.with_command(["sh", "-c", _WAIT_FOR_SCRIPT])
    broker = None
    try:
        broker = _start(container, properties or {})
    except (docker_errors.DockerException, OSError) as error:
        raise _container_failed(str(error)) from error
    finally:
        if broker is None:
            container.stop()
    return broker


def _start(container: Any, properties: Mapping[str, str]) -> ContainerBroker:
    container.start()
    host = container.get_container_host_ip()
    port = container.get_exposed_port(CLIENT_PORT)
    script = start_script({**for_container(host, port), **properties})
    container.copy_into_container(script.encode(), _SCRIPT)
    broker = ContainerBroker(container, f"{host}:{port}")
    if not wait_until_ready(broker.bootstrap_servers, _READY_SECONDS, lambda: broker.has_ended):
        raise _container_failed("\n".join(["it does not answer", *broker.last_lines()]))
    return broker


def start_script(properties: Mapping[str, str]) -> str:
    """The shell script that starts Kafka in the image with these server properties."""
    exports = (
        f"export {name}={shlex.quote(value)}\n" for name, value in environment(properties).items()
    )
    return "".join(exports) + _RUN


def _container_failed(reason: str) -> SetupError:
    return SetupError(
        f"the container {_IMAGE} could not be used: {reason}",
        code="environment.kafka-container-failed",
        hint="check that the engine can pull and run the image, or use the embedded broker",
        facts={"image": _IMAGE, "reason": reason},
    )
