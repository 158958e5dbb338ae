"""The additional settings of a distributed worker, under Kafka Connect's names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from plugwright.config import (
    ConfigDef,
    ConfigType,
    Importance,
    NonEmptyString,
    Range,
    require_valid,
)
from plugwright.herder.internal_topics import COUNT, topic_settings
from plugwright.kafka import CompactedTopic, TopicShape

if TYPE_CHECKING:
    from collections.abc import Mapping


def _topic(definition: ConfigDef, kind: str, what: str) -> None:
    definition.define(
        f"{kind}.storage.topic",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyString(),
        documentation=f"Compacted topic that stores {what}; the same for all workers of a group.",
    ).define(
        f"{kind}.storage.replication.factor",
        ConfigType.SHORT,
        default=3,
        importance=Importance.LOW,
        validator=COUNT,
        documentation=f"Replicas of {kind}.storage.topic if created; -1: the broker's default.",
    )


def _definition() -> ConfigDef:
    definition = ConfigDef().define(
        "group.id",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyString(),
        documentation="Name of the group of workers. No sink may use it as its consumer group.",
    )
    _topic(definition, "config", "the connectors' configurations")
    _topic(definition, "offset", "the offsets of source connectors")
    _topic(definition, "status", "the states of connectors and tasks")
    _define_partitions(definition)
    _define_shards(definition)
    _define_membership(definition)
    return definition


def _define_partitions(definition: ConfigDef) -> None:
    definition.define(
        "offset.storage.partitions",
        ConfigType.INT,
        default=25,
        importance=Importance.LOW,
        validator=COUNT,
        documentation="Partitions of offset.storage.topic if it is created.",
    ).define(
        "status.storage.partitions",
        ConfigType.INT,
        default=5,
        importance=Importance.LOW,
        validator=COUNT,
        documentation="Partitions of status.storage.topic if it is created.",
    )


def _define_shards(definition: ConfigDef) -> None:
    definition.define(
        "shard.storage.topic",
        ConfigType.STRING,
        default="",
        importance=Importance.LOW,
        documentation="Topic whose partitions are the shards of connectors that the workers "
        "divide among themselves; it records the owner of each shard. By default "
        "config.storage.topic with the suffix -shards.",
    ).define(
        "shard.storage.partitions",
        ConfigType.INT,
        default=24,
        importance=Importance.LOW,
        validator=Range.at_least(1),
        documentation="Number of shards if the topic is created: the maximum number of workers "
        "that can own connectors.",
    )


def _define_membership(definition: ConfigDef) -> None:
    definition.define(
        "client.id",
        ConfigType.STRING,
        default="",
        importance=Importance.LOW,
        documentation="Part of the client.id of the worker's own Kafka clients, after group.id.",
    ).define(
        "session.timeout.ms",
        ConfigType.INT,
        default=10_000,
        importance=Importance.HIGH,
        validator=Range.at_least(1),
        documentation="Time without a heartbeat after which the other workers take over.",
    ).define(
        "heartbeat.interval.ms",
        ConfigType.INT,
        default=1_000,
        importance=Importance.HIGH,
        validator=Range.at_least(1),
        documentation="Time between a worker's heartbeats; their answers report new workers.",
    ).define(
        "rebalance.timeout.ms",
        ConfigType.INT,
        default=60_000,
        importance=Importance.HIGH,
        validator=Range.at_least(1),
        documentation="Time that a worker may take to release what is assigned to others; the "
        "group continues without a worker that takes longer.",
    )


CLUSTER_CONFIG = _definition()
"""Definition of the settings that only a distributed worker has."""


@dataclass(frozen=True, slots=True)
class ClusterConfig:
    """The parsed settings that only a distributed worker has.

    Attributes:
        client_id: prefix of the client.id of the worker's own Kafka clients.
    """

    group_id: str
    client_id: str
    configs: CompactedTopic
    offsets: CompactedTopic
    statuses: CompactedTopic
    shards: CompactedTopic
    membership: Mapping[str, str]

    @classmethod
    def parse(cls, properties: Mapping[str, str]) -> ClusterConfig:
        """Read the worker's properties.

        Raises:
            ConfigError: naming every setting that is missing or wrong.
        """
        require_valid(CLUSTER_CONFIG.validate(properties))
        values = CLUSTER_CONFIG.parse(properties)

        def topic(kind: str, *, partitions: int, single: bool = False) -> CompactedTopic:
            replicas = values[f"{kind}.storage.replication.factor"]
            shape = TopicShape(partitions, replicas, topic_settings(properties, kind))
            return shape.topic(values[f"{kind}.storage.topic"], single=single)

        return cls(
            group_id=values["group.id"],
            client_id=f"{values['group.id']}-{values['client.id'] or 'worker'}",
            configs=topic("config", partitions=1, single=True),
            offsets=topic("offset", partitions=values["offset.storage.partitions"]),
            statuses=topic("status", partitions=values["status.storage.partitions"]),
            shards=CompactedTopic(
                values["shard.storage.topic"] or f"{values['config.storage.topic']}-shards",
                partitions=values["shard.storage.partitions"],
                replication_factor=values["config.storage.replication.factor"],
            ),
            membership=_membership(values),
        )


def _membership(values: Mapping[str, int]) -> Mapping[str, str]:
    """The group member's settings; its client rejects a max.poll.interval below session.timeout."""
    session_ms, letting_go_ms = values["session.timeout.ms"], values["rebalance.timeout.ms"]
    return {
        "session.timeout.ms": str(session_ms),
        "heartbeat.interval.ms": str(values["heartbeat.interval.ms"]),
        "max.poll.interval.ms": str(max(session_ms, letting_go_ms)),
    }
