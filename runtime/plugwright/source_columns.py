"""Source records by column, for tasks that read many records at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, overload

from plugwright.record import SourceRecord

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from plugwright.schema import Schema

__all__ = ["SourceColumns"]


class SourceColumns(Sequence[SourceRecord]):
    """Records of one source partition, topic and schema, which ``poll`` may return as columns.

    It is a sequence of records like any other. They are built when they are first looked at; a
    worker that need not look at them sends the columns.

    Args:
        source_partition: which stream of the source, as a map of plain values, or ``None``.
        offset_at: returns the source offset of a record, by its index here. Called for few records.
        topic: Kafka topic to write to.
        values: the values in Connect's data model. Must not change afterwards.
        value_schema: schema of all values, ``None`` for schemaless data.
        keys: a key for each value; without it records have no key.
        key_schema: schema of all keys.
        kafka_partition: partition of the topic; ``None`` lets the producer choose.
        timestamp: milliseconds since the epoch, of all records, or ``None``.
    """

    def __init__(  # noqa: PLR0913  # those of the record
        self,
        source_partition: Mapping[str, Any] | None,
        offset_at: Callable[[int], Mapping[str, Any] | None],
        topic: str,
        values: Sequence[Any],
        value_schema: Schema | None = None,
        *,
        keys: Sequence[Any] | None = None,
        key_schema: Schema | None = None,
        kafka_partition: int | None = None,
        timestamp: int | None = None,
    ) -> None:
        if keys is not None and len(keys) != len(values):
            raise ValueError(f"there are {len(values)} values and {len(keys)} keys")
        self.source_partition = source_partition
        self.offset_at = offset_at
        self.topic = topic
        self.values = values
        self.value_schema = value_schema
        self.keys = keys
        self.key_schema = key_schema
        self.kafka_partition = kafka_partition
        self.timestamp = timestamp
        self._built: list[SourceRecord] | None = None

    def replace(self, **changes: Any) -> SourceColumns:
        """The same columns, but for these attributes."""
        kept = {name: each for name, each in vars(self).items() if name != "_built"}
        return SourceColumns(**{**kept, **changes})

    @property
    def built(self) -> Sequence[SourceRecord] | None:
        """The records, if somebody has looked at them and may have changed them."""
        return self._built

    def build(self, index: int) -> SourceRecord:
        """A new record. Hot path: arguments by name would cost half as much again."""
        record = SourceRecord(
            self.source_partition,
            self.offset_at(index),
            self.topic,
            self.values[index],
            self.value_schema,
        )
        record.key = None if self.keys is None else self.keys[index]
        record.key_schema = self.key_schema
        record.kafka_partition = self.kafka_partition
        record.timestamp = self.timestamp
        return record

    def __len__(self) -> int:
        return len(self.values)

    def __iter__(self) -> Iterator[SourceRecord]:
        return iter(self[:])

    @overload
    def __getitem__(self, index: int) -> SourceRecord: ...
    @overload
    def __getitem__(self, index: slice) -> list[SourceRecord]: ...
    def __getitem__(self, index: int | slice) -> SourceRecord | list[SourceRecord]:
        if self._built is None:
            self._built = [self.build(number) for number in range(len(self.values))]
        return self._built[index]
