"""Row sources that lose their position, change given settings or use the wall clock."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from plugwright_conformance.mutants.mutant import mutant
from plugwright_conformance.reference.rows.source import RowsSourceConnector, RowsSourceTask

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plugwright import SourceRecord

__all__ = [
    "FullBatchIsLastTask",
    "NarrowPlaceTask",
    "ResolvesInPlace",
    "WaitsByWallClockTask",
]


@mutant(
    "M204",
    "a stored place of more than four bytes is taken for the beginning",
    base="lines-source",
    killed_by="SRC-OFF-16",
    failure="records again",
)
class NarrowPlaceTask(RowsSourceTask):
    """Reads a stored position as a 32-bit integer.

    Reported at https://github.com/debezium/debezium/pull/7900.
    """

    def _line(self, table: str) -> int:
        line = super()._line(table)
        return line if line < 2**31 else 0


@mutant(
    "M205",
    "the record at the edge of a full batch is left out",
    base="lines-source",
    killed_by="SRC-OFF-17",
    failure="in polls of",
)
class FullBatchIsLastTask(RowsSourceTask):
    """Drops the last record of a full batch."""

    def poll(self) -> Sequence[SourceRecord] | None:
        """The next rows, without the last one of a full batch."""
        records = super().poll()
        if records and len(records) == self._batch:
            return records[:-1]
        return records


@mutant(
    "M206",
    "settings are resolved in the mapping that was handed over",
    base="lines-source",
    killed_by="CON-CFG-18",
    failure="rows.url written by start() of the connector",
)
class ResolvesInPlace(RowsSourceConnector):
    """Changes the settings that it was given.

    Reported at https://github.com/apache/kafka/pull/6795.
    """

    def start(self, props: Mapping[str, str]) -> None:
        """Change the URL in the given settings, then start."""
        props["rows.url"] = props["rows.url"].strip() + "/."  # type: ignore[index]  # the fault
        super().start(props)


@mutant(
    "M207",
    "an interval is measured by the clock on the wall",
    base="lines-source",
    killed_by="CON-LIF-16",
    failure="the clock was set back",
)
class WaitsByWallClockTask(RowsSourceTask):
    """Measures an interval by the wall clock.

    Reported at https://github.com/apache/storm/issues/4907.
    """

    _looked = 0.0

    def poll(self) -> Sequence[SourceRecord] | None:
        """The next rows, if the interval has passed."""
        if time.time() - self._looked < 0.05:  # noqa: PLR2004  # an interval
            self._stopping.wait(0.05)
            return None
        records = super().poll()
        if not records:
            self._looked = time.time()
        return records
