"""Row sources that drop fetched rows, or acknowledge rows too early."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

from plugwright_conformance.mutants.mutant import mutant
from plugwright_conformance.reference.rows.codec import directory_of
from plugwright_conformance.reference.rows.source import RowsSourceTask

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plugwright import RecordMetadata, SourceRecord

__all__ = ["AcknowledgesAtPollTask", "DropsFetchedAfterPauseTask", "RemembersItselfTask"]

_SESSION_S = 0.8


@mutant(
    "M046",
    "what was fetched before a pause is dropped",
    base="lines-source",
    killed_by="CON-LIF-12",
    failure="lost",
)
class DropsFetchedAfterPauseTask(RowsSourceTask):
    """Drops fetched rows after a pause.

    After https://github.com/streamthoughts/kafka-connect-file-pulse/issues/29: a source does not go
    on where it was once it was paused and resumed.
    """

    def start(self, props: Mapping[str, str]) -> None:
        """Start without fetched rows."""
        super().start(props)
        self._fetched: list[SourceRecord] = []
        self._asked = time.monotonic()

    def poll(self) -> Sequence[SourceRecord] | None:
        """Two of the fetched rows; a pause discards those that are left."""
        if time.monotonic() > self._asked + _SESSION_S:
            self._fetched.clear()
        self._fetched = self._fetched or [*(super().poll() or ())]
        two, self._fetched = self._fetched[:2], self._fetched[2:]
        self._asked = time.monotonic()
        return two or None


class RemembersItselfTask(RowsSourceTask):
    """Stores its position at the endpoint, as a queue does for its readers."""

    def start(self, props: Mapping[str, str]) -> None:
        """Start, and determine the file with the position."""
        place = directory_of(props["rows.url"])
        self._place = Path(f"{place}.acknowledged")
        super().start(props)

    def _line(self, table: str) -> int:  # noqa: ARG002  # text has one table
        return int(self._place.read_text()) if self._place.exists() else 0

    def commit_record(
        self,
        record: SourceRecord,
        metadata: RecordMetadata | None,  # noqa: ARG002  # the API's signature
    ) -> None:
        """Acknowledge the row of an acknowledged record."""
        self.acknowledge(record)

    def acknowledge(self, record: SourceRecord) -> None:
        """Store the position of a row."""
        assert record.source_offset is not None  # noqa: S101  # every record of ours has one
        self._place.write_text(str(record.source_offset["line"]))


class AcknowledgesAtPollTask(RemembersItselfTask):
    """Acknowledges rows before Kafka has them.

    Reported at https://github.com/apache/iggy/issues/3847.
    """

    def poll(self) -> Sequence[SourceRecord] | None:
        """The next rows, which are acknowledged at once."""
        records = super().poll()
        for record in records or ():
            self.acknowledge(record)
        return records
