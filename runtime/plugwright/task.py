"""Base classes for connector authors: tasks, and their contexts."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from plugwright.batched import batched_by

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence
    from concurrent.futures import Future

    from plugwright.metrics import PluginMetrics
    from plugwright.record import SinkRecord, SourceRecord, TopicPartition
    from plugwright.sink_columns import SinkColumns

__all__ = [
    "BatchIdentity",
    "ErrantRecordReporter",
    "IdempotentSinkTask",
    "OffsetStorageReader",
    "RecordMetadata",
    "SinkTask",
    "SinkTaskContext",
    "SourceTask",
    "SourceTaskContext",
    "Task",
    "TransactionBoundary",
    "TransactionContext",
    "takes_columns",
]


class OffsetStorageReader(Protocol):
    """Reads the offsets that earlier tasks of the connector have stored."""

    def offset(self, partition: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """The stored offset of a source partition, or ``None``."""

    def offsets(
        self, partitions: Iterable[Mapping[str, Any]]
    ) -> Sequence[tuple[Mapping[str, Any], Mapping[str, Any] | None]]:
        """The stored offsets of several source partitions, in the order asked."""


class TransactionBoundary(Enum):
    """The boundary at which transactions of an exactly-once source end (KIP-618)."""

    POLL = "poll"
    INTERVAL = "interval"
    CONNECTOR = "connector"


class TransactionContext(Protocol):
    """Lets a source task say where its transactions end (KIP-618)."""

    def commit_transaction(self, record: SourceRecord | None = None) -> None:
        """Commit after this record, or after the batch being returned."""

    def abort_transaction(self, record: SourceRecord | None = None) -> None:
        """Abort after this record, or after the batch being returned."""


class RecordMetadata(Protocol):
    """The position of a record in Kafka."""

    @property
    def topic(self) -> str:
        """Topic of the record."""

    @property
    def partition(self) -> int:
        """Partition of the record."""

    @property
    def offset(self) -> int:
        """Offset of the record."""


class SourceTaskContext(Protocol):
    """The context of a source task."""

    @property
    def configs(self) -> Mapping[str, str]:
        """The latest configuration; may differ from that of ``start`` when secrets rotate."""

    @property
    def offset_storage_reader(self) -> OffsetStorageReader:
        """Reads the offsets that earlier tasks have stored."""

    @property
    def transaction_context(self) -> TransactionContext | None:
        """For the transaction boundary ``connector`` only, else ``None``."""

    def plugin_metrics(self) -> PluginMetrics:
        """Registers metrics of the task, which go when it is stopped (KIP-877)."""


class ErrantRecordReporter(Protocol):
    """Takes records that a sink task cannot deliver (KIP-610)."""

    def report(self, record: SinkRecord, error: Exception) -> Future[None]:
        """Hand a record over, from any thread; offsets are not committed before it is stored."""


class SinkTaskContext(Protocol):
    """The context of a sink task."""

    @property
    def configs(self) -> Mapping[str, str]:
        """The latest configuration; may differ from that of ``start`` when secrets rotate."""

    def offset(self, offsets: Mapping[TopicPartition, int]) -> None:
        """Go back or ahead to these offsets before the next batch."""

    def timeout(self, timeout_ms: int) -> None:
        """Milliseconds to wait at most before the next ``put`` or retry."""

    def assignment(self) -> Collection[TopicPartition]:
        """The partitions that this task owns now."""

    def pause(self, *partitions: TopicPartition) -> None:
        """Fetch nothing from these partitions until ``resume``."""

    def resume(self, *partitions: TopicPartition) -> None:
        """Fetch from these partitions again."""

    def request_commit(self) -> None:
        """Hint that now is a good time to commit offsets."""

    def errant_record_reporter(self) -> ErrantRecordReporter | None:
        """The reporter for bad records, or ``None`` if none is configured (KIP-610)."""

    def plugin_metrics(self) -> PluginMetrics:
        """Registers metrics of the task, which go when it is stopped (KIP-877)."""


class Task(ABC):
    """Copies one share of a connector's data. One thread calls it, except where noted."""

    @abstractmethod
    def version(self) -> str:
        """The version of the plugin, usually the connector's."""

    @abstractmethod
    def start(self, props: Mapping[str, str]) -> None:
        """Begin with one of the configurations that ``task_configs`` returned."""

    @abstractmethod
    def stop(self) -> None:
        """Release everything; safe at any time, more than once, and while ``poll`` runs."""


class SourceTask(Task):
    """Reads records from elsewhere."""

    TRANSACTION_BOUNDARY_CONFIG: ClassVar[str] = "transaction.boundary"

    context: SourceTaskContext

    def initialize(self, context: SourceTaskContext) -> None:
        """Take the context, once, before ``start``."""
        self.context = context

    @abstractmethod
    def poll(self) -> Sequence[SourceRecord] | None:
        """The next records, or nothing; may wait a little but must return regularly.

        Raises:
            RetriableError: counts as "nothing this time".
            ConnectError: fails the task.
        """

    def commit(self) -> None:  # an optional hook
        """Called after offsets were stored; may come from another thread."""

    def commit_record(self, record: SourceRecord, metadata: RecordMetadata | None) -> None:
        """Called when Kafka has a record; without metadata if it was dropped on the way.

        May come from another thread. Before ``stop`` the worker waits for Kafka, for at most
        ``offset.flush.timeout.ms``; an answer that is later than that may come after ``stop``.
        """


class SinkTask(Task):
    """Writes records elsewhere.

    Calls come in this order: ``initialize``, ``start``, ``open`` after each assignment, ``put`` and
    ``pre_commit`` as data flows, ``close`` before partitions leave, ``stop``.
    """

    TOPICS_CONFIG: ClassVar[str] = "topics"
    TOPICS_REGEX_CONFIG: ClassVar[str] = "topics.regex"

    context: SinkTaskContext

    def initialize(self, context: SinkTaskContext) -> None:
        """Take the context, once, before ``start``."""
        self.context = context

    def open(self, partitions: Collection[TopicPartition]) -> None:  # an optional hook
        """Called with the partitions that were just assigned."""

    def close(self, partitions: Collection[TopicPartition]) -> None:  # an optional hook
        """Called with the partitions that are about to leave."""

    @abstractmethod
    def put(self, records: Sequence[SinkRecord]) -> None:
        """Take a batch, possibly empty.

        Raises:
            RetriableError: the same batch comes again.
            ConnectError: fails the task; nothing beyond the last commit is acknowledged.
        """

    def put_batch(self, batch: Sequence[SinkColumns]) -> None:
        """Take a batch by column, possibly empty. A task that overrides it is given columns.

        A worker calls it where it consumes from Kafka; elsewhere, and from tests, ``put`` is
        still called, so both have to write the same.

        Raises:
            RetriableError: the same batch comes again.
            ConnectError: fails the task; nothing beyond the last commit is acknowledged.
        """
        self.put([record for part in batch for record in part.records()])

    def flush(self, offsets: Mapping[TopicPartition, int]) -> None:  # an optional hook
        """Make durable everything below these offsets, then return."""

    def pre_commit(self, offsets: Mapping[TopicPartition, int]) -> Mapping[TopicPartition, int]:
        """The offsets that may be committed: by default, after ``flush``, those given.

        An offset is that of the next record to read. The map has every assigned partition; those
        without any record have the offset at which reading begins. Return smaller ones, or
        fewer, where less is durable; raise to commit nothing.
        """
        self.flush(offsets)
        return offsets


def takes_columns(task_class: type) -> bool:
    """Whether ``put_batch`` is to be called rather than ``put``, see `batched_by`."""
    return batched_by(task_class, "put", "put_batch") not in {None, SinkTask}


@dataclass(frozen=True, slots=True)
class BatchIdentity:
    """The identity of a sink task's next batch of rows; a repeated batch has the same identity.

    All three count: a batch is known again by the identity as a whole.

    Attributes:
        query: id of the streaming query, which its checkpoint keeps; of a batch write, of the job.
            For a sink connector that is run by Structured Streaming it has the number of tasks at
            its end, for with another number each task has other records.
        batch: number of the micro-batch in its query, from 0.
        partition: number of the batch's part that this task is given; of a connector's tasks, the
            number of this one.
    """

    query: str
    batch: int
    partition: int


class IdempotentSinkTask(SinkTask):
    """A sink task that knows a batch which it has written before.

    A data source of Spark, and a worker whose connector has ``spark.engine=stream``, tell it which
    batch is coming, and call ``flush`` only when all of it was put. A task that makes the records
    durable there together with the identity, all or nothing, is exactly-once across every
    repetition by Spark. Two attempts at one batch may be under way at once, when Spark has lost
    sight of a machine: the target has to refuse the second. Resident tasks consume from Kafka as
    members of a group, which has no batches, and are never asked.
    """

    @abstractmethod
    def begin_batch(self, identity: BatchIdentity) -> bool:
        """Whether the batch is wanted: not, if it is durable already.

        Called after ``open``, before the first ``put`` of the batch; once more if ``flush`` has
        failed, and what was put before that is void then.
        """
