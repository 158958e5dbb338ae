"""How serialized records leave a source task; the two delivery guarantees have this in common."""

from __future__ import annotations

import logging
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple, Protocol

from plugwright.errors import RetriableError
from plugwright.origin import is_operators

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from plugwright.record import SourceRecord
    from plugwright.task import SourceTask
    from plugwright.worker._control import TaskControl
    from plugwright.worker._counters import TaskCounters
    from plugwright.worker._identity import TaskIdentity
    from plugwright.worker._seams import DeliveryCallback, OutgoingRecord, RecordProducer
    from plugwright.worker._topic_creation import TopicCreation

_RETRY_S = 0.1

log = logging.getLogger(__name__)


class RecordPosition(NamedTuple):
    """Where Kafka put a record."""

    topic: str
    partition: int
    offset: int


class Delivery(Protocol):
    """One of the guarantees under which a source task's records and offsets are stored."""

    @property
    def in_flight(self) -> bool:
        """Whether answers of Kafka are awaited."""

    def callback(self, records: Sequence[SourceRecord]) -> DeliveryCallback:
        """What serialized records of this batch are to carry, as far as it can be said already.

        It spares most records a second tuple; `send` puts right what turns out otherwise.
        """

    def send(
        self, records: Sequence[SourceRecord], outgoing: Sequence[OutgoingRecord | None]
    ) -> None:
        """Hand over what became of the first records of a batch."""

    def batch_sent(self) -> None:
        """All records of a batch that ``poll`` returned have been handed over."""

    def tick(self) -> None:
        """Do what is due: callbacks, refusals, offset commits."""

    def pause(self) -> None:
        """The task holds still from now on."""

    def finish(self, *, failed: bool) -> None:
        """Store what can be stored; the task is about to end."""


class DispatchAbandonedError(Exception):
    """The task was told to stop while records waited for room or for their topic.

    Those records were not sent; their offsets are not stored.
    """


class TaskListener:
    """Tells a task what has become of its records; its errors change nothing, as in Connect."""

    def __init__(self, task: SourceTask, identity: TaskIdentity) -> None:
        from plugwright.task import SourceTask as Base  # noqa: PLC0415  # to compare with

        self._task = task
        self._identity = identity
        # The default does nothing, so that nobody has to be told.
        self.wants_records = type(task).commit_record is not Base.commit_record

    def committed(self) -> None:
        """Offsets were stored."""
        self._identity.enter("commit")
        try:
            self._task.commit()
        except BaseException as error:  # noqa: BLE001  # plugin code; the data is safe
            self._ignore("commit", error)
        finally:
            self._identity.enter("")

    def delivered(self, record: SourceRecord, metadata: RecordPosition | None) -> None:
        """Kafka has a record, or it was dropped on the way (KIP-779). Hot path."""
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
    """Queues records at the producer, waiting for room and for their topics.

    Args:
        creation: makes topics.
        control: ends the waiting when the task is to stop.
    """

    def __init__(
        self,
        *,
        producer: RecordProducer,
        creation: TopicCreation,
        control: TaskControl,
        identity: TaskIdentity,
        counters: TaskCounters,
    ) -> None:
        self._producer = producer
        self._creation = creation
        self._control = control
        self._identity = identity
        self._counters = counters

    def dispatch(self, outgoing: Sequence[OutgoingRecord], meanwhile: Callable[[], None]) -> None:
        """Queue records in order; waits for their topics, and for room.

        Args:
            outgoing: what to queue.
            meanwhile: called again and again while nothing can be queued.

        Raises:
            RecordRefusedError: if the client refuses a record; those before it are queued.
            ConnectError: if the producer or the admin client gives up.
            DispatchAbandonedError: if the task is to stop before all is queued.
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
        self._counters.topics.update(map(_TOPIC_OF, outgoing))

    def _make_topics(self, outgoing: Sequence[OutgoingRecord], waiting: Callable[[], None]) -> None:
        topics = {record[0] for record in outgoing}
        while True:
            try:
                self._creation.ensure(topics)
            except RetriableError as error:
                log.warning("%s: topics not made yet: %s", self._identity, error)
                waiting()
                self._control.wait(_RETRY_S)
            else:
                return


def kept(
    records: Sequence[SourceRecord], outgoing: Sequence[OutgoingRecord | None]
) -> tuple[Sequence[SourceRecord], list[OutgoingRecord], list[SourceRecord]]:
    """Records that go on their way, what goes, and the records that were left out. Hot path."""
    if all(outgoing):
        going = records[: len(outgoing)] if len(records) > len(outgoing) else records
        return going, list(outgoing), []  # type: ignore[arg-type]  # none of them is None
    pairs = list(zip(records, outgoing, strict=False))
    return (
        [record for record, out in pairs if out is not None],
        [out for out in outgoing if out is not None],
        [record for record, out in pairs if out is None],
    )
