"""Sources of lines with times: their endpoint, a good one, and one that goes on by time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from plugwright_conformance.reference.rows.source import RowsSourceTask
from plugwright_conformance.reference.rows.testing import RowsEndpoint

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plugwright import SourceRecord

__all__ = ["BurstsEndpoint", "ReadsEqualTimesTask", "SkipsEqualTimesTask"]

_TIMES = "times.txt"


class BurstsEndpoint(RowsEndpoint):
    """A table beside which a file has the times of its lines."""

    def seed(self, values: Sequence[Any]) -> None:
        """Append lines, a second apart."""
        for value in values:
            self.seed_at_once([value])

    def seed_at_once(self, values: Sequence[Any]) -> Sequence[str]:
        """Append lines of one time."""
        super().seed(values)
        with (self._directory.parent / _TIMES).open("a+", encoding="utf-8") as file:
            file.seek(0)
            time = len(set(file.read().split()))
            file.write(f"{time}\n" * len(values))
        return ()

    def stop(self) -> None:
        """Remove the times, too."""
        super().stop()
        (self._directory.parent / _TIMES).unlink(missing_ok=True)


class ReadsEqualTimesTask(RowsSourceTask):
    """Goes on by line."""


class SkipsEqualTimesTask(RowsSourceTask):
    """Goes on behind the time of the last line that it has read."""

    def poll(self) -> Sequence[SourceRecord] | None:
        """The next lines."""
        records = super().poll()
        times = (self._directory.parent / _TIMES).read_text("utf-8").split()
        for table, line in self._lines.items():
            passed = times[line:]
            if line:
                later = [n for n, time in enumerate(passed) if time != times[line - 1]]
                self._lines[table] = line + (later[0] if later else len(passed))
        return records
