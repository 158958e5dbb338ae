"""File sources with a wrong reaction to broker failures."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from plugwright import ConnectError
from plugwright_conformance.mutants.mutant import mutant
from plugwright_file_source import FileStreamSourceTask

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plugwright import RecordMetadata, SourceRecord

__all__ = ["BlocksUntilAcknowledgedTask", "DropsLargeLinesTask", "GivesUpOnSilenceTask"]

_MOST_POLLS = 3
_LARGE = 100_000


class _CountingTask(FileStreamSourceTask):
    """Counts its unacknowledged records."""

    def __init__(self) -> None:
        super().__init__()
        self.waiting = 0

    def poll(self) -> Sequence[SourceRecord] | None:
        """Poll, and count the records."""
        records = super().poll()
        self.waiting += len(records or ())
        return records

    def commit_record(self, record: SourceRecord, metadata: RecordMetadata | None) -> None:
        """Subtract the acknowledged record."""
        super().commit_record(record, metadata)
        self.waiting -= 1


@mutant(
    "M130",
    "takes late acknowledgements for the end",
    killed_by="CON-BRK-01",
    failure="Kafka does not answer",
)
class GivesUpOnSilenceTask(_CountingTask):
    """Fails after several polls without an acknowledgement."""

    def __init__(self) -> None:
        super().__init__()
        self._polls = 0

    def poll(self) -> Sequence[SourceRecord] | None:
        """Poll, or fail if no record was acknowledged during several polls."""
        self._polls = self._polls + 1 if self.waiting else 0
        if self._polls > _MOST_POLLS:
            raise ConnectError("Kafka does not answer")
        return super().poll()

    def commit_record(self, record: SourceRecord, metadata: RecordMetadata | None) -> None:
        """Reset the number of polls."""
        super().commit_record(record, metadata)
        self._polls = 0


@mutant(
    "M132",
    "waits in poll() until Kafka has everything, and hears no stop",
    killed_by="CON-BRK-04",
    failure="did not stop within",
)
class BlocksUntilAcknowledgedTask(_CountingTask):
    """Reads nothing until all records are acknowledged."""

    def poll(self) -> Sequence[SourceRecord] | None:
        """Wait without limit, then poll."""
        while self.waiting:
            threading.Event().wait(0.01)
        return super().poll()


@mutant(
    "M133",
    "drops a line that it thinks too large for Kafka",
    killed_by="CON-BRK-06",
    failure="no word about the record",
)
class DropsLargeLinesTask(FileStreamSourceTask):
    """Drops large records instead of failing."""

    def poll(self) -> Sequence[SourceRecord] | None:
        """The records below the limit."""
        return [each for each in super().poll() or () if len(str(each.value)) < _LARGE]
