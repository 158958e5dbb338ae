"""Sinks of timestamps: their endpoint, a good one, and one that writes seconds."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from plugwright_conformance.reference.rows.codec import directory_of
from plugwright_conformance.reference.rows.sink import RowsSinkTask
from plugwright_conformance.reference.rows.testing import RowsEndpoint

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plugwright import SinkRecord

__all__ = ["TimesEndpoint", "WritesSecondsTask", "WritesTimesTask"]


class TimesEndpoint(RowsEndpoint):
    """A table with a file for the timestamps of its lines."""

    def read_timestamps(self) -> list[int]:
        """The timestamp of each line, in milliseconds."""
        times = self._directory.parent / "times.txt"
        return [int(line) for line in times.read_text("utf-8").split()]

    def stop(self) -> None:
        """Remove the table and the timestamps."""
        super().stop()
        (self._directory.parent / "times.txt").unlink(missing_ok=True)


class WritesTimesTask(RowsSinkTask):
    """Writes the timestamps of records to a second file."""

    def start(self, props: Mapping[str, str]) -> None:
        """Start, and determine the file."""
        super().start(props)
        self._times = Path(directory_of(props["rows.url"])).parent / "times.txt"

    def put(self, records: Sequence[SinkRecord]) -> None:
        """Write the lines, then the timestamps."""
        super().put(records)
        with self._times.open("a", encoding="utf-8") as file:
            file.writelines(f"{self.time(r)}\n" for r in records if r.value is not None)

    def time(self, record: SinkRecord) -> int:
        """The timestamp of a record, in milliseconds."""
        return record.timestamp or 0


class WritesSecondsTask(WritesTimesTask):
    """Writes timestamps in whole seconds."""

    def time(self, record: SinkRecord) -> int:
        """The timestamp of a record, rounded down to seconds."""
        return super().time(record) // 1000 * 1000
