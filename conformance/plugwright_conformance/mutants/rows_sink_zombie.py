"""A row sink that overwrites the tables of other tasks."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from plugwright_conformance.mutants._mutant import mutant
from plugwright_conformance.reference.rows.codec import directory_of
from plugwright_conformance.reference.rows.sink import RowsSinkTask

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plugwright import SinkRecord, TopicPartition

__all__ = ["ReplacesByFirstOffsetTask"]


@mutant(
    "M184",
    "a table is named by its first offset, and replaces another one of that name",
    base="lines-sink",
    killed_by="SNK-REB-03",
    failure="7 of them missing",
)
class ReplacesByFirstOffsetTask(RowsSinkTask):
    """Names a table by its first offset, and overwrites an existing one."""

    def start(self, props: Mapping[str, str]) -> None:
        """Start with an empty buffer."""
        super().start(props)
        self._folder = Path(directory_of(props["rows.url"]))
        self._kept: list[SinkRecord] = []

    def put(self, records: Sequence[SinkRecord]) -> None:
        """Check the records and buffer them."""
        self._kept += [r for r in records if r.value is not None and self.line(r)]

    def flush(self, offsets: Mapping[TopicPartition, int]) -> None:  # noqa: ARG002
        """Write the table."""
        kept, self._kept = self._kept, []
        if kept:
            table = self._folder / f"from{kept[0].original_kafka_offset}.jsonl"
            table.write_text("".join(f"{self.line(r)}\n" for r in kept), encoding="utf-8")
