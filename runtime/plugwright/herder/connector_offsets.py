"""Reads and changes the committed offsets of a stopped connector (KIP-875)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from plugwright.herder._source_config import SourceDelivery
from plugwright.herder.delivery import admin_settings, client_settings, offset_clients
from plugwright.kafka import GroupOffsets, KafkaOffsetStore, consumer_settings, once_empty
from plugwright.plugins import SINK
from plugwright.record import TopicPartition

if TYPE_CHECKING:
    from collections.abc import Mapping

    from plugwright.herder._offset_file import OffsetFile
    from plugwright.herder._worker_config import WorkerConfig
    from plugwright.herder._worker_interface import Offsets

_SESSION = "session.timeout.ms"
_MARGIN_S = 5.0
_TOPIC, _PARTITION, _OFFSET = "kafka_topic", "kafka_partition", "kafka_offset"


class SourceOffsets:
    """A source connector's offsets in the offsets topic."""

    def __init__(self, name: str, config: Mapping[str, str], worker: WorkerConfig) -> None:
        own_topic = SourceDelivery.parse(config).offsets_topic
        shared = "" if worker.offsets_file else worker.offsets_topic
        self._store = KafkaOffsetStore(
            worker.bootstrap_servers,
            own_topic or shared,
            name,
            shape=worker.offsets_shape,
            shared_topic=shared if own_topic else "",
            overrides=offset_clients(worker, config),
            shared_overrides=worker.clients,
        )

    def read(self) -> Offsets:
        """Return every source partition with its offset."""
        return self._store.all()

    def write(self, offsets: Offsets) -> None:
        """Set offsets; ``None`` removes one.

        Raises:
            ConnectError: if Kafka rejects them.
        """
        self._store.store(list(offsets))

    @staticmethod
    def for_plugin(offsets: Offsets) -> Any:
        """The offsets in the form that the connector's ``alter_offsets`` receives."""
        return list(offsets)

    def close(self) -> None:
        """Close the client."""
        self._store.close()


class FiledOffsets:
    """A source connector's offsets in the worker's offset file."""

    def __init__(self, name: str, file: OffsetFile) -> None:
        self._name = name
        self._file = file

    def read(self) -> Offsets:
        """Return every source partition with its offset."""
        return self._file.read(self._name)

    def write(self, offsets: Offsets) -> None:
        """Set offsets; ``None`` removes one.

        Raises:
            ConnectError: if the file cannot be written.
        """
        self._file.write(self._name, offsets)

    @staticmethod
    def for_plugin(offsets: Offsets) -> Any:
        """The offsets in the form that the connector's ``alter_offsets`` receives."""
        return list(offsets)

    def close(self) -> None:
        """Do nothing: no resource is open."""


class GroupSinkOffsets:
    """A sink connector's offsets in its consumer group."""

    def __init__(self, name: str, config: Mapping[str, str], worker: WorkerConfig) -> None:
        group = config.get("consumer.override.group.id") or f"connect-{name}"
        admin = admin_settings(worker, config)
        self._group = GroupOffsets(worker.bootstrap_servers, group, admin)
        consumer = client_settings("consumer", worker.originals, config)
        session_ms = consumer_settings(worker.bootstrap_servers, "", group, consumer)[_SESSION]
        self._patience_s = int(str(session_ms)) / 1000 + _MARGIN_S

    def read(self) -> Offsets:
        """Return every Kafka partition with its offset, in Connect's form."""
        return [
            ({_TOPIC: place.topic, _PARTITION: place.partition}, {_OFFSET: offset})
            for place, offset in self._group.read().items()
        ]

    def write(self, offsets: Offsets) -> None:
        """Set offsets as soon as the group is empty; ``None`` removes one.

        Tasks that were stopped stay in the group until their sessions expire.

        Raises:
            ConnectError: if the group has other members, or a partition does not exist.
        """
        changes = self.for_plugin(offsets)
        once_empty(lambda: self._group.alter(changes), self._patience_s)

    @staticmethod
    def for_plugin(offsets: Offsets) -> dict[TopicPartition, int | None]:
        """The offsets in the form that the connector's ``alter_offsets`` receives."""
        return {
            TopicPartition(place[_TOPIC], place[_PARTITION]): None
            if offset is None
            else offset[_OFFSET]
            for place, offset in offsets
        }

    def close(self) -> None:
        """Do nothing: no resource is open."""


StoredOffsets = SourceOffsets | FiledOffsets | GroupSinkOffsets


def offsets_of(
    name: str,
    kind: str,
    config: Mapping[str, str],
    worker: WorkerConfig,
    file: OffsetFile | None = None,
) -> StoredOffsets:
    """Select the store of a connector's offsets.

    Args:
        name: of the connector.
        kind: ``source`` or ``sink``.
        config: of the connector.
        worker: the worker's settings.
        file: stores the offsets of sources that have no topic of their own.
    """
    if kind == SINK.name:
        return GroupSinkOffsets(name, config, worker)
    own_topic = SourceDelivery.parse(config).offsets_topic
    if file is not None and not own_topic:
        return FiledOffsets(name, file)
    return SourceOffsets(name, config, worker)
