"""Rows of one statement, with the records that they are made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from plugwright import SinkColumns, TopicPartition

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plugwright import SinkRecord
    from plugwright_sql.row_writer import RowWriter

__all__ = ["RowRun", "is_fresh"]


@dataclass(frozen=True, slots=True)
class RowRun:
    """Consecutive rows.

    Attributes:
        writer: of their statement.
        rows: its parameters.
        part: their records, as many.
    """

    writer: RowWriter
    rows: Sequence[tuple[Any, ...]]
    part: SinkColumns

    def fresh(self, known: Mapping[TopicPartition, int]) -> RowRun | None:
        """What is not in the database yet, ``None`` if nothing is left.

        Args:
            known: the next offset of each partition.
        """
        home = TopicPartition(self.part.original_topic, self.part.original_kafka_partition)
        if min(self.part.original_kafka_offsets) >= known.get(home, 0):
            return self
        pairs = zip(self.rows, self.part.records(), strict=True)
        kept = [(row, record) for row, record in pairs if is_fresh(record, known)]
        if not kept:
            return None
        return RowRun(
            self.writer, [row for row, _ in kept], SinkColumns([each for _, each in kept])
        )


def is_fresh(record: SinkRecord, known: Mapping[TopicPartition, int]) -> bool:
    """Whether a record is not in the database yet."""
    home = TopicPartition(record.original_topic, record.original_kafka_partition)
    return record.original_kafka_offset >= known.get(home, 0)
