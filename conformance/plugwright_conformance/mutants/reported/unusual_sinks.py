"""Good sinks that do what the API permits and few do; each class names the clause."""

from __future__ import annotations

import sqlite3
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from typing import TYPE_CHECKING

from plugwright import ConnectError, DataError, RetriableError, TopicPartition
from plugwright_conformance.mutants.reported import sinks

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from plugwright import SinkRecord

__all__ = [
    "AsksForCommitsTask",
    "FullBatchesOnlyTask",
    "GivesBackFirstTask",
    "KeepsOwnOffsetsTask",
    "NeedsKeysTask",
    "OneTaskOnly",
    "PausesTask",
    "PromisesByThreadTask",
    "ReportingSink",
    "ReportsByThePageTask",
    "SaysNothingNewTask",
]


class GivesBackFirstTask(sinks.LinesSinkTask):
    """`SinkTask.put`: RetriableError, "the same batch comes again"; here each comes twice."""

    def start(self, props: Mapping[str, str]) -> None:
        """Open the file."""
        super().start(props)
        self._refused: int | None = None

    def put(self, records: Sequence[SinkRecord]) -> None:
        """Append the values of a batch, at the second time.

        Raises:
            RetriableError: at the first time; nothing was written.
        """
        if records and self._refused != records[0].original_kafka_offset:
            self._refused = records[0].original_kafka_offset
            self.context.timeout(10)
            raise RetriableError("give it again")
        self._refused = None
        super().put(records)


class FullBatchesOnlyTask(sinks.BufferSinkTask):
    """`SinkTask.pre_commit`: "return smaller ones, or fewer, where less is durable".

    Records wait for three more of their partition, but no longer than for three commits.
    """

    def start(self, props: Mapping[str, str]) -> None:
        """Open the file."""
        super().start(props)
        self._asked = 0

    def pre_commit(self, offsets: Mapping[TopicPartition, int]) -> Mapping[TopicPartition, int]:
        """The offsets of what was written: all at each third time, else all but a few."""
        self._asked += 1
        keep = [] if self._asked % 3 == 0 else self._waiting[-3:]
        write = self._waiting[: len(self._waiting) - len(keep)]
        self._waiting = keep
        try:
            self.write(write)
            sinks.LinesSinkTask.flush(self, offsets)
        except ConnectError:
            self._waiting = []  # the worker goes back to the last commit
            raise
        least = dict(offsets)
        for record in reversed(keep):
            least[sinks.place_of(record)] = record.original_kafka_offset
        return {place: at for place, at in least.items() if place in offsets}


class ReportsByThePageTask(sinks.LinesSinkTask):
    """`SinkTaskContext.errant_record_reporter`, called as the page about errors does."""

    def start(self, props: Mapping[str, str]) -> None:
        """Open the file, and ask who takes bad records."""
        super().start(props)
        self.reporter = self.context.errant_record_reporter()

    def put(self, records: Sequence[SinkRecord]) -> None:
        """Append what can be written, and report the rest."""
        good = []
        for record in records:
            if record.value is None or isinstance(record.value, str):
                good.append(record)
                continue
            error = DataError(f"only strings are written, found {type(record.value).__name__}")
            if self.reporter is None:
                raise error
            self.reporter.report(record, error)
        super().put(good)


class ReportingSink(sinks.LinesSink):
    """Appends lines to a file, and reports what it cannot write."""

    TASK = ReportsByThePageTask


class OneTaskOnly(sinks.LinesSink):
    """`Connector.task_configs`: "at most" so many; a sink may want one."""

    def task_configs(self, max_tasks: int) -> Sequence[Mapping[str, str]]:  # noqa: ARG002
        """One configuration, whatever the limit."""
        return [self._props]


class PausesTask(sinks.LinesSinkTask):
    """`SinkTaskContext.pause` and `resume`: one partition after the other, at its own pace."""

    def put(self, records: Sequence[SinkRecord]) -> None:
        """Append a batch and have a rest from what it came from, until the next call."""
        self.context.resume(*self.context.assignment())
        super().put(records)
        if records:
            self.context.pause(*{sinks.place_of(record) for record in records})
            self.context.timeout(10)


class AsksForCommitsTask(sinks.BufferSinkTask):
    """`SinkTaskContext.request_commit`: "now is a good time", after every batch."""

    def put(self, records: Sequence[SinkRecord]) -> None:
        """Keep records, and ask for a commit."""
        super().put(records)
        if records:
            self.context.request_commit()


class KeepsOwnOffsetsTask(sinks.TableSinkTask):
    """`SinkTaskContext.offset`: goes on from the offsets that it keeps with its rows."""

    def open(self, partitions: Collection[TopicPartition]) -> None:
        """Go on from the stored offsets.

        Raises:
            ConnectError: if the database does not answer.
        """
        try:
            with closing(sqlite3.connect(self._place, timeout=5)) as database, database:
                database.execute(
                    "CREATE TABLE IF NOT EXISTS places"
                    " (topic, part, next, PRIMARY KEY (topic, part))"
                )
                known = database.execute("SELECT topic, part, next FROM places").fetchall()
        except sqlite3.Error as error:
            raise ConnectError(f"cannot read {self._place}: {error}") from error
        stored = {TopicPartition(topic, part): place for topic, part, place in known}
        self.context.offset({place: stored[place] for place in partitions if place in stored})

    def put(self, records: Sequence[SinkRecord]) -> None:
        """Insert values and offsets, all or none.

        Raises:
            RetriableError: if the database does not take them now; nothing was inserted then.
        """
        values = [(sinks.text_of(record),) for record in records if record.value is not None]
        ends = {sinks.place_of(record): record.original_kafka_offset + 1 for record in records}
        try:
            with closing(sqlite3.connect(self._place, timeout=5)) as database, database:
                database.executemany("INSERT INTO entries (value) VALUES (?)", values)
                rows = [(*place, end) for place, end in ends.items()]
                database.executemany("INSERT OR REPLACE INTO places VALUES (?, ?, ?)", rows)
        except sqlite3.Error as error:
            raise RetriableError(f"cannot write {self._place}: {error}") from error


class NeedsKeysTask(sinks.LinesSinkTask):
    """`SinkTask.put` raises ConnectError for what it cannot take; this one needs keys."""

    def line(self, record: SinkRecord) -> bytes:
        """The line of a record that has a key.

        Raises:
            DataError: if it has none.
        """
        if record.key is None:
            raise DataError(f"a key is required, found none at {sinks.place_of(record)}")
        return super().line(record)


class SaysNothingNewTask(sinks.LinesSinkTask):
    """`SinkTask.pre_commit`: "or fewer"; partitions without news are left out."""

    def start(self, props: Mapping[str, str]) -> None:
        """Open the file."""
        super().start(props)
        self._new: set[TopicPartition] = set()

    def put(self, records: Sequence[SinkRecord]) -> None:
        """Append a batch."""
        super().put(records)
        self._new.update(map(sinks.place_of, records))

    def pre_commit(self, offsets: Mapping[TopicPartition, int]) -> Mapping[TopicPartition, int]:
        """The offsets of partitions that have had something."""
        self.flush(offsets)
        news, self._new = self._new, set()
        return {place: offset for place, offset in offsets.items() if place in news}


class PromisesByThreadTask(sinks.LinesSinkTask):
    """A task may write by threads of its own; what failed there is raised at the flush."""

    def start(self, props: Mapping[str, str]) -> None:
        """Open the file, and have a thread that writes."""
        super().start(props)
        self._writer = ThreadPoolExecutor(1)
        self._under_way: list[Future[None]] = []

    def put(self, records: Sequence[SinkRecord]) -> None:
        """Have the thread append the values of a batch."""
        data = b"".join(self.line(record) for record in records if record.value is not None)
        if data:
            self._under_way.append(self._writer.submit(self.append, data))

    def flush(self, offsets: Mapping[TopicPartition, int]) -> None:
        """Wait until the lines are on the disk.

        Raises:
            ConnectError: if some could not be written; they come again.
        """
        self._settle()
        super().flush(offsets)

    def _settle(self) -> None:
        waiting, self._under_way = self._under_way, []
        failed = [error for future in waiting if (error := future.exception()) is not None]
        if failed:
            raise ConnectError(f"cannot write {self._place}: {failed[0]}") from failed[0]

    def close(self, partitions: Collection[TopicPartition]) -> None:  # noqa: ARG002
        """Wait for what is under way; what failed was not committed."""
        for future in self._under_way:
            future.exception()
        self._under_way = []

    def stop(self) -> None:
        """End the thread, then close the file."""
        writer = getattr(self, "_writer", None)
        if writer is not None:
            writer.shutdown()
        super().stop()
