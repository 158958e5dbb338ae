"""Reported faults of sources: positions forgotten, begun anew, and one record off."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from plugwright import STRING_SCHEMA, SourceRecord
from plugwright_conformance.mutants.reported.lines_source import LinesSourceTask, position_of
from plugwright_conformance.mutants.reported.table_sources import (
    EventsSourceTask,
    PagesSourceTask,
    QueueSourceTask,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from plugwright import RecordMetadata

__all__ = [
    "AcknowledgesAtCommitTask",
    "AcknowledgesAtNextPollTask",
    "BeginsNowTask",
    "CopiesAgainTask",
    "DeletesFinishedFileTask",
    "EveryLineTwiceTask",
    "RemovesWhatItPollsTask",
    "RepeatsOneTask",
    "SettingBeatsOffsetTask",
    "StoresBeginOfBatchTask",
    "StreamFromZeroTask",
    "StreamsLogFromZeroTask",
]


class AcknowledgesAtCommitTask(QueueSourceTask):
    """Acknowledges everything polled when some offsets were stored.

    https://github.com/SolaceProducts/pubsubplus-connector-kafka-source/issues/75: of a hundred
    messages polled thirty were published when commit() came, all were acknowledged, seventy lost.
    """

    def commit_record(self, record: SourceRecord, metadata: RecordMetadata | None) -> None:
        """Nothing."""

    def commit(self) -> None:
        """Acknowledge whatever was handed out."""
        self.ask("UPDATE messages SET done = 1 WHERE id <= ?", self._given)


class AcknowledgesAtNextPollTask(QueueSourceTask):
    """Acknowledges a batch when the next one is polled.

    https://github.com/GoogleCloudPlatform/pubsub/issues/174: messages were acknowledged at the
    beginning of poll() that had not reached Kafka yet, and lost if the connector died then.
    """

    def commit_record(self, record: SourceRecord, metadata: RecordMetadata | None) -> None:
        """Nothing."""

    def poll(self) -> Sequence[SourceRecord] | None:
        """Acknowledge what was handed out before, then go on."""
        self.ask("UPDATE messages SET done = 1 WHERE id <= ?", self._given)
        return super().poll()


class RemovesWhatItPollsTask(QueueSourceTask):
    """Takes messages out of the queue when it polls them.

    https://github.com/microsoft/kafka-connect-cosmosdb/issues/166: changes that were polled and
    not yet produced were lost at an interruption, for the other side had moved on.
    """

    def record(self, number: int, value: str) -> SourceRecord:
        """The record of a message, which is gone from now on."""
        self.acknowledge(number)
        return super().record(number, value)


class SettingBeatsOffsetTask(LinesSourceTask):
    """Begins where the setting says, whatever is stored.

    https://github.com/IBM/cloudant-kafka-connector/issues/124: since the setting has the default
    0, each restart read everything from the beginning, so every document came twice.
    """

    def begin(self, path: Path) -> int:
        """The setting, which has a default."""
        self.context.offset_storage_reader.offset(self.partition(path))
        return 0


class BeginsNowTask(EventsSourceTask):
    """Begins with what comes after its start, after a crash, too.

    https://github.com/erdemcer/kafka-connect-oracle/issues/55: after a crash the capture began
    "from now on", and what had happened meanwhile was missing in the topic.
    """

    def start(self, props: Mapping[str, str]) -> None:
        """Go on behind the newest row, if it has run before."""
        super().start(props)
        newest = self.ask("SELECT at, id FROM events ORDER BY at DESC, id DESC LIMIT 1")
        if self._last != ("", 0) and newest:
            self._last = newest[0]


class RepeatsOneTask(PagesSourceTask):
    """Skips one item less than it has read.

    https://github.com/jcustenborder/kafka-connect-spooldir/issues/40: skipping compared with < for
    <=, so the last line appeared twice when a file was read on.
    """

    def start(self, props: Mapping[str, str]) -> None:
        """Go on at the stored item."""
        super().start(props)
        self._cursor = max(0, self._cursor - 1)


class DeletesFinishedFileTask(LinesSourceTask):
    """Empties a file when it has read all of it.

    https://github.com/jcustenborder/kafka-connect-spooldir/issues/16: a finished file was moved
    away before its records were written, and there was nothing to go on with after a crash.
    """

    def records(self, path: Path) -> list[SourceRecord]:
        """The records of the file; at its end it is empty."""
        records = super().records(path)
        if records and path.stat().st_size == self._positions[path]:
            path.write_bytes(b"")
            self._positions[path] = 0
        return records

    def begin(self, path: Path) -> int:
        """Where to begin: a file that is shorter by now is a new one."""
        stored = super().begin(path)
        return stored if stored <= path.stat().st_size else 0


class CopiesAgainTask(EventsSourceTask):
    """Marks the end of the first copy with the first change after it only.

    https://github.com/mongodb/mongo-kafka/pull/168: if nothing had changed since the copy, a
    restart copied everything once more.
    """

    def start(self, props: Mapping[str, str]) -> None:
        """Copy again unless a change was stored."""
        super().start(props)
        stored = self.context.offset_storage_reader.offset({"table": "events"})
        self._until = max(
            [row[0] for row in self.ask("SELECT max(id) FROM events") if row[0]] or [0]
        )
        if stored is not None and stored.get("copy"):
            self._last = ("", 0)

    @staticmethod
    def checked(offset: Mapping[str, Any]) -> tuple[str, int]:
        """Time and id of an offset, with or without the mark of a copy."""
        plain = {name: value for name, value in offset.items() if name != "copy"}
        return EventsSourceTask.checked(plain)

    def made(self, offset: Mapping[str, Any], value: str) -> SourceRecord:
        """A record, marked if it is of the copy."""
        marked = {**offset, "copy": True} if offset["id"] <= self._until else offset
        return super().made(marked, value)


class StreamFromZeroTask(EventsSourceTask):
    """Counts through the ids and takes the next row for each number that has none.

    https://github.com/ConduitIO/conduit/issues/49: behind a gap in the ids a new record was
    returned as many times as numbers were missing.
    """

    def rows(self) -> list[Any]:
        """The row at or behind each of the next numbers."""
        query = "SELECT id, at, value FROM events WHERE id >= ? ORDER BY id LIMIT 1"
        last = self._last[1]
        found = [self.ask(query, number) for number in range(last + 1, last + 10)]
        return [row for rows in found for row in rows]


class StreamsLogFromZeroTask(LinesSourceTask):
    """Copies what is there, then follows the log from its beginning.

    https://github.com/ConduitIO/conduit/issues/156: when it changed from the snapshot to the log
    the connector started at position 0, so the rows of the snapshot came twice.
    """

    def begin(self, path: Path) -> int:
        """Where to begin, and whether that is a copy."""
        stored = self.context.offset_storage_reader.offset(self.partition(path))
        self._copying = stored is None
        return 0 if stored is None else position_of(stored)

    def idle(self) -> None:
        """At the end of the copy the log begins."""
        if self._copying and any(self._positions.values()):
            self._copying = False
            self._positions = dict.fromkeys(self._positions, 0)
        super().idle()


class StoresBeginOfBatchTask(LinesSourceTask):
    """Stores for every record the position of the batch's first line.

    https://github.com/vectordotdev/vector/issues/14253: the checkpoint was the end of the first
    line of the last entry, not of its last, and lines were read again after a restart.
    """

    def records(self, path: Path) -> list[SourceRecord]:
        """The records, with the first one's offset."""
        records = super().records(path)
        for record in records[1:]:
            record.source_offset = dict(records[0].source_offset or {})
        return records


class EveryLineTwiceTask(LinesSourceTask):
    """Handles a file that grew as new and as changed.

    https://github.com/mmolimar/kafka-connect-fs/issues/105: each line that was appended came
    twice into the topic.
    """

    def records(self, path: Path) -> list[SourceRecord]:
        """The records of new lines, and again of changed ones."""
        return [
            SourceRecord(r.source_partition, r.source_offset, r.topic, r.value, STRING_SCHEMA)
            for record in super().records(path)
            for r in (record, record)
        ]
