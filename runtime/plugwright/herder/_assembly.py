"""Assembles the herders: a standalone one, and a distributed one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright.herder._config_store import ConfigStore
from plugwright.herder._herder import Herder
from plugwright.herder._log import MemoryLog
from plugwright.herder._ownership import SoleOwner
from plugwright.herder._parts import HerderParts
from plugwright.herder._standalone import StandaloneHerder
from plugwright.herder.shards import ShardOwnership
from plugwright.herder.status_store import StatusStore

if TYPE_CHECKING:
    from plugwright.herder._group_kafka import GroupKafka
    from plugwright.herder._parts import HerderSettings
    from plugwright.herder._worker_interface import Worker
    from plugwright.plugins import Plugins


def standalone_herder(worker: Worker, plugins: Plugins, settings: HerderSettings) -> Herder:
    """Create a herder that keeps its connectors in memory and runs all of them."""
    configs, statuses = ConfigStore(MemoryLog()), StatusStore(MemoryLog())
    return StandaloneHerder(HerderParts(worker, plugins, configs, statuses, SoleOwner(), settings))


def distributed_herder(
    worker: Worker, plugins: Plugins, settings: HerderSettings, kafka: GroupKafka
) -> Herder:
    """Create a herder that shares the connectors of its group with the other workers.

    Entries about a connector are written under the transactional id of its shard. The worker takes
    over that id when it is assigned the shard, so that a former owner that still runs cannot write.
    """
    log, statuses = kafka.configs(), StatusStore(kafka.statuses())
    membership = kafka.membership()
    configs = ConfigStore(
        log,
        lambda connector: kafka.writer(membership.shard_of(connector)),
        membership.confirms,
    )
    ownership = ShardOwnership(
        membership, configs.refresh, lambda shard: log.take(kafka.writer(shard))
    )
    return Herder(HerderParts(worker, plugins, configs, statuses, ownership, settings))
