"""The further settings of a distributed worker, in Kafka Connect's names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from plugwright.config import (
    ConfigDef,
    Importance,
    LambdaValidator,
    NonEmptyString,
    Range,
    Type,
    invalid_value,
    require_valid,
)
from plugwright.kafka import CompactedTopic

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["CLUSTER_CONFIG", "ClusterConfig"]


def _check_count(name: str, value: object) -> None:
    if isinstance(value, int) and (value == 0 or value < -1):
        raise invalid_value(name, value, "Value must be at least 1, or -1 for the broker's default")


_COUNT = LambdaValidator.with_(_check_count, lambda: "[1,...] or -1")


def _topic(definition: ConfigDef, kind: str, what: str) -> None:
    definition.define(
        f"{kind}.storage.topic",
        Type.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyString(),
        documentation=f"Compacted topic that keeps {what}; the same for all workers of a group.",
    ).define(
        f"{kind}.storage.replication.factor",
        Type.SHORT,
        default=3,
        importance=Importance.LOW,
        validator=_COUNT,
        documentation=f"Replicas of {kind}.storage.topic if it is made; -1: the broker's default.",
    )


def _definition() -> ConfigDef:
    definition = ConfigDef().define(
        "group.id",
        Type.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyString(),
        documentation="Name of the group of workers. No sink may use it as its consumer group.",
    )
    _topic(definition, "config", "the connectors' configurations")
    _topic(definition, "offset", "the offsets of source connectors")
    _topic(definition, "status", "the states of connectors and tasks")
    return (
        definition.define(
            "status.storage.partitions",
            Type.INT,
            default=5,
            importance=Importance.LOW,
            validator=_COUNT,
            documentation="Partitions of status.storage.topic if it is made.",
        )
        .define(
            "shard.storage.topic",
            Type.STRING,
            default="",
            importance=Importance.LOW,
            documentation="Topic whose partitions are the shares of connectors that workers divide "
            "among themselves; it holds nothing. By default config.storage.topic with -shards.",
        )
        .define(
            "shard.storage.partitions",
            Type.INT,
            default=24,
            importance=Importance.LOW,
            validator=Range.at_least(1),
            documentation="How many shares there are if that topic is made: the most workers that "
            "can have any connector.",
        )
        .define(
            "client.id",
            Type.STRING,
            default="",
            importance=Importance.LOW,
            documentation="Part of what the worker's own Kafka clients call themselves, after "
            "group.id.",
        )
        .define(
            "session.timeout.ms",
            Type.INT,
            default=10_000,
            importance=Importance.HIGH,
            validator=Range.at_least(1),
            documentation="How long a worker may be silent before the others take over.",
        )
        .define(
            "heartbeat.interval.ms",
            Type.INT,
            default=1_000,
            importance=Importance.HIGH,
            validator=Range.at_least(1),
            documentation="Time between a worker's signs of life; they also tell it of others.",
        )
    )


CLUSTER_CONFIG = _definition()
"""Definition of the settings that a distributed worker has beside those of every worker."""


@dataclass(frozen=True, slots=True)
class ClusterConfig:
    """A distributed worker's share of its settings, parsed.

    Attributes:
        client_id: what the names of the worker's own Kafka clients begin with.
    """

    group_id: str
    client_id: str
    configs: CompactedTopic
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
            name = values[f"{kind}.storage.topic"]
            return CompactedTopic(
                name, partitions=partitions, replication_factor=replicas, single=single
            )

        return cls(
            group_id=values["group.id"],
            client_id=f"{values['group.id']}-{values['client.id'] or 'worker'}",
            configs=topic("config", partitions=1, single=True),
            statuses=topic("status", partitions=values["status.storage.partitions"]),
            shards=CompactedTopic(
                values["shard.storage.topic"] or f"{values['config.storage.topic']}-shards",
                partitions=values["shard.storage.partitions"],
                replication_factor=values["config.storage.replication.factor"],
            ),
            membership={
                key: str(values[key]) for key in ("session.timeout.ms", "heartbeat.interval.ms")
            },
        )
