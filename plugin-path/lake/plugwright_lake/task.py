"""The task: fills files, promises the offsets of those that are finished."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright import DataError, IdempotentSinkTask, SinkColumns, TopicPartition
from plugwright_lake.layout import Layout
from plugwright_lake.partition_files import PartitionFiles
from plugwright_lake.settings import VERSION
from plugwright_lake.store import Store, open_store, store_error

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from plugwright import BatchIdentity, ErrantRecordReporter, SinkRecord

__all__ = ["LakeSinkTask"]


class LakeSinkTask(IdempotentSinkTask):
    """Writes the records of its partitions to files that are named by their offsets.

    Where records alone decide when a file is finished, a repetition writes the same file again.
    Where commits or the clock decide, names have the last offset, too, and records that a file has
    are not written again.
    """

    def __init__(self) -> None:
        self._partitions: dict[TopicPartition, PartitionFiles] = {}
        self._store: Store | None = None
        self._in_batches = False

    def version(self) -> str:
        """The version of this distribution."""
        return VERSION

    def start(self, props: Mapping[str, str]) -> None:
        """Reach the store.

        Raises:
            ConfigError: if a setting is missing or wrong.
            ConnectError: if the store cannot be reached or written.
        """
        self._layout = Layout.parse(props)
        self._store = open_store(self._layout.url, self._layout.options)
        try:
            self._store.prepare()
        except OSError as error:
            raise store_error(error, self._layout.url) from error
        self._partitions = {}
        self._in_batches = False

    def open(self, partitions: Collection[TopicPartition]) -> None:
        """Begin with partitions; what a task that died has left half written goes away."""
        assert self._store is not None  # noqa: S101  # open comes after start
        for home in partitions:
            self._partitions.pop(TopicPartition(*home), None)
            try:
                self._store.discard(self._layout.names.beginning(*home))
            except OSError as error:
                raise store_error(error, self._layout.url) from error

    def close(self, partitions: Collection[TopicPartition]) -> None:
        """Forget what is in no finished file; it is delivered again."""
        for home in partitions:
            self._partitions.pop(TopicPartition(*home), None)

    def begin_batch(self, identity: BatchIdentity) -> bool:  # noqa: ARG002  # names say it all
        """Begin a batch of Spark's; one that comes again has the same offsets, and so the names."""
        self._partitions = {}
        self._in_batches = True
        return True

    def put(self, records: Sequence[SinkRecord]) -> None:
        """Take records; those that have no place are reported, if anyone listens (KIP-610).

        Raises:
            DataError: if a record cannot be written and no reporter exists.
            RetriableError: if files could not be written.
            ConnectError: if they will not be.
        """
        self.put_batch(SinkColumns.of(records))

    def put_batch(self, batch: Sequence[SinkColumns]) -> None:
        """Take records of columns; raises what `put` raises. Hot path."""
        for part in batch:
            files = self._files_of(part)
            if not files.add_all(part):
                self._add_singly(files, part.records())
        if not batch:
            for files in self._partitions.values():
                files.finish_if_due()

    def flush(self, offsets: Mapping[TopicPartition, int]) -> None:  # noqa: ARG002  # all of them
        """Finish files that do not wait for more records.

        Raises:
            RetriableError: if they could not be written.
            ConnectError: if they will not be.
        """
        ends = self._in_batches or (self._store is not None and self._layout.on_commit)
        for files in self._partitions.values():
            if ends:
                files.finish()
            else:
                files.finish_if_due()

    def pre_commit(self, offsets: Mapping[TopicPartition, int]) -> Mapping[TopicPartition, int]:
        """The offsets below which every record is in a finished file."""
        self.flush(offsets)
        return {home: self._promised(home, offset) for home, offset in offsets.items()}

    def stop(self) -> None:
        """Forget what is in no finished file."""
        self._partitions = {}

    def _promised(self, home: TopicPartition, offset: int) -> int:
        files = self._partitions.get(TopicPartition(*home))
        unfinished = None if files is None else files.unfinished
        return offset if unfinished is None else min(offset, unfinished)

    def _add_singly(self, files: PartitionFiles, records: Sequence[SinkRecord]) -> None:
        """Take records one by one; report those that have no place."""
        reporter = None
        for record in records:
            try:
                files.add(record)
            except DataError as error:
                reporter = reporter or self._reporter()
                if reporter is None:
                    raise
                reporter.report(record, error)

    def _files_of(self, part: SinkColumns) -> PartitionFiles:
        home = TopicPartition(part.original_topic, part.original_kafka_partition)
        files = self._partitions.get(home)
        if files is None:
            assert self._store is not None  # noqa: S101  # put comes after start
            files = self._partitions[home] = PartitionFiles(self._store, self._layout, home)
        return files

    def _reporter(self) -> ErrantRecordReporter | None:
        """Takes records that cannot be written; ``None`` on runtimes older than KIP-610."""
        offer = getattr(getattr(self, "context", None), "errant_record_reporter", None)
        return None if offer is None else offer()
