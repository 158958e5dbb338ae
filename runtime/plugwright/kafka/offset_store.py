"""Source offsets in a compacted topic, in Kafka Connect's own format, see `offset_format`."""

from __future__ import annotations

import json
import logging
from typing import TYPE_CHECKING, Any

from confluent_kafka import Producer

from plugwright.errors import ConnectError
from plugwright.kafka._settings import ClientOverrides, producer_settings
from plugwright.kafka.compacted_topic import TopicShape
from plugwright.kafka.login import opened
from plugwright.kafka.offset_format import offset_of, partition_of, serialized_offsets
from plugwright.kafka.topics import read_topic
from plugwright.worker import right_hint

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plugwright.worker import SourceOffset

_SHAPE = TopicShape(25)

log = logging.getLogger(__name__)


class KafkaOffsetStore:
    """The offsets of one connector, which are read once at the start and written through.

    Args:
        topic: the offsets topic; created as a compacted topic if it does not exist.
        shape: the shape of that topic and of the shared one, if they must be created.
        shared_topic: the worker's offsets topic, if ``topic`` is the connector's own. It is read
            too, but ``topic`` takes precedence; and it is written too, with errors only logged
            (KIP-618).
        timeout_s: how long a write waits for its acknowledgements, in seconds.
        overrides: settings for the clients of ``topic``.
        shared_overrides: settings for the clients of the shared topic, which are the worker's.

    Raises:
        ConnectError: if Kafka refuses to create or describe a topic.
        ConfigError: if an existing topic is not compacted, because it would lose offsets.
    """

    def __init__(  # noqa: PLR0913  # all but three are optional
        self,
        bootstrap_servers: str,
        topic: str,
        connector: str,
        *,
        shape: TopicShape = _SHAPE,
        shared_topic: str = "",
        timeout_s: float = 5.0,
        overrides: ClientOverrides | None = None,
        shared_overrides: ClientOverrides | None = None,
    ) -> None:
        self._overrides = overrides or ClientOverrides()
        self._shared_overrides = shared_overrides or ClientOverrides()
        self._producers: dict[str, Producer] = {}
        self._bootstrap_servers = bootstrap_servers
        self.topic = topic
        self._connector = connector
        self._shared_topic = shared_topic if shared_topic != topic else ""
        self._timeout_s = timeout_s
        shape.topic(topic).require(bootstrap_servers, self._overrides.admin)
        self._offsets: dict[str, Mapping[str, Any]] = {}
        if self._shared_topic:
            shared = shape.topic(self._shared_topic)
            shared.require(bootstrap_servers, self._shared_overrides.admin)
            self._read(self._shared_topic, self._shared_overrides.consumer)
        self._read(topic, self._overrides.consumer)

    def offset(self, partition: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """The stored offset of a source partition, or ``None``."""
        return self._offsets.get(_canonical(partition))

    def all(self) -> list[tuple[Mapping[str, Any], Mapping[str, Any]]]:
        """All source partitions with their offsets, in a stable order."""
        return [(json.loads(key), offset) for key, offset in sorted(self._offsets.items())]

    def store(self, offsets: Sequence[SourceOffset]) -> None:
        """Write the offsets and wait until Kafka has acknowledged all of them.

        Raises:
            DataError: if a partition or an offset is not a flat map of plain values.
            ConnectError: if Kafka did not acknowledge them all in time.
        """
        messages = self.serialized(offsets)
        if (reason := self._write(self.topic, messages)) is not None:
            raise ConnectError(
                f"offsets of {self._connector} were not stored in {self.topic}: {reason}",
                code="offsets.not-stored",
                hint=right_hint(reason, "Write", "Topic", self.topic),
                facts={"topic": self.topic, "connector": self._connector},
            )
        self.stored(offsets)

    def serialized(self, offsets: Sequence[SourceOffset]) -> list[tuple[bytes, bytes | None]]:
        """The keys and values of the records with these offsets.

        Raises:
            DataError: if a partition or an offset is not a flat map of plain values.
        """
        return serialized_offsets(self._connector, offsets)

    def stored(self, offsets: Sequence[SourceOffset]) -> None:
        """Remember offsets that are now in the topic, and copy them to the shared topic."""
        for partition, offset in offsets:
            self._remember(_canonical(partition), offset)
        if self._shared_topic and offsets:
            reason = self._write(self._shared_topic, self.serialized(offsets))
            if reason is not None:
                log.warning("offsets not copied to %s: %s", self._shared_topic, reason)

    def _write(self, topic: str, messages: Sequence[tuple[bytes, bytes | None]]) -> object | None:
        """Write and wait; returns the error, or ``None``."""
        refusals: list[object] = []
        producer = self._producer_of(topic)
        for key, value in messages:
            producer.produce(
                topic,
                value,
                key,
                on_delivery=lambda error, _: refusals.append(error) if error else None,
            )
        unacknowledged = producer.flush(self._timeout_s)
        if refusals:
            return refusals[0]
        return f"{unacknowledged} not acknowledged in time" if unacknowledged else None

    def close(self) -> None:
        """Release the client."""
        for producer in self._producers.values():
            producer.purge()
            producer.flush(1)

    def _producer_of(self, topic: str) -> Producer:
        """The producer for a topic, created for the first write, because many stores only read."""
        if topic not in self._producers:
            client_id = f"connector-offsets-{self._connector}"
            clients = self._overrides if topic == self.topic else self._shared_overrides
            settings = producer_settings(self._bootstrap_servers, client_id, clients.producer)
            self._producers[topic] = opened(Producer, settings)
        return self._producers[topic]

    def _remember(self, key: str, offset: Mapping[str, Any] | None) -> None:
        if offset is None:
            self._offsets.pop(key, None)
        else:
            self._offsets[key] = offset

    def _read(self, topic: str, overrides: Mapping[str, str]) -> None:
        for message in read_topic(self._bootstrap_servers, topic, overrides=overrides):
            partition = partition_of(message, self._connector)
            if partition is not None:
                self._remember(_canonical(partition), offset_of(message))


def _canonical(partition: Mapping[str, Any]) -> str:
    return json.dumps(partition, sort_keys=True)
