"""Client settings: Kafka's property names in, librdkafka's out."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["client_settings", "consumer_settings", "producer_settings"]

log = logging.getLogger(__name__)

_JAVA_ONLY = (
    "key.serializer",
    "value.serializer",
    "key.deserializer",
    "value.deserializer",
    "max.block.ms",
)
"""Settings of the Java clients that have no meaning here; dropped rather than refused."""


def client_settings(bootstrap_servers: str, client_id: str) -> dict[str, object]:
    """What every client needs; its own log goes to Python's logging, not to standard error."""
    return {
        "bootstrap.servers": bootstrap_servers,
        "client.id": client_id,
        "logger": log,
    }


def producer_settings(
    bootstrap_servers: str, client_id: str, overrides: Mapping[str, str]
) -> dict[str, object]:
    """Settings of a record producer: idempotent, acknowledged by all, never giving up by itself."""
    return {
        **client_settings(bootstrap_servers, client_id),
        "enable.idempotence": True,
        "acks": "all",
        # Connect's own default: as long as the task lives, a record is tried.
        "delivery.timeout.ms": 2147483647,
        # Java's partitioner, so that a key stays in its partition when Kafka Connect's own
        # topics are taken over.
        "partitioner": "murmur2_random",
        "linger.ms": 5,
        "queue.buffering.max.messages": 200_000,
    } | _own(overrides)


def consumer_settings(
    bootstrap_servers: str, client_id: str, group: str, overrides: Mapping[str, str]
) -> dict[str, object]:
    """Settings of a sink's group member: commits are explicit, new groups begin at the start.

    The member is a static one (KIP-345) under its client id: a task that comes back after its
    process was killed takes its own place at once, and a zombie of it is fenced, instead of the
    group waiting for the dead member's session to run out.
    """
    return {
        **client_settings(bootstrap_servers, client_id),
        "group.id": group,
        "group.instance.id": client_id,
        "session.timeout.ms": 10_000,
        # Members learn of a new one with their next heartbeat: the first wait of every start.
        "heartbeat.interval.ms": 1_000,
        "enable.auto.commit": False,
        "auto.offset.reset": "earliest",
        "partition.assignment.strategy": "range,roundrobin",
        # The stock back-off of a second stalls the fetcher whenever its queue is full.
        "fetch.queue.backoff.ms": 10,
    } | _own(overrides)


def _own(overrides: Mapping[str, str]) -> dict[str, object]:
    return {key: value for key, value in overrides.items() if key not in _JAVA_ONLY}
