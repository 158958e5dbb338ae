"""The settings of a worker's own Kafka clients, from its top-level properties.

Kafka Connect passes all of them to the clients of its internal topics, to its group member and to
admin clients (`KafkaOffsetBackingStore`, `WorkerGroupMember` and `Worker.adminConfigs`); Java's
clients ignore unknown properties. librdkafka refuses them, so only client properties are passed
here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright.kafka._settings import ClientOverrides

if TYPE_CHECKING:
    from collections.abc import Mapping

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
        "receive.buffer.bytes",
        "send.buffer.bytes",
        "socket.connection.setup.timeout.ms",
    }
)
_PRODUCER = frozenset({"batch.size", "buffer.memory", "compression.type", "max.request.size"})
_CONSUMER = frozenset({"client.rack", "fetch.max.bytes", "max.partition.fetch.bytes"})
_SERVER_SIDE = "ssl.client.auth"
"""Properties of the REST API, which shares the prefix ``ssl.`` with the clients."""
_REQUEST_TIMEOUT = "request.timeout.ms"
_LONGEST_MS = 300_000


def worker_clients(properties: Mapping[str, str]) -> ClientOverrides:
    """The settings of a worker's own clients.

    Settings of SASL and TLS are included only if ``security.protocol`` uses them, because those of
    TLS may be meant for the REST API alone.
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
    """How long a client waits for a response: in librdkafka's name and within its limit."""
    timeout = properties.get(_REQUEST_TIMEOUT, "").strip()
    if not timeout.isdecimal():
        return {}
    return {"socket.timeout.ms": str(min(int(timeout), _LONGEST_MS))}
