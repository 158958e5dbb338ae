"""Checks whether a Kafka answers, without output on standard error."""

from __future__ import annotations

import socket
import time
from typing import TYPE_CHECKING

from plugwright.errors import ConfigError
from plugwright.kafka.brokers.packages import require

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

_PORTS = range(1, 65536)
_ASK_SECONDS = 1.0
_PAUSE_SECONDS = 0.02


def parse_servers(bootstrap_servers: str) -> tuple[tuple[str, int], ...]:
    """Hosts and ports of a ``bootstrap.servers`` value.

    >>> parse_servers("one:9092, [::1]:9093")
    (('one', 9092), ('::1', 9093))

    Raises:
        ConfigError: ``config.invalid`` for anything but ``host:port`` pairs separated by commas.
    """
    return tuple(_parse_server(server.strip()) for server in bootstrap_servers.split(","))


def _parse_server(server: str) -> tuple[str, int]:
    host, _, port = server.rpartition("://")[2].rpartition(":")
    host = host.removeprefix("[").removesuffix("]")
    if not host or not port.isascii() or not port.isdigit() or int(port) not in _PORTS:
        raise ConfigError(
            f"bootstrap.servers: expected host:port[,host:port...], found {server!r}",
            hint="name each broker with its port, such as localhost:9092",
            facts={"key": "bootstrap.servers", "value": server},
        )
    return host, int(port)


def connect_failure(servers: Sequence[tuple[str, int]], seconds: float) -> str | None:
    """Why no server accepts a TCP connection, or ``None`` as soon as one does."""
    failures = []
    for host, port in servers:
        try:
            socket.create_connection((host, port), timeout=seconds / len(servers)).close()
        except OSError as error:
            failures.append(f"{host}:{port}: {_reason(error)}")
        else:
            return None
    return "; ".join(failures)


def _reason(error: OSError) -> str:
    if isinstance(error, TimeoutError):
        return "no answer to the connection request"
    return (error.strerror or str(error)).lower()


def metadata_failure(
    bootstrap_servers: str, seconds: float, properties: Mapping[str, str]
) -> str | None:
    """Why the cluster does not return its brokers, or ``None`` if it does.

    Raises:
        ConfigError: ``config.invalid`` if the client refuses its properties.
    """
    errors: list[str] = []
    client = _admin(bootstrap_servers, properties, lambda error: errors.append(str(error)))
    return _ask(client, seconds, errors)


def _ask(client: Any, seconds: float, errors: list[str]) -> str | None:
    from confluent_kafka import KafkaException  # noqa: PLC0415  # comes with an extra

    try:
        brokers = client.list_topics(timeout=seconds).brokers
    except KafkaException as error:
        client.poll(0)
        return errors[0] if errors else str(error.args[0])
    return None if brokers else "the cluster lists no broker"


def _admin(
    bootstrap_servers: str, properties: Mapping[str, str], listen: Callable[[object], object]
) -> Any:
    kafka = require("confluent_kafka.admin", "kafka")
    settings = {
        "reconnect.backoff.ms": 20,
        "reconnect.backoff.max.ms": 100,
        **properties,
        "bootstrap.servers": bootstrap_servers,
        "log_level": 0,
        "error_cb": listen,
    }
    try:
        return kafka.AdminClient(settings)
    except require("confluent_kafka", "kafka").KafkaException as error:
        raise ConfigError(
            f"the Kafka client refuses its properties: {error.args[0]}",
            facts={"keys": tuple(sorted(properties))},
        ) from error


def wait_until_ready(bootstrap_servers: str, seconds: float, ended: Callable[[], bool]) -> bool:
    """Whether the broker answers before it ends and within the time limit."""
    deadline = time.monotonic() + seconds
    servers = parse_servers(bootstrap_servers)
    while time.monotonic() < deadline and not ended():
        if connect_failure(servers, _ASK_SECONDS) is None:
            break
        time.sleep(_PAUSE_SECONDS)
    ask_seconds = _ASK_SECONDS
    while (left := deadline - time.monotonic()) > 0 and not ended():
        # A new client each time: one that has seen an answer goes on to the advertised address,
        # which a proxy before the broker may refuse for now.
        if _ask(_admin(bootstrap_servers, {}, _ignore), min(ask_seconds, left), []) is None:
            return True
        ask_seconds *= 2  # a busy broker answers late, and each client starts from the beginning
        time.sleep(_PAUSE_SECONDS)
    return False


def _ignore(error: object) -> None:
    """Leave an error to the answer that fails because of it."""
