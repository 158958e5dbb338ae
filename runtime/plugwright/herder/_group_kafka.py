"""The clients through which the workers of a group share connectors and statuses."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from plugwright.kafka import KafkaLog, KafkaTimeouts, ShardMembership

if TYPE_CHECKING:
    from plugwright.herder._cluster_config import ClusterConfig
    from plugwright.kafka import ClientOverrides, CompactedTopic


@dataclass(frozen=True, slots=True)
class GroupKafka:
    """Kafka as the workers of one group use it among themselves.

    Attributes:
        cluster: the settings of the group.
        clients: additional settings of the clients.
        timeouts: limits all waits; shortened when the membership ends.
    """

    bootstrap_servers: str
    cluster: ClusterConfig
    clients: ClientOverrides | None = None
    timeouts: KafkaTimeouts = field(default_factory=KafkaTimeouts)

    def configs(self) -> KafkaLog:
        """The log of configurations and target states."""
        return self._log(self.cluster.configs, "configs")

    def statuses(self) -> KafkaLog:
        """The log of statuses."""
        return self._log(self.cluster.statuses, "statuses")

    def membership(self) -> ShardMembership:
        """This worker's membership in the group."""
        return ShardMembership(
            self.bootstrap_servers,
            self.cluster.group_id,
            self.cluster.shards,
            self.cluster.membership,
            clients=self.clients,
            timeouts=self.timeouts,
        )

    def writer(self, shard: int) -> str:
        """The transactional id of the entries about a shard's connectors."""
        return f"{self.cluster.group_id}-shard-{shard}"

    def _log(self, topic: CompactedTopic, purpose: str) -> KafkaLog:
        return KafkaLog(
            self.bootstrap_servers,
            topic,
            client_id=f"{self.cluster.client_id}-{purpose}",
            group=self.cluster.group_id,
            clients=self.clients,
            timeouts=self.timeouts,
        )
