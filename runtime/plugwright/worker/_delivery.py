"""The sending of serialized records, as far as both delivery guarantees share it."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple, Protocol

from plugwright.errors import RetriableError
from plugwright.origin import is_operators

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from plugwright.record import SourceRecord
    from plugwright.task import SourceTask
    from plugwright.worker._boundary import BoundaryObserver
    from plugwright.worker._control import TaskControl
    from plugwright.worker._host_protocols import (
        DeliveryCallback,
        OffsetStore,
        OutgoingRecord,
        RecordProducer,
    )
    from plugwright.worker._identity import TaskIdentity
    from plugwright.worker._source_settings import SourceSettings
    from plugwright.worker._topic_creation import TopicCreation
    from plugwright.worker._transaction_context import LoopTransactionContext
    from plugwright.worker.counters import TaskCounters
    from plugwright.worker.error_handler import ErrorHandler

_RETRY_S = 0.1

log = logging.getLogger(__name__)


class RecordPosition(NamedTuple):
    """The position that Kafka assigned to a record."""

    topic: str
    partition: int
    offset: int


class Delivery(Protocol):
    """Delivers a source task's records and offsets."""

    @property
    def in_flight(self) -> bool:
        """Whether acknowledgements are outstanding."""

    def callback(self, records: Sequence[SourceRecord]) -> DeliveryCallback:
        """The delivery callback for the serialized records of this batch, as far as it is known.

        Saves a second tuple for most records; `send` corrects the others.
        """

    def send(
        self, records: Sequence[SourceRecord], outgoing: Sequence[OutgoingRecord | None]
    ) -> None:
        """Send the results of the first records of a batch."""

    def batch_sent(self) -> None:
        """Handle the end of a batch that ``poll`` returned, which may be empty."""

    def tick(self) -> None:
        """Do what is due: callbacks, refusals, offset commits."""

    def pause(self) -> None:
        """Handle a pause of the task."""

    def finish(self, *, failed: bool) -> None:
        """Store the offsets that can be stored before the task ends."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeliveryParts:
    """What a source loop provides its delivery with.

    Attributes:
        listener: notifies the task of deliveries.
        handler: handles records that fail.
        requests: the task's requests about transactions.
    """

    identity: TaskIdentity
    control: TaskControl
    counters: TaskCounters
    settings: SourceSettings
    listener: TaskListener
    handler: ErrorHandler
    requests: LoopTransactionContext
    observe: BoundaryObserver
    clock: Callable[[], float]


class DeliveryGuarantee(Protocol):
    """How a source task's records and offsets are delivered; chosen by the host."""

    @property
    def is_transactional(self) -> bool:
        """Whether the task may end transactions itself."""

    @property
    def offsets(self) -> OffsetStore:
        """Reads the offsets that earlier deliveries have stored."""

    def delivery(self, parts: DeliveryParts) -> Delivery:
        """Create the delivery of a loop."""


class DispatchAbandonedError(Exception):
    """The task was asked to stop while records waited for queue space or for their topic.

    Those records were not sent; their offsets are not stored.
    """


class TaskListener:
    """Notifies a task of the delivery of its records; its errors are ignored, as in Connect."""

    def __init__(self, task: SourceTask, identity: TaskIdentity) -> None:
        from plugwright.task import SourceTask as Base  # noqa: PLC0415  # to compare with

        self._task = task
        self._identity = identity
        # The default implementation does nothing, so the call can be skipped.
        self.wants_records = type(task).commit_record is not Base.commit_record

    def committed(self) -> None:
        """Notify the task that offsets were stored."""
        self._identity.enter("commit")
        try:
            self._task.commit()
        except BaseException as error:  # noqa: BLE001  # plugin code; the data is safe
            self._ignore("commit", error)
        finally:
            self._identity.enter("")

    def delivered(self, record: SourceRecord, metadata: RecordPosition | None) -> None:
        """Notify the task that Kafka has a record, or that it was dropped (KIP-779). Hot path."""
        try:
            self._task.commit_record(record, metadata)
        except BaseException as error:  # noqa: BLE001  # plugin code; the data is safe
            self._ignore("commit_record", error)

    def _ignore(self, phase: str, error: BaseException) -> None:
        if is_operators(error):
            raise error
        failure = self._identity.failure(phase, error)
        log.warning("%s: ignored: %s", self._identity, failure, exc_info=error)


_TOPIC_OF = itemgetter(0)


class Dispatcher:
    """Passes records to the producer, waiting for queue space and for topics.

    Args:
        creation: creates topics.
        parts: of the loop, whose control ends a wait when the task should stop.
    """

    def __init__(
        self, producer: RecordProducer, creation: TopicCreation, parts: DeliveryParts
    ) -> None:
        self._producer = producer
        self._creation = creation
        self._control = parts.control
        self._identity = parts.identity
        self._counters = parts.counters

    def dispatch(self, outgoing: Sequence[OutgoingRecord], meanwhile: Callable[[], None]) -> None:
        """Queue records in order; waits for their topics and for queue space.

        Args:
            outgoing: the records.
            meanwhile: called repeatedly while nothing can be queued.

        Raises:
            RecordRefusedError: if the client refuses a record; those before it are queued.
            ConnectError: if the producer or the admin client fails.
            DispatchAbandonedError: if the task should stop before all records are queued.
        """

        def full() -> None:
            if self._control.stopping:
                raise DispatchAbandonedError
            meanwhile()

        if self._creation.enabled:
            self._make_topics(outgoing, full)
        self._producer.when_full(full)
        self._producer.send(outgoing)
        self._counters.records += len(outgoing)
        self._counters.used(map(_TOPIC_OF, outgoing))

    def _make_topics(self, outgoing: Sequence[OutgoingRecord], waiting: Callable[[], None]) -> None:
        topics = {record[0] for record in outgoing}
        while True:
            try:
                self._creation.ensure(topics)
            except RetriableError as error:
                log.warning("%s: topics not created yet: %s", self._identity, error)
                waiting()
                self._control.wait(_RETRY_S)
            else:
                return


def kept(
    records: Sequence[SourceRecord], outgoing: Sequence[OutgoingRecord | None]
) -> tuple[Sequence[SourceRecord], list[OutgoingRecord], list[SourceRecord]]:
    """Split a batch into kept records, their outgoing forms, and dropped records. Hot path."""
    if all(outgoing):
        going = records[: len(outgoing)] if len(records) > len(outgoing) else records
        return going, list(outgoing), []  # type: ignore[arg-type]  # none of them is None
    pairs = list(zip(records, outgoing, strict=False))
    return (
        [record for record, out in pairs if out is not None],
        [out for out in outgoing if out is not None],
        [record for record, out in pairs if out is None],
    )
