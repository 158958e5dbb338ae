"""Client settings: translates Kafka's property names to librdkafka's."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from plugwright.config import ConfigDef, ConfigType, Importance, Range, require_valid
from plugwright.errors import ConfigError
from plugwright.kafka.client_log import ClientLog
from plugwright.kafka.client_properties import own_settings

if TYPE_CHECKING:
    from collections.abc import Mapping

log = logging.getLogger(__name__)

_BACKOFF, _LONGEST_BACKOFF = "reconnect.backoff.ms", "reconnect.backoff.max.ms"
_STRATEGY = "partition.assignment.strategy"
_COOPERATIVE = "cooperative-sticky"
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
    """Settings of clients in Kafka's property names; not shown in its ``repr``."""

    producer: Mapping[str, str] = field(default_factory=dict, repr=False)
    consumer: Mapping[str, str] = field(default_factory=dict, repr=False)
    admin: Mapping[str, str] = field(default_factory=dict, repr=False)


def client_settings(
    bootstrap_servers: str, client_id: str, overrides: Mapping[str, str] | None = None
) -> dict[str, object]:
    """The settings of every client; its log goes to Python's logging, not to standard error.

    Clients try to reconnect two to four times a second, as Java's do at the slowest; librdkafka's
    default is twenty times a second.
    """
    own = own_settings(overrides or {})
    connecting: dict[str, object] = {_BACKOFF: 500, _LONGEST_BACKOFF: 2_000}
    if _BACKOFF in own:
        connecting[_LONGEST_BACKOFF] = own[_BACKOFF]  # as Java's clients do
    return {
        "bootstrap.servers": bootstrap_servers,
        "client.id": client_id,
        "logger": ClientLog(bootstrap_servers, own),
        **connecting,
    } | own


def producer_settings(
    bootstrap_servers: str, client_id: str, overrides: Mapping[str, str]
) -> dict[str, object]:
    """Settings of a record producer: idempotent, acknowledged by all replicas, retrying forever."""
    own = own_settings(overrides)
    if (acknowledged := overrides.get("request.timeout.ms")) is not None:
        own["request.timeout.ms"] = acknowledged  # how long brokers wait for their replicas
    return {
        **client_settings(bootstrap_servers, client_id),
        "enable.idempotence": True,
        "acks": "all",
        # Connect's default: a record is retried as long as the task lives.
        "delivery.timeout.ms": 2147483647,
        # Java's partitioner, so that a key stays in its partition when Kafka Connect's own
        # topics are taken over.
        "partitioner": "murmur2_random",
        "linger.ms": 5,
        "queue.buffering.max.messages": 200_000,
    } | own


def transactional_settings(
    bootstrap_servers: str, client_id: str, transactional_id: str, overrides: Mapping[str, str]
) -> dict[str, object]:
    """Settings of an exactly-once source's producer (KIP-618).

    The transactional id and idempotence are the runtime's: other values are replaced, with a
    warning. A record is retried until the transaction times out.
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

    The member is static (KIP-345), with its client id as instance id. A task that restarts after
    its process was killed rejoins at once and fences its zombie; the group does not have to wait
    until the dead member's session expires.

    Raises:
        ConfigError: if the client does not have the configured assignors.
    """
    own = own_settings(overrides)
    if (strategy := overrides.get(_STRATEGY)) is not None:
        own[_STRATEGY] = assignment_strategy(strategy)
    return {
        **client_settings(bootstrap_servers, client_id),
        "group.id": group,
        "group.instance.id": client_id,
        "session.timeout.ms": 10_000,
        # Members notice a new one with their next heartbeat, which delays every start.
        "heartbeat.interval.ms": 1_000,
        # A topic that matches `topics.regex` may be created after its sink. It is found in seconds,
        # as brokers do themselves (KIP-848), and not after the default five minutes.
        "topic.metadata.refresh.interval.ms": 10_000,
        "enable.auto.commit": False,
        "allow.auto.create.topics": True,  # as in Java; librdkafka's own default is false
        "auto.offset.reset": "earliest",
        _STRATEGY: "range,roundrobin",
        # The default back-off of a second stalls the fetcher whenever its queue is full.
        "fetch.queue.backoff.ms": 10,
    } | own


_POLL = ConfigDef().define(
    "max.poll.records",
    ConfigType.INT,
    default=500,
    validator=Range.at_least(1),
    importance=Importance.MEDIUM,
    documentation="Maximum number of records that one poll of a consumer returns.",
)


def max_poll_records(overrides: Mapping[str, str]) -> int:
    """The maximum number of records per ``put``, as in Java's consumer.

    Args:
        overrides: the consumer's settings, in Kafka's property names.

    Raises:
        ConfigError: if the number is invalid.
    """
    require_valid(_POLL.validate(overrides))
    found: int = _POLL.parse(overrides)["max.poll.records"]
    return found


def assignment_strategy(names: str) -> str:
    """The client's names of the assignors, from these names or Java's class names.

    Eager assignors before the cooperative one, as in Kafka's default, mean only the eager ones: a
    group of Java clients that accepts both is eager too.

    Raises:
        ConfigError: if an assignor is unknown, or the cooperative one is the first of several,
            which the client does not support.
    """
    found = [_ASSIGNORS.get(name.strip().rpartition(".")[2]) for name in names.split(",")]
    mixed = _COOPERATIVE in found and len(set(found)) > 1
    if None in found or (mixed and found[0] == _COOPERATIVE):
        reason = (
            "the cooperative assignor cannot come before eager ones here"
            if mixed and None not in found
            else f"supported are {', '.join(name for name in _ASSIGNORS if name.islower())}"
        )
        raise ConfigError(
            f"Invalid value {names} for configuration {_STRATEGY}: {reason}",
            hint="use range, roundrobin or both, or cooperative-sticky alone",
            facts={"key": _STRATEGY},
        )
    return ",".join(name for name in found if name and not (mixed and name == _COOPERATIVE))
