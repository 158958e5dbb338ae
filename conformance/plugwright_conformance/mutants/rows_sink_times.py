"""Sinks of lines with timestamps: their endpoint, a good one, and one that has seconds."""

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
    """A table beside which a file has the times of its lines."""

    def read_timestamps(self) -> list[int]:
        """The time of each line, in milliseconds."""
        times = self._directory.parent / "times.txt"
        return [int(line) for line in times.read_text("utf-8").split()]

    def stop(self) -> None:
        """Remove the times, too."""
        super().stop()
        (self._directory.parent / "times.txt").unlink(missing_ok=True)


class WritesTimesTask(RowsSinkTask):
    """Writes the timestamps of records beside their lines."""

    def start(self, props: Mapping[str, str]) -> None:
        """Remember where."""
        super().start(props)
        self._times = Path(directory_of(props["rows.url"])).parent / "times.txt"

    def put(self, records: Sequence[SinkRecord]) -> None:
        """Write the lines, and then the times."""
        super().put(records)
        with self._times.open("a", encoding="utf-8") as file:
            file.writelines(f"{self.time(r)}\n" for r in records if r.value is not None)

    def time(self, record: SinkRecord) -> int:
        """The time of a record, in milliseconds."""
        return record.timestamp or 0


class WritesSecondsTask(WritesTimesTask):
    """Has seconds."""

    def time(self, record: SinkRecord) -> int:
        """The time of a record, without its milliseconds."""
        return super().time(record) // 1000 * 1000
