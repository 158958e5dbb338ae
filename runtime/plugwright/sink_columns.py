"""Sink records by column, for tasks that write many records at once."""

from __future__ import annotations

from functools import cached_property
from itertools import groupby
from typing import TYPE_CHECKING, Any

from plugwright.schema import StructColumn

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from plugwright.record import SinkRecord
    from plugwright.schema import Schema

__all__ = ["SinkColumns"]


class SinkColumns:
    """Consecutive records of one partition with one key schema and one value schema, as columns.

    All columns have one item per record, in the order of the records. Treat them as read-only.
    A column that is never read costs nothing.

    Args:
        records: at least one; topic, partition and schemas are those of the first.

    Attributes:
        topic: name of the Kafka topic.
        kafka_partition: partition of the topic.
        original_topic: name of the topic before transformations (KIP-793).
        original_kafka_partition: partition of the topic before transformations.
        key_schema: schema of all keys, ``None`` for schemaless data.
        value_schema: schema of all values, ``None`` for schemaless data.
    """

    topic: str
    kafka_partition: int
    original_topic: str
    original_kafka_partition: int
    key_schema: Schema | None
    value_schema: Schema | None

    def __init__(self, records: Sequence[SinkRecord]) -> None:
        first = records[0]
        self.topic, self.kafka_partition = first.topic, first.kafka_partition
        self.original_topic = first.original_topic
        self.original_kafka_partition = first.original_kafka_partition
        self.key_schema, self.value_schema = first.key_schema, first.value_schema
        self._records = records

    @classmethod
    def of(cls, records: Iterable[SinkRecord]) -> list[SinkColumns]:
        """Records as columns, in order: a new part begins where partition or schema changes."""
        return [cls(list(part)) for _, part in groupby(records, _common)]

    def __len__(self) -> int:
        return len(self._records)

    @cached_property
    def keys(self) -> Sequence[Any]:
        """The keys in Connect's data model."""
        return [record.key for record in self._records]

    @cached_property
    def values(self) -> Sequence[Any]:
        """The values in Connect's data model; ``None`` is a tombstone."""
        return [record.value for record in self._records]

    @cached_property
    def kafka_offsets(self) -> Sequence[int]:
        """The offsets in Kafka."""
        return [record.kafka_offset for record in self._records]

    @cached_property
    def original_kafka_offsets(self) -> Sequence[int]:
        """The offsets in Kafka before transformations."""
        return [record.original_kafka_offset for record in self._records]

    @cached_property
    def timestamps(self) -> Sequence[int | None]:
        """Milliseconds since the epoch, or ``None``."""
        return [record.timestamp for record in self._records]

    @cached_property
    def key_structs(self) -> StructColumn | None:
        """The keys by field, with defaults; ``None`` if one is not a struct of the key schema."""
        return None if self.key_schema is None else StructColumn.of(self.key_schema, self.keys)

    @cached_property
    def structs(self) -> StructColumn | None:
        """The values by field, with defaults, for targets that take columns.

        ``None`` if a value is not a struct of the value schema, such as a tombstone.
        """
        schema = self.value_schema
        return None if schema is None else StructColumn.of(schema, self.values)

    def records(self) -> Sequence[SinkRecord]:
        """The records themselves, which also have headers and Kafka's original coordinates."""
        return self._records


def _common(record: SinkRecord) -> tuple[object, ...]:
    """What all records of a part share; schemas of a converter are the same objects."""
    return (
        record.topic,
        record.kafka_partition,
        record.original_topic,
        record.original_kafka_partition,
        id(record.key_schema),
        id(record.value_schema),
    )
