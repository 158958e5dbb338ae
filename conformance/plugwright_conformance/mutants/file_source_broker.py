"""Sources of files that take trouble of the broker wrongly."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from plugwright import ConnectError
from plugwright_conformance.mutants._mutant import mutant
from plugwright_file_source import FileStreamSourceTask

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plugwright import RecordMetadata, SourceRecord

__all__ = ["BlocksUntilAcknowledgedTask", "DropsLargeLinesTask", "GivesUpOnSilenceTask"]

_MOST_POLLS = 3
_LARGE = 100_000


class _CountingTask(FileStreamSourceTask):
    """Knows how many of its records Kafka has not acknowledged."""

    def __init__(self) -> None:
        super().__init__()
        self.waiting = 0

    def poll(self) -> Sequence[SourceRecord] | None:
        """Count what is handed out."""
        records = super().poll()
        self.waiting += len(records or ())
        return records

    def commit_record(self, record: SourceRecord, metadata: RecordMetadata | None) -> None:
        """Count what has arrived."""
        super().commit_record(record, metadata)
        self.waiting -= 1


@mutant(
    "M130",
    "takes late acknowledgements for the end",
    killed_by="CON-BRK-01",
    says="Kafka does not answer",
)
class GivesUpOnSilenceTask(_CountingTask):
    """Counts polls between two acknowledgements."""

    def __init__(self) -> None:
        super().__init__()
        self._polls = 0

    def poll(self) -> Sequence[SourceRecord] | None:
        """Fail when several polls in a row have found the same records waiting."""
        self._polls = self._polls + 1 if self.waiting else 0
        if self._polls > _MOST_POLLS:
            raise ConnectError("Kafka does not answer")
        return super().poll()

    def commit_record(self, record: SourceRecord, metadata: RecordMetadata | None) -> None:
        """Count anew."""
        super().commit_record(record, metadata)
        self._polls = 0


@mutant(
    "M132",
    "waits in poll() until Kafka has everything, and hears no stop",
    killed_by="CON-BRK-04",
    says="did not stop within",
)
class BlocksUntilAcknowledgedTask(_CountingTask):
    """Asks for nothing new before the old has arrived."""

    def poll(self) -> Sequence[SourceRecord] | None:
        """Wait for as long as it takes."""
        while self.waiting:
            threading.Event().wait(0.01)
        return super().poll()


@mutant(
    "M133",
    "drops a line that it thinks too large for Kafka",
    killed_by="CON-BRK-06",
    says="no word about the record",
)
class DropsLargeLinesTask(FileStreamSourceTask):
    """Spares its operator an error."""

    def poll(self) -> Sequence[SourceRecord] | None:
        """Hand out the small ones."""
        return [each for each in super().poll() or () if len(str(each.value)) < _LARGE]
