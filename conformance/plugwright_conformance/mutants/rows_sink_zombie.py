"""Row sinks that destroy what other tasks have written."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from plugwright_conformance.mutants.mutant import mutant
from plugwright_conformance.reference.rows.codec import directory_of
from plugwright_conformance.reference.rows.sink import RowsSinkTask

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from plugwright import SinkRecord, TopicPartition

__all__ = ["ReplacesByFirstOffsetTask", "TruncatesToItsMarkTask"]


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


@mutant(
    "M135",
    "a table is cut to the length that the task remembers before it is written",
    base="lines-sink",
    killed_by="CON-REB-03",
    failure="lost",
)
class TruncatesToItsMarkTask(RowsSinkTask):
    """Removes what a failed write may have left, or another task has written."""

    def start(self, props: Mapping[str, str]) -> None:
        """Start without partitions."""
        super().start(props)
        self._folder = Path(directory_of(props["rows.url"]))
        self._marks: dict[TopicPartition, int] = {}

    def open(self, partitions: Collection[TopicPartition]) -> None:
        """Remember the lengths of the tables."""
        super().open(partitions)
        for home in partitions:
            self._table(home).touch()
            self._marks[home] = len(self._lines(home))

    def put(self, records: Sequence[SinkRecord]) -> None:
        """Write behind the lines that are remembered."""
        kept = [r for r in records if r.value is not None and self.line(r)]
        for home in self._marks:
            own = [r for r in kept if r.original_kafka_partition == home.partition]
            lines = self._lines(home)[: self._marks[home]]
            lines += [self.line(record) for record in own]
            self._table(home).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
            self._marks[home] = len(lines)

    def _lines(self, home: TopicPartition) -> list[str]:
        return self._table(home).read_text(encoding="utf-8").split("\n")[:-1]

    def _table(self, home: TopicPartition) -> Path:
        return self._folder / f"part{home.partition}.jsonl"
