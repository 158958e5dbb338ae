"""Client settings: Kafka's property names in, librdkafka's out."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from plugwright.errors import ConfigError
from plugwright.kafka._client_properties import own_settings

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "ClientOverrides",
    "assignment_strategy",
    "client_settings",
    "consumer_settings",
    "producer_settings",
    "transactional_settings",
]

log = logging.getLogger(__name__)

_STRATEGY = "partition.assignment.strategy"
_ASSIGNORS = {
    "range": "range",
    "roundrobin": "roundrobin",
    "cooperative-sticky": "cooperative-sticky",
    "RangeAssignor": "range",
    "RoundRobinAssignor": "roundrobin",
    "CooperativeStickyAssignor": "cooperative-sticky",
}


@dataclass(frozen=True, slots=True)
class ClientOverrides:
    """What the clients of one purpose are told, in Kafka's property names; shows no secrets."""

    producer: Mapping[str, str] = field(default_factory=dict, repr=False)
    consumer: Mapping[str, str] = field(default_factory=dict, repr=False)
    admin: Mapping[str, str] = field(default_factory=dict, repr=False)


def client_settings(
    bootstrap_servers: str, client_id: str, overrides: Mapping[str, str] | None = None
) -> dict[str, object]:
    """What every client needs; its own log goes to Python's logging, not to standard error."""
    return {
        "bootstrap.servers": bootstrap_servers,
        "client.id": client_id,
        "logger": log,
    } | own_settings(overrides or {})


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
    } | own_settings(overrides)


def transactional_settings(
    bootstrap_servers: str, client_id: str, transactional_id: str, overrides: Mapping[str, str]
) -> dict[str, object]:
    """Settings of an exactly-once source's producer (KIP-618).

    The transactional id and idempotence are the runtime's: other values are replaced, with a
    warning. A record is tried until the transaction's own time is over.
    """
    owned = {"transactional.id": transactional_id, "enable.idempotence": "true"}
    for key, value in owned.items():
        if overrides.get(key, value) != value:
            log.warning("%s: %s=%s is replaced by %s", client_id, key, overrides[key], value)
    settings = producer_settings(bootstrap_servers, client_id, {**overrides, **owned})
    if "delivery.timeout.ms" not in overrides:
        del settings["delivery.timeout.ms"]
    return settings


def consumer_settings(
    bootstrap_servers: str, client_id: str, group: str, overrides: Mapping[str, str]
) -> dict[str, object]:
    """Settings of a sink's group member: commits are explicit, new groups begin at the start.

    The member is a static one (KIP-345) under its client id: a task that comes back after its
    process was killed takes its own place at once, and a zombie of it is fenced, instead of the
    group waiting for the dead member's session to run out.

    Raises:
        ConfigError: if the client knows nothing like the assignors asked for.
    """
    own = own_settings(overrides)
    if (strategy := overrides.get(_STRATEGY)) is not None:
        own[_STRATEGY] = assignment_strategy(strategy)
    return {
        **client_settings(bootstrap_servers, client_id),
        "group.id": group,
        "group.instance.id": client_id,
        "session.timeout.ms": 10_000,
        # Members learn of a new one with their next heartbeat: the first wait of every start.
        "heartbeat.interval.ms": 1_000,
        # A topic that a `topics.regex` means may be made after its sink: found in seconds, as
        # brokers look for such topics themselves (KIP-848), and not after the stock five minutes.
        "topic.metadata.refresh.interval.ms": 10_000,
        "enable.auto.commit": False,
        "auto.offset.reset": "earliest",
        _STRATEGY: "range,roundrobin",
        # The stock back-off of a second stalls the fetcher whenever its queue is full.
        "fetch.queue.backoff.ms": 10,
    } | own


def assignment_strategy(names: str) -> str:
    """The assignors by the client's names, from those or from Java's class names.

    Raises:
        ConfigError: if there is no such assignor here, or eager and cooperative ones are mixed,
            which the client cannot do.
    """
    found = [_ASSIGNORS.get(name.strip().rpartition(".")[2]) for name in names.split(",")]
    mixed = "cooperative-sticky" in found and len(set(found)) > 1
    if None in found or mixed:
        reason = (
            "eager and cooperative assignors cannot be mixed here"
            if mixed and None not in found
            else f"known are {', '.join(name for name in _ASSIGNORS if name.islower())}"
        )
        raise ConfigError(
            f"Invalid value {names} for configuration {_STRATEGY}: {reason}",
            hint="use range, roundrobin or both, or cooperative-sticky alone",
            facts={"key": _STRATEGY},
        )
    return ",".join(name for name in found if name)
