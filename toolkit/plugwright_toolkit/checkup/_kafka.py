"""Checks Kafka, and the container engine that may run it."""

from __future__ import annotations

import os
import socket
from contextlib import suppress
from typing import TYPE_CHECKING

from plugwright.cache import cache_directory
from plugwright_toolkit.checkup._finding import Condition, EnvironmentFinding

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_ENGINE_SECONDS = 2.0
_ENGINE = "unix:///var/run/docker.sock"
_SECURITY = ("security.protocol", "sasl.", "ssl.")


def broker(servers: str, worker: Mapping[str, str]) -> Sequence[EnvironmentFinding]:
    """Whether a Kafka answers.

    Args:
        servers: ``host:port`` pairs between commas.
        worker: the worker's settings, of which those of its clients' security count.

    Raises:
        ConnectError: if none does, or the addresses mean nothing.
    """
    from plugwright.kafka.brokers import open_broker  # noqa: PLC0415  # after --help

    settings = {key: value for key, value in worker.items() if key.startswith(_SECURITY)}
    try:
        with open_broker(servers, kind="external", properties=settings):
            return [EnvironmentFinding("broker", Condition.OK, f"{servers} answers")]
    except ModuleNotFoundError as error:
        return [_without_client("broker", error)]


def distribution() -> Sequence[EnvironmentFinding]:
    """Whether the Kafka that Plugwright starts itself is in the cache, or has to be fetched."""
    try:
        from plugwright.kafka.brokers import kafka_server  # noqa: PLC0415  # after --help
    except ModuleNotFoundError as error:
        return [_without_client("kafka", error)]
    server = kafka_server()
    if not server.lacks(cache_directory()):
        return [EnvironmentFinding("kafka", Condition.OK, f"{server.name} is in the cache")]
    text = f"{server.name} is not in the cache; it is fetched when it is first started (45 MB)"
    return [EnvironmentFinding("kafka", Condition.OK, text)]


def _without_client(name: str, error: ModuleNotFoundError) -> EnvironmentFinding:
    """The finding where the extra of Kafka is not installed."""
    hint = "pip install 'plugwright[kafka]'"
    return EnvironmentFinding(name, Condition.WARN, f"not asked: no package {error.name}", hint)


def docker(environ: Mapping[str, str] = os.environ) -> Sequence[EnvironmentFinding]:
    """Whether a Docker engine answers; it is optional."""
    address = environ.get("DOCKER_HOST") or _ENGINE
    text = "no engine answers; an embedded Kafka is started where one is needed"
    with suppress(OSError, ValueError):
        if _answers(address):
            text = f"an engine answers at {address}"
    return [EnvironmentFinding("docker", Condition.OK, text)]


def _answers(address: str) -> bool:
    """Whether something there speaks HTTP, or for an encrypted address listens at all."""
    scheme, _, place = address.partition("://")
    if scheme == "unix":
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(_ENGINE_SECONDS)
            connection.connect(place)
            connection.sendall(b"GET /_ping HTTP/1.0\r\n\r\n")
            return connection.recv(5) == b"HTTP/"
    host, _, number = place.rstrip("/").rpartition(":")
    socket.create_connection((host, int(number)), _ENGINE_SECONDS).close()
    return True
