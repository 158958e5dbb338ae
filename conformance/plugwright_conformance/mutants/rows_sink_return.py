"""A row sink that keeps offsets of revoked partitions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright import TopicPartition
from plugwright_conformance.mutants.mutant import mutant
from plugwright_conformance.reference.rows.sink import RowsSinkTask

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plugwright import SinkRecord

__all__ = ["RemembersOffsetsTask"]


@mutant(
    "M236",
    "returns for a partition that has come back what it had written before it left",
    base="lines-sink",
    killed_by="SNK-REB-04",
    failure="the offset moves back",
)
class RemembersOffsetsTask(RowsSinkTask):
    """Does not forget offsets in close()."""

    def start(self, props: Mapping[str, str]) -> None:
        """Start without offsets."""
        self._ends: dict[TopicPartition, int] = {}
        super().start(props)

    def put(self, records: Sequence[SinkRecord]) -> None:
        """Write, and remember the offsets."""
        super().put(records)
        for record in records:
            home = TopicPartition(record.original_topic, record.original_kafka_partition)
            self._ends[home] = record.original_kafka_offset + 1

    def pre_commit(
        self, current_offsets: Mapping[TopicPartition, int]
    ) -> Mapping[TopicPartition, int]:
        """The remembered offsets of assigned partitions."""
        super().pre_commit(current_offsets)
        mine = set(self.context.assignment())
        return {home: end for home, end in self._ends.items() if home in mine}
