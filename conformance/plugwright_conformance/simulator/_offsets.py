"""The simulated source offset store: a compacted topic in Kafka Connect's format."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from plugwright.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plugwright.worker import SourceOffset
    from plugwright_conformance.simulator._kafka import SimulatedKafka
    from plugwright_conformance.simulator._recorder import Recorder

_PLAIN = (str, int, float, bool, type(None))


class SimulatedOffsetStore:
    """The offsets of one connector, read from the topic on opening.

    Args:
        kafka: where the topic is.
        topic: name of the offsets topic.
        connector: name of the connector.
        recorder: records what happens.
    """

    def __init__(
        self, kafka: SimulatedKafka, topic: str, connector: str, recorder: Recorder
    ) -> None:
        self.topic = topic
        self._kafka = kafka
        self._connector = connector
        self._recorder = recorder
        kafka.create_topic(topic)
        self._known: dict[str, bytes | None] = {}
        for stored in kafka.read(topic):
            name, partition = json.loads(stored.key or b"[null, null]")
            if name == connector:
                self._known[_canonical(partition)] = stored.value

    def offset(self, partition: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """The stored offset of a source partition, or ``None``."""
        self._recorder.event("offsets.look-up")
        found = self._known.get(_canonical(partition))
        return None if found is None else json.loads(found)

    def all(self) -> dict[str, Any]:
        """Every source partition, as canonical JSON, with its offset."""
        return {p: json.loads(o) for p, o in sorted(self._known.items()) if o is not None}

    def store(self, offsets: Sequence[SourceOffset]) -> None:
        """Make these offsets durable.

        Raises:
            DataError: if a partition or an offset is not a flat map of plain values.
        """
        for key, value in self.serialized(offsets):
            self._kafka.produce(self.topic, value, key=key)
            self._recorder.event("offsets.append")
        self.stored(offsets)

    def serialized(self, offsets: Sequence[SourceOffset]) -> list[tuple[bytes, bytes | None]]:
        """Keys and values of the records that state these offsets.

        Raises:
            DataError: if a partition or an offset is not a flat map of plain values.
        """
        return [
            (
                json.dumps([self._connector, _plain(partition)]).encode(),
                None if offset is None else json.dumps(_plain(offset)).encode(),
            )
            for partition, offset in offsets
        ]

    def stored(self, offsets: Sequence[SourceOffset]) -> None:
        """Take note of offsets that are in the topic by now."""
        for (partition, _), (_, value) in zip(offsets, self.serialized(offsets), strict=True):
            self._known[_canonical(partition)] = value

    def close(self) -> None:
        """Nothing is held."""


def _canonical(partition: Any) -> str:
    return json.dumps(partition, sort_keys=True)


def _plain(found: Any) -> Any:
    """The map itself, if Kafka Connect's OffsetStorageWriter would take it."""
    if (
        not isinstance(found, dict)
        or not all(isinstance(key, str) for key in found)
        or not all(isinstance(value, _PLAIN) for value in found.values())
    ):
        raise DataError(
            f"a source partition and offset must be flat maps of plain values, found {found!r}",
            code="offsets.not-plain",
        )
    return found
