"""The life of a source task: poll, convert, produce, and store offsets once Kafka has the records.

Follows Kafka Connect's worker for at-least-once sources: an offset is stored only when every record
up to it was acknowledged, and a stop stores what can be stored.
"""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from plugwright.errors import ConnectError, DataError, RetriableError
from plugwright.task import SourceTask
from plugwright.worker._boundary import Boundary, unobserved
from plugwright.worker._counters import TaskCounters
from plugwright.worker._steps import attempt, first_of
from plugwright.worker._submitted import Run, SubmittedRecords

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from plugwright.record import SourceRecord
    from plugwright.task import TransactionContext
    from plugwright.worker._boundary import BoundaryObserver
    from plugwright.worker._codec import RecordCodec
    from plugwright.worker._control import TaskControl
    from plugwright.worker._identity import TaskIdentity
    from plugwright.worker._seams import (
        DeliveryCallback,
        KafkaMessage,
        OffsetStore,
        RecordProducer,
        StatusListener,
    )

__all__ = ["SourceSettings", "SourceTaskLoop"]

_BATCH = 500  # small batches stay in the processor's cache; larger ones measured slower
_IDLE_S = 0.1

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class SourceSettings:
    """The worker settings that a source loop obeys, in seconds."""

    offset_flush_interval_s: float = 60.0
    offset_flush_timeout_s: float = 5.0


class _Metadata(NamedTuple):
    topic: str
    partition: int
    offset: int


@dataclass(frozen=True, slots=True)
class _Context:
    """What the task sees of the runtime."""

    configs: Mapping[str, str]
    _store: OffsetStore
    transaction_context: TransactionContext | None = None

    @property
    def offset_storage_reader(self) -> _Context:
        return self

    def offset(self, partition: Mapping[str, Any]) -> Mapping[str, Any] | None:
        return self._store.offset(partition)

    def offsets(
        self, partitions: Iterable[Mapping[str, Any]]
    ) -> Sequence[tuple[Mapping[str, Any], Mapping[str, Any] | None]]:
        return [(partition, self._store.offset(partition)) for partition in partitions]


class SourceTaskLoop:
    """Runs one source task until its control says stop.

    Args:
        task: the plugin's task, fresh.
        identity: names the task in errors.
        configs: the task's configuration.
        codec: the converters.
        transform: changes or drops each record before it is converted; none by default.
        prepare: is shown each batch before its records are transformed and converted one by one,
            for codecs that work through a batch at once; none by default.
        producer: takes the records; served on this thread only.
        offsets: where offsets are read and stored.
        control: the target state.
        status: hears of running, paused, failed, stopped.
    """

    def __init__(  # noqa: PLR0913  # the seams of the loop, all named at the call
        self,
        task: SourceTask,
        *,
        identity: TaskIdentity,
        configs: Mapping[str, str],
        codec: RecordCodec,
        producer: RecordProducer,
        offsets: OffsetStore,
        control: TaskControl,
        status: StatusListener,
        transform: Callable[[SourceRecord], SourceRecord | None] | None = None,
        prepare: Callable[[Sequence[SourceRecord]], None] | None = None,
        settings: SourceSettings | None = None,
        observer: BoundaryObserver = unobserved,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.counters = TaskCounters()
        self._task = task
        self._identity = identity
        self._configs = configs
        self._encode = codec.encode
        self._transform = transform
        self._prepare = prepare
        self._producer = producer
        self._offsets = offsets
        self._control = control
        self._status = status
        self._settings = settings or SourceSettings()
        self._observe = observer
        self._clock = clock
        self._submitted = SubmittedRecords()
        self._uncommitted: dict[str, tuple[Mapping[str, Any], Mapping[str, Any] | None]] = {}
        self._next_commit = clock() + self._settings.offset_flush_interval_s
        self._wants_acknowledgements = (
            type(task).commit_record is not SourceTask.commit_record  # the default does nothing
        )

    def run(self) -> None:
        """Run the task to its end. Never raises: the status listener hears of an error."""
        failure = attempt(self._start)
        if failure is None:
            failure = attempt(self._work)
        # Connect stops whatever it has begun to start, so that nothing half-open stays behind.
        failure = first_of(failure, attempt(self._stop))
        if failure is None:
            self._status.stopped()
        else:
            self._status.failed(failure)

    def _start(self) -> None:
        self._observe(Boundary.START)
        with self._identity.calling("initialize"):
            self._task.initialize(_Context(self._configs, self._offsets))
        with self._identity.calling("start"):
            self._task.start(self._configs)
        self._status.running()

    def _work(self) -> None:
        try:
            while not self._control.stopping:
                if self._control.paused:
                    self._hold()
                elif records := self._poll():
                    self._send(records)
                self._producer.serve()
                self._submitted.raise_refused()
                if self._clock() >= self._next_commit:
                    self._commit()
        except Exception:
            # Records before the failure are in Kafka: their offsets are stored all the same.
            attempt(self._final_commit)
            raise
        self._final_commit()

    def _hold(self) -> None:
        self._status.paused()
        while self._control.paused and not self._control.stopping:
            self._producer.serve()
            self._submitted.raise_refused()
            if self._clock() >= self._next_commit:
                self._commit()
            self._control.wait(_IDLE_S)
        if not self._control.stopping:
            self._status.running()

    def _poll(self) -> list[SourceRecord] | None:
        self._observe(Boundary.POLL_ENTER)
        try:
            with self._identity.calling("poll"):
                records = _as_list(self._task.poll())
        except RetriableError as error:
            log.warning("%s: poll will be repeated: %s", self._identity, error)
            self.counters.retries += 1
            self._control.wait(_IDLE_S)
            return None
        self._observe(Boundary.POLL_RETURN)
        return records

    def _send(self, records: Sequence[SourceRecord]) -> None:
        for start in range(0, len(records), _BATCH):
            self._send_batch(records[start : start + _BATCH])
        self.counters.batches += 1

    def _send_batch(self, records: Sequence[SourceRecord]) -> None:
        """Transform, convert and queue one batch, up to a record that cannot be.

        Hot path: its loop runs once per record.
        """
        if self._prepare is not None:
            self._prepare(records)
        encode, transform = self._encode, self._transform
        outgoing = []
        run: Run | None = None
        try:
            for record in records:
                changed = record if transform is None else transform(record)
                if changed is None:
                    self._dropped(record)
                    continue
                partition = record.source_partition
                if run is None or (partition is not run.partition and partition != run.partition):
                    run = self._submitted.begin(partition)
                    delivered: DeliveryCallback = run.delivered
                callback = (
                    self._acknowledging(run, record) if self._wants_acknowledgements else delivered
                )
                outgoing.append(encode(changed, callback))
                run.offset = record.source_offset
                run.outstanding += 1
        finally:
            if run is not None and not run.outstanding:
                self._submitted.withdraw(run)
            self._producer.send(outgoing)
            self.counters.records += len(outgoing)
            self._observe(Boundary.SEND)

    def _acknowledging(self, run: Run, record: SourceRecord) -> DeliveryCallback:
        def delivered(error: object | None, message: KafkaMessage) -> None:
            run.delivered(error, message)
            if error is None:
                metadata = _Metadata(message.topic(), message.partition(), message.offset())
                self._tell("commit_record", lambda: self._task.commit_record(record, metadata))

        return delivered

    def _dropped(self, record: SourceRecord) -> None:
        """A dropped record moves no offset; the task hears of it without metadata (KIP-779)."""
        if self._wants_acknowledgements:
            self._tell("commit_record", lambda: self._task.commit_record(record, None))

    def _tell(self, phase: str, call: Callable[[], None]) -> None:
        """Tell the task what is done already; as in Connect, its errors change nothing."""
        try:
            with self._identity.calling(phase):
                call()
        except ConnectError as error:
            log.warning("%s: ignored: %s", self._identity, error, exc_info=True)

    def _commit(self) -> None:
        """Store every offset that may be stored, and tell the task.

        Offsets that could not be stored stay pending for the next time, the newest of each
        source partition.
        """
        self._next_commit = self._clock() + self._settings.offset_flush_interval_s
        self._uncommitted.update(self._submitted.take_committable())
        self._observe(Boundary.OFFSET_STORE_ENTER)
        try:
            if self._uncommitted:
                self._offsets.store(list(self._uncommitted.values()))
        except DataError:
            raise  # a later try would find the same offsets
        except ConnectError as error:
            self.counters.commit_failures += 1
            log.warning("%s: offsets not stored, will be tried again: %s", self._identity, error)
            return
        self._uncommitted = {}
        self._observe(Boundary.OFFSET_STORE_RETURN)
        self._tell("commit", self._task.commit)
        self.counters.commits += 1
        self._observe(Boundary.COMMIT)

    def _final_commit(self) -> None:
        outstanding = self._producer.flush(self._settings.offset_flush_timeout_s)
        if outstanding:
            log.warning(
                "%s: %d records not acknowledged within %g s; they will be read again",
                self._identity,
                outstanding,
                self._settings.offset_flush_timeout_s,
            )
        self._commit()
        self._submitted.raise_refused()

    def _stop(self) -> None:
        self._observe(Boundary.STOP)
        with self._identity.calling("stop"):
            self._task.stop()


def _as_list(records: Iterable[SourceRecord] | None) -> list[SourceRecord] | None:
    if records is None or isinstance(records, list):
        return records
    return list(records)
