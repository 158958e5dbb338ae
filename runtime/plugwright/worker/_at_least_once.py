"""At-least-once delivery: stores an offset once Kafka has acknowledged every record up to it."""

from __future__ import annotations

import logging
from functools import partial
from typing import TYPE_CHECKING

from plugwright.errors import ConnectError, DataError
from plugwright.logs import in_scope
from plugwright.worker._boundary import Boundary
from plugwright.worker._delivery import RecordPosition, kept
from plugwright.worker._host_protocols import RecordRefusedError, record_refused
from plugwright.worker._processing import Origin, ProcessingStage, class_name
from plugwright.worker.submitted import SubmittedRecords, stretches

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plugwright.record import SourceRecord
    from plugwright.worker._delivery import DeliveryParts, Dispatcher
    from plugwright.worker._host_protocols import (
        DeliveryCallback,
        KafkaMessage,
        OffsetStore,
        OutgoingRecord,
        RecordProducer,
        SourceOffset,
    )
    from plugwright.worker.submitted import SubmittedRun

log = logging.getLogger(__name__)


class AtLeastOnce:
    """Sends records, tracks their acknowledgements, and stores offsets at intervals.

    Args:
        parts: of the loop; its settings say how long the time between two offset commits is, and
            how long the last one waits for acknowledgements.
    """

    def __init__(
        self,
        dispatcher: Dispatcher,
        producer: RecordProducer,
        offsets: OffsetStore,
        parts: DeliveryParts,
    ) -> None:
        self._dispatcher = dispatcher
        self._producer = producer
        self._offsets = offsets
        self._handler = parts.handler
        self._listener = parts.listener
        self._identity = parts.identity
        self._counters = parts.counters
        self._observe = parts.observe
        self._clock = parts.clock
        self._flush_interval_s = parts.settings.offset_flush_interval_s
        self._flush_timeout_s = parts.settings.offset_flush_timeout_s
        self._submitted = SubmittedRecords(self._skip if self._handler.tolerates_all else None)
        self._next_run = self._submitted.prepare(None)
        self._uncommitted: dict[str, SourceOffset] = {}
        self._next_commit = self._clock() + self._flush_interval_s

    @property
    def in_flight(self) -> bool:
        """Whether acknowledgements are outstanding."""
        return self._submitted.outstanding

    def callback(self, records: Sequence[SourceRecord]) -> DeliveryCallback:
        """The callback of the first run of the batch; most batches have only one."""
        self._next_run = self._submitted.prepare(records[0].source_partition)
        return self._next_run.delivered

    def send(
        self, records: Sequence[SourceRecord], outgoing: Sequence[OutgoingRecord | None]
    ) -> None:
        """Queue the results of the first records of a batch."""
        records, going, dropped = kept(records, outgoing)
        self._tell_dropped(dropped)
        ready: list[OutgoingRecord] = []
        try:
            for begin, end in stretches(records):
                ready += self._submitted_as_run(records[begin:end], going[begin:end])
        finally:
            self._dispatch(ready)
            self._counters.now_active(self._producer.outstanding)
            self._observe(Boundary.SEND)

    def batch_sent(self) -> None:
        """Do nothing: commits do not depend on batches."""

    def tick(self) -> None:
        """Run due callbacks, raise a refusal, and store offsets if the interval has passed.

        Raises:
            ConnectError: if Kafka has refused a record and errors are not tolerated.
        """
        self._producer.serve()
        self._counters.active = self._producer.outstanding
        self._submitted.raise_refused()
        if self._clock() >= self._next_commit:
            self._commit()

    def pause(self) -> None:
        """Do nothing: offsets are still stored at their interval."""

    def finish(self, *, failed: bool) -> None:  # noqa: ARG002  # same on a failure
        """Wait for acknowledgements and store offsets, even after a failure.

        Raises:
            ConnectError: if Kafka has refused a record.
        """
        outstanding = self._producer.flush(self._flush_timeout_s)
        if outstanding:
            log.warning(
                "%s: %d records not acknowledged within %g s; they will be read again",
                self._identity,
                outstanding,
                self._flush_timeout_s,
            )
        self._commit()
        self._submitted.raise_refused()

    def _submitted_as_run(
        self, records: Sequence[SourceRecord], going: list[OutgoingRecord]
    ) -> list[OutgoingRecord]:
        """Track a run of one source partition and correct its callbacks. Hot path."""
        run, partition = self._next_run, records[0].source_partition
        provisional = not run.size and run.partition == partition
        if not provisional:
            run = self._submitted.prepare(partition)
        self._submitted.begin(run, records, going)
        if self._listener.wants_records:
            settled = partial(partial, self._settled, run)
            return [
                (*out[:-1], settled(record)) for out, record in zip(going, records, strict=True)
            ]
        if provisional:
            return going
        return [(*out[:-1], run.delivered) for out in going]

    def _dispatch(self, outgoing: list[OutgoingRecord]) -> None:
        while outgoing:
            try:
                self._dispatcher.dispatch(outgoing, self.tick)
            except RecordRefusedError as error:
                if not self._handler.tolerates_all:
                    raise
                refused = outgoing[error.sent]
                refused[-1](error.reason, _Unsent(refused))
                outgoing = outgoing[error.sent + 1 :]
            else:
                return

    def _settled(
        self, run: SubmittedRun, record: SourceRecord, error: object | None, message: KafkaMessage
    ) -> None:
        """Handle the acknowledgement of a record whose task asks for it."""
        run.delivered(error, message)
        if error is None:
            place = RecordPosition(message.topic(), message.partition(), message.offset())
            self._listener.delivered(record, place)

    def _skip(self, run: SubmittedRun, error: object, message: KafkaMessage) -> None:
        """Skip a refused record: it counts as delivered, so that its offset advances."""
        record = run.take(message)
        self._handler.failed(
            Origin(record=record),
            ProcessingStage.KAFKA_PRODUCE,
            class_name(type(self)),
            record_refused(message.topic(), error),
        )
        run.delivered(None, message)  # after the checks: a record that fails the task is read again
        if record is not None:
            self._tell_dropped([record])

    def _tell_dropped(self, records: Sequence[SourceRecord]) -> None:
        """Report dropped records to the task without metadata (KIP-779); they advance no offset."""
        if self._listener.wants_records:
            for record in records:
                self._listener.delivered(record, None)

    def _commit(self) -> None:
        with in_scope("offsets"):
            self._store_offsets()

    def _store_offsets(self) -> None:
        """Store every offset that is due, and notify the task.

        Offsets that could not be stored stay pending until the next time, the newest for each
        source partition.
        """
        self._next_commit = self._clock() + self._flush_interval_s
        self._uncommitted.update(self._submitted.take_committable())
        self._observe(Boundary.OFFSET_STORE_ENTER)
        began = self._clock()
        try:
            if self._uncommitted:
                self._offsets.store(list(self._uncommitted.values()))
        except DataError:
            raise  # a retry would find the same offsets
        except ConnectError as error:
            self._counters.commit_failures += 1
            log.warning("%s: offsets not stored, will be retried: %s", self._identity, error)
            return
        self._uncommitted = {}
        self._observe(Boundary.OFFSET_STORE_RETURN)
        self._listener.committed()
        self._counters.commits += 1
        self._counters.commit_ms.add((self._clock() - began) * 1000)
        self._observe(Boundary.COMMIT)


class _Unsent:
    """A record that was never sent, in the form of a message."""

    def __init__(self, outgoing: OutgoingRecord) -> None:
        self.topic = lambda: outgoing[0]
        self.partition = lambda: -1
        self.offset = lambda: -1
        self.key = lambda: outgoing[2]
        self.value = lambda: outgoing[3]
        self.headers = lambda: outgoing[4]
        self.timestamp = lambda: (0, -1)
