"""Row sources that acknowledge rows too early, or some of them never."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright_conformance.mutants.rows_source_interrupted import RemembersItselfTask

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plugwright import RecordMetadata, SourceRecord

__all__ = ["AcknowledgesAtCommitTask", "NeedsMetadataTask"]


class AcknowledgesAtCommitTask(RemembersItselfTask):
    """Acknowledges what was polled when offsets are committed.

    Reported at https://github.com/lensesio/stream-reactor/pull/353.
    """

    def start(self, props: Mapping[str, str]) -> None:
        """Start without a row."""
        super().start(props)
        self._polled: SourceRecord | None = None

    def poll(self) -> Sequence[SourceRecord] | None:
        """The next rows; the last of them is remembered."""
        records = super().poll()
        if records:
            self._polled = records[-1]
        return records

    def commit_record(self, record: SourceRecord, metadata: RecordMetadata | None) -> None:
        """Leave the row alone."""

    def commit(self) -> None:
        """Acknowledge all rows that were polled, whether Kafka has them or not."""
        if self._polled is not None:
            self.acknowledge(self._polled)


class NeedsMetadataTask(RemembersItselfTask):
    """Acknowledges only rows that Kafka has given an offset.

    Reported at https://github.com/apache/kafka/pull/12602: a record that a transformation drops has
    no metadata (KIP-779).
    """

    def commit_record(self, record: SourceRecord, metadata: RecordMetadata | None) -> None:
        """Acknowledge the row, if its record has an offset."""
        if metadata is not None and metadata.offset >= 0:
            self.acknowledge(record)
