"""The committed offsets of a stopped connector, wherever Connect keeps them (KIP-875)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from plugwright.herder._source_config import SourceDelivery
from plugwright.kafka import GroupOffsets, KafkaOffsetStore
from plugwright.plugins import SINK
from plugwright.record import TopicPartition

if TYPE_CHECKING:
    from collections.abc import Mapping

    from plugwright.herder._seams import Offsets
    from plugwright.herder._worker_config import WorkerConfig

__all__ = ["SinkOffsets", "SourceOffsets", "StoredOffsets", "offsets_of"]

_TOPIC, _PARTITION, _OFFSET = "kafka_topic", "kafka_partition", "kafka_offset"


class SourceOffsets:
    """A source connector's offsets in the offsets topic."""

    def __init__(self, name: str, config: Mapping[str, str], worker: WorkerConfig) -> None:
        own = SourceDelivery.parse(config).offsets_topic
        self._store = KafkaOffsetStore(
            worker.bootstrap_servers,
            own or worker.offsets_topic,
            name,
            partitions=worker.offsets_partitions,
            shared_topic=worker.offsets_topic if own else "",
        )

    def read(self) -> Offsets:
        """Every source partition with its offset."""
        return self._store.all()

    def write(self, offsets: Offsets) -> None:
        """Set offsets, or forget those that are ``None``.

        Raises:
            ConnectError: if Kafka does not take them.
        """
        self._store.store(list(offsets))

    @staticmethod
    def for_plugin(offsets: Offsets) -> Any:
        """As the connector is asked about them."""
        return list(offsets)

    def close(self) -> None:
        """Release the client."""
        self._store.close()


class SinkOffsets:
    """A sink connector's offsets in its consumer group."""

    def __init__(self, name: str, config: Mapping[str, str], worker: WorkerConfig) -> None:
        group = config.get("consumer.override.group.id") or f"connect-{name}"
        self._group = GroupOffsets(worker.bootstrap_servers, group)

    def read(self) -> Offsets:
        """Every Kafka partition with its offset, in Connect's form."""
        return [
            ({_TOPIC: place.topic, _PARTITION: place.partition}, {_OFFSET: offset})
            for place, offset in self._group.read().items()
        ]

    def write(self, offsets: Offsets) -> None:
        """Set offsets, or forget those that are ``None``.

        Raises:
            ConnectError: if the group is in use, or a partition does not exist.
        """
        self._group.alter(self.for_plugin(offsets))

    @staticmethod
    def for_plugin(offsets: Offsets) -> dict[TopicPartition, int | None]:
        """As the connector is asked about them."""
        return {
            TopicPartition(place[_TOPIC], place[_PARTITION]): None
            if offset is None
            else offset[_OFFSET]
            for place, offset in offsets
        }

    def close(self) -> None:
        """Return: nothing is open."""


StoredOffsets = SourceOffsets | SinkOffsets


def offsets_of(
    name: str, kind: str, config: Mapping[str, str], worker: WorkerConfig
) -> StoredOffsets:
    """The offsets of a connector.

    Args:
        name: of the connector.
        kind: ``source`` or ``sink``.
        config: of the connector.
        worker: the worker's settings.
    """
    return (SinkOffsets if kind == SINK.name else SourceOffsets)(name, config, worker)
