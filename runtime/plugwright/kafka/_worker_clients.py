"""What a worker's top-level properties say to its own Kafka clients.

Kafka Connect hands all of them to the clients of its internal topics, to its group member and to
admin clients (`KafkaOffsetBackingStore`, `WorkerGroupMember` and `Worker.adminConfigs`); Java's
clients overlook what is not theirs. librdkafka refuses that, so here go those that are a client's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright.kafka._settings import ClientOverrides

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["worker_clients"]

# Kafka 4.3 documentation, sections "Producer Configs", "Consumer Configs" and "Admin Configs".
_ALL = frozenset(
    {
        "client.dns.lookup",
        "connections.max.idle.ms",
        "enable.metrics.push",
        "metadata.max.age.ms",
        "metadata.recovery.rebootstrap.trigger.ms",
        "metadata.recovery.strategy",
        "reconnect.backoff.max.ms",
        "reconnect.backoff.ms",
        "retry.backoff.max.ms",
        "retry.backoff.ms",
        "security.protocol",
        "socket.connection.setup.timeout.ms",
    }
)
_PRODUCER = frozenset({"batch.size", "buffer.memory", "compression.type", "max.request.size"})
_CONSUMER = frozenset({"client.rack", "fetch.max.bytes", "max.partition.fetch.bytes"})
_SERVER_SIDE = "ssl.client.auth"
"""Of the REST API, which shares the names of ``ssl.`` with the clients."""
_REQUEST_TIMEOUT = "request.timeout.ms"
_LONGEST_MS = 300_000


def worker_clients(properties: Mapping[str, str]) -> ClientOverrides:
    """The settings of a worker's own clients.

    Settings of SASL and TLS go along where ``security.protocol`` has a use for them: those of TLS
    may be meant for the REST API alone.
    """
    protocol = properties.get("security.protocol", "").upper()
    secrets = [
        prefix
        for prefix, is_used in (
            ("sasl.", protocol.startswith("SASL_")),
            ("ssl.", protocol.endswith("SSL")),
        )
        if is_used
    ]
    shared = {
        key: value
        for key, value in properties.items()
        if key in _ALL or (key.startswith(tuple(secrets)) and key != _SERVER_SIDE)
    } | _waiting(properties)
    return ClientOverrides(
        producer=shared | _chosen(properties, _PRODUCER),
        consumer=shared | _chosen(properties, _CONSUMER),
        admin=shared,
    )


def _chosen(properties: Mapping[str, str], names: frozenset[str]) -> dict[str, str]:
    return {key: value for key, value in properties.items() if key in names}


def _waiting(properties: Mapping[str, str]) -> dict[str, str]:
    """How long a client waits for an answer: librdkafka's name, and at most what it allows."""
    timeout = properties.get(_REQUEST_TIMEOUT, "").strip()
    if not timeout.isdecimal():
        return {}
    return {"socket.timeout.ms": str(min(int(timeout), _LONGEST_MS))}
