"""Assembles the herders: a standalone one, and a distributed one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright.herder._config_store import ConfigStore
from plugwright.herder._herder import Herder
from plugwright.herder._log import MemoryLog
from plugwright.herder._ownership import SoleOwner
from plugwright.herder._parts import HerderParts
from plugwright.herder._shards import ShardOwnership
from plugwright.herder._standalone import StandaloneHerder
from plugwright.herder._status_store import StatusStore
from plugwright.kafka import KafkaLog, KafkaTimeouts, ShardMembership

if TYPE_CHECKING:
    from plugwright.herder._cluster_config import ClusterConfig
    from plugwright.herder._parts import HerderSettings
    from plugwright.herder._worker_interface import Worker
    from plugwright.kafka import ClientOverrides, CompactedTopic
    from plugwright.plugins import Plugins


def standalone_herder(worker: Worker, plugins: Plugins, settings: HerderSettings) -> Herder:
    """Create a herder that keeps its connectors in memory and runs all of them."""
    configs, statuses = ConfigStore(MemoryLog()), StatusStore(MemoryLog())
    return StandaloneHerder(HerderParts(worker, plugins, configs, statuses, SoleOwner(), settings))


def distributed_herder(  # noqa: PLR0913  # all but the last one are its parts
    worker: Worker,
    plugins: Plugins,
    settings: HerderSettings,
    bootstrap_servers: str,
    cluster: ClusterConfig,
    *,
    clients: ClientOverrides | None = None,
) -> Herder:
    """Create a herder that shares the connectors of its group with the other workers.

    ``clients`` are additional settings of its Kafka clients.

    Entries about a connector are written under the transactional id of its shard. The worker takes
    over that id when it is assigned the shard, so that a former owner that still runs cannot write.
    """
    timeouts = KafkaTimeouts()

    def followed(topic: CompactedTopic, purpose: str) -> KafkaLog:
        client_id = f"{cluster.client_id}-{purpose}"
        return KafkaLog(
            bootstrap_servers,
            topic,
            client_id=client_id,
            group=cluster.group_id,
            clients=clients,
            timeouts=timeouts,
        )

    log, statuses = followed(cluster.configs, "configs"), followed(cluster.statuses, "statuses")
    membership = ShardMembership(
        bootstrap_servers,
        cluster.group_id,
        cluster.shards,
        cluster.membership,
        clients=clients,
        timeouts=timeouts,
    )

    def writer(shard: int) -> str:
        return f"{cluster.group_id}-shard-{shard}"

    configs = ConfigStore(
        log,
        lambda connector: writer(membership.shard_of(connector)),
        membership.confirms,
    )
    ownership = ShardOwnership(membership, configs.refresh, lambda shard: log.take(writer(shard)))
    return Herder(HerderParts(worker, plugins, configs, StatusStore(statuses), ownership, settings))
