"""The shape of the topics that store source offsets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from plugwright.herder.internal_topics import topic_settings
from plugwright.kafka import TopicShape

if TYPE_CHECKING:
    from collections.abc import Mapping

OFFSETS_REPLICAS: Final = "offset.storage.replication.factor"
_CLUSTER_REPLICAS = 3


def offsets_shape(
    properties: Mapping[str, str], values: Mapping[str, Any], *, distributed: bool
) -> TopicShape:
    """The shape of the offsets topic, and of connectors' own ones (KIP-618)."""
    replicas = values[OFFSETS_REPLICAS]
    if replicas is None:
        replicas = _CLUSTER_REPLICAS if distributed else -1
    return TopicShape(
        values["offset.storage.partitions"], replicas, topic_settings(properties, "offset")
    )
