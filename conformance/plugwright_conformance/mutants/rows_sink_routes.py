"""A row sink that identifies records by their transformed topic."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright import TopicPartition
from plugwright_conformance.mutants.mutant import mutant
from plugwright_conformance.reference.rows.sink import RowsSinkTask

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plugwright import SinkRecord

__all__ = ["KnowsRoutedPlacesTask"]


@mutant(
    "M239",
    "leaves out records whose transformed topic, partition and offset have been there",
    base="lines-sink",
    killed_by="SNK-TYP-20",
    failure="were routed to one topic",
)
class KnowsRoutedPlacesTask(RowsSinkTask):
    """Writes each transformed topic, partition and offset once."""

    def start(self, props: Mapping[str, str]) -> None:
        """Start without offsets."""
        self._ends: dict[TopicPartition, int] = {}
        super().start(props)

    def put(self, records: Sequence[SinkRecord]) -> None:
        """Write the records above the remembered offsets."""
        fresh = [r for r in records if r.kafka_offset >= self._ends.get(_place(r), 0)]
        super().put(fresh)
        self._ends.update({_place(r): r.kafka_offset + 1 for r in fresh})


def _place(record: SinkRecord) -> TopicPartition:
    return TopicPartition(record.topic, record.kafka_partition)
