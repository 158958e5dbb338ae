"""What a sink task sees of the query that feeds it."""

from __future__ import annotations

from concurrent.futures import Future
from typing import TYPE_CHECKING

from plugwright.errors import ConnectError
from plugwright.worker import Origin, ProcessingStage

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from plugwright.record import SinkRecord, TopicPartition
    from plugwright.task import ErrantRecordReporter
    from plugwright.worker import ErrorHandler

__all__ = ["RowsSinkContext"]


class RowsSinkContext:
    """The sink task context: collects the task's wishes until the query takes them.

    Args:
        configs: of the task.
        handler: decides about records that the task gives up.
        task_class: dotted name of the task's class.

    Attributes:
        paused: the partitions that the task has paused.
    """

    def __init__(self, configs: Mapping[str, str], handler: ErrorHandler, task_class: str) -> None:
        self.configs = configs
        self.paused: set[TopicPartition] = set()
        self._handler = handler
        self._task_class = task_class
        self._assigned: list[TopicPartition] = []
        self._timeout_s: float | None = None
        self._commit_requested = False
        self._refusal: ConnectError | None = None

    def offset(self, offsets: Mapping[TopicPartition, int]) -> None:
        """Refuse to go anywhere: rows come once, in their order.

        Raises:
            ConnectError: ``rows.no-rewind``, unless nothing is asked for.
        """
        if offsets:
            where = ", ".join(f"{p.topic}-{p.partition}@{o}" for p, o in sorted(offsets.items()))
            raise ConnectError(
                f"the sink task asked for other offsets, {where}, but rows of a DataFrame have no "
                "place to go back to",
                code="rows.no-rewind",
                hint="run the plugin on a worker, where Kafka has the records",
            )

    def timeout(self, timeout_ms: int) -> None:
        """Milliseconds to wait before the next batch or retry; from 1, else ignored."""
        self._timeout_s = timeout_ms / 1000 if timeout_ms > 0 else None

    def assignment(self) -> Collection[TopicPartition]:
        """The partitions that rows have come from so far."""
        return list(self._assigned)

    def pause(self, *partitions: TopicPartition) -> None:
        """Give no records before ``resume``."""
        self.paused.update(partitions)

    def resume(self, *partitions: TopicPartition) -> None:
        """Give records again."""
        self.paused.difference_update(partitions)

    def request_commit(self) -> None:
        """Hint that now is a good time to make records durable."""
        self._commit_requested = True

    def errant_record_reporter(self) -> ErrantRecordReporter | None:
        """Takes records that the task gives up; ``None`` unless failures are tolerated."""
        return self if self._handler.tolerates_all else None

    def report(self, record: SinkRecord, error: Exception) -> Future[None]:
        """Leave a record out (KIP-610).

        Raises:
            ConnectError: if failures are not tolerated.
        """
        origin = Origin(record=record)  # type: ignore[arg-type]  # only shown in a log
        self._handler.failed(origin, ProcessingStage.TASK_PUT, self._task_class, error)
        done: Future[None] = Future()
        done.set_result(None)
        return done

    def assign(self, partitions: Collection[TopicPartition]) -> None:
        """Note partitions that are new."""
        self._assigned.extend(partitions)

    def take_timeout(self, otherwise_s: float) -> float:
        """The wait asked for since the last call, in seconds, or ``otherwise_s``."""
        timeout_s, self._timeout_s = self._timeout_s, None
        return otherwise_s if timeout_s is None else timeout_s

    def take_commit_request(self) -> bool:
        """Whether a commit was asked for since the last call."""
        requested, self._commit_requested = self._commit_requested, False
        return requested
