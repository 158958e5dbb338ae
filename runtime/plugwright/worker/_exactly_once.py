"""Exactly-once delivery: commits records and their offsets in one transaction (KIP-618)."""

from __future__ import annotations

import logging
from functools import partial
from typing import TYPE_CHECKING

from plugwright.errors import ConnectError
from plugwright.task import TransactionBoundary
from plugwright.worker._boundary import Boundary
from plugwright.worker._delivery import RecordPosition, kept
from plugwright.worker._host_protocols import record_refused
from plugwright.worker._steps import attempt, first_of
from plugwright.worker._transaction_context import TransactionRequest
from plugwright.worker.submitted import partition_key, stretches

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plugwright.record import SourceRecord
    from plugwright.worker._delivery import DeliveryParts, Dispatcher
    from plugwright.worker._host_protocols import (
        DeliveryCallback,
        KafkaMessage,
        OutgoingRecord,
        SourceOffset,
        TransactionalProducer,
    )

log = logging.getLogger(__name__)


class ExactlyOnce:
    """Sends records in transactions that end at the boundaries that the connector configures.

    A failing task aborts its open transaction, whose records its successor reads again.

    Args:
        parts: of the loop; its settings say where transactions end, and how long the time between
            commits is for the boundary ``interval``. The task's requests are for the boundary
            ``connector``.
    """

    def __init__(
        self, dispatcher: Dispatcher, producer: TransactionalProducer, parts: DeliveryParts
    ) -> None:
        self._dispatcher = dispatcher
        self._producer = producer
        self._listener = parts.listener
        self._identity = parts.identity
        self._counters = parts.counters
        self._observe = parts.observe
        self._clock = parts.clock
        self._boundary = parts.settings.boundary
        self._interval_s = parts.settings.commit_interval_s
        self._requests = parts.requests
        self._next_commit = self._clock() + self._interval_s
        self._open = False
        self._size = 0  # records in the open transaction
        self._torn = False  # the open transaction contains records whose offsets are unknown
        self._aborting = False
        self._offsets: dict[str, SourceOffset] = {}
        self._answered: list[tuple[SourceRecord, RecordPosition | None]] = []
        self._refusal: ConnectError | None = None
        self._given_up = False  # records were not sent, because the transaction had already failed

    @property
    def in_flight(self) -> bool:
        """Whether a transaction is open."""
        return self._open

    def callback(self, records: Sequence[SourceRecord]) -> DeliveryCallback:  # noqa: ARG002  # the same for all
        """The callback that records a refusal."""
        return self._judged

    def send(
        self, records: Sequence[SourceRecord], outgoing: Sequence[OutgoingRecord | None]
    ) -> None:
        """Send the results of the first records of a batch, ending transactions as requested."""
        begin, count = 0, len(outgoing)
        if self._boundary is TransactionBoundary.CONNECTOR and self._requests.concerns_records:
            for index in range(count):
                if (request := self._requests.take_record(records[index])) is not None:
                    self._send(records[begin : index + 1], outgoing[begin : index + 1])
                    self._end_as_requested(request)
                    begin = index + 1
        self._send(records[begin:count], outgoing[begin:count])
        self._counters.now_active(self._producer.outstanding)
        self._observe(Boundary.SEND)

    def batch_sent(self) -> None:
        """End the transaction if the boundary is the batch, which may have no records.

        Raises:
            ConnectError: if it cannot be committed.
        """
        if self._boundary is TransactionBoundary.POLL:
            if self._open or self._offsets or self._answered:
                self._commit()
            else:
                self._listener.committed()  # Kafka Connect calls it after each poll
        elif self._boundary is TransactionBoundary.CONNECTOR:
            self._end_as_requested(self._requests.take_batch())

    def tick(self) -> None:
        """Run due callbacks, raise a refusal, and commit if the interval has passed.

        Raises:
            ConnectError: if Kafka has refused a record, or the transaction cannot be committed.
        """
        self._serve()
        if self._boundary is TransactionBoundary.INTERVAL and self._clock() >= self._next_commit:
            self._commit()

    def pause(self) -> None:
        """Commit the open transaction, so that it does not time out while the task is paused.

        A transaction that the connector itself ends stays open until then.
        """
        if self._boundary is TransactionBoundary.CONNECTOR:
            self._end_as_requested(self._requests.take_batch())
        else:
            self._commit()

    def finish(self, *, failed: bool) -> None:
        """Commit the open transaction; abort it if it failed or the connector decides its end.

        Raises:
            ConnectError: if the transaction cannot be committed.
        """
        failure = None if failed or self._torn else attempt(self.pause)
        self._offsets = {}  # the offsets of aborted records must never be stored
        if self._open:
            failure = first_of(failure, attempt(self._abort))
        if failure is not None:
            raise failure

    def _send(
        self, records: Sequence[SourceRecord], outgoing: Sequence[OutgoingRecord | None]
    ) -> None:
        records, going, dropped = kept(records, outgoing)
        if self._listener.wants_records:
            self._answered += [(record, None) for record in dropped]
            going = [
                (*out[:-1], partial(self._delivered, record))
                for out, record in zip(going, records, strict=True)
            ]
        if not going:
            return
        self._refuse_own_offsets(going)
        self._begin()
        self._torn = True
        self._size += len(going)
        self._dispatcher.dispatch(going, self._serve)
        for _, end in stretches(records):
            self._remember(records[end - 1])
        self._torn = False

    def _judged(self, error: object | None, message: KafkaMessage) -> None:
        if error is None or self._aborting:
            return
        if self._producer.gave_up(error):
            self._given_up = True
        else:
            self._refusal = self._refusal or record_refused(message.topic(), error)

    def _delivered(self, record: SourceRecord, error: object | None, message: KafkaMessage) -> None:
        self._judged(error, message)
        if error is None:
            position = RecordPosition(message.topic(), message.partition(), message.offset())
            self._answered.append((record, position))

    def _remember(self, record: SourceRecord) -> None:
        key = partition_key(record.source_partition)
        if record.source_partition is not None:
            self._offsets[key] = (record.source_partition, record.source_offset)

    def _refuse_own_offsets(self, going: Sequence[OutgoingRecord]) -> None:
        """Reject records for the offsets topic, which could never be read to its end meanwhile."""
        own = self._producer.offsets_topic
        if own in {out[0] for out in going}:
            raise ConnectError(
                "Source tasks may not produce to their own offsets topics when exactly-once "
                "support is enabled",
                code="transaction.own-offsets-topic",
                hint="write to another topic, or give the connector an offsets.storage.topic",
                facts={"topic": own},
            )

    def _begin(self) -> None:
        if not self._open:
            self._producer.begin()
            self._open = True

    def _serve(self) -> None:
        self._producer.serve()
        self._counters.active = self._producer.outstanding
        if self._refusal is not None:
            raise self._refusal
        if self._given_up:
            raise self._producer.failure()

    def _commit_open(self) -> None:
        """Commit; a refused record is reported in preference to the failure of the transaction.

        Raises:
            ConnectError: if the transaction cannot be committed.
        """
        try:
            self._producer.commit(list(self._offsets.values()))
        except ConnectError as error:
            if self._refusal is None or error.code != "transaction.failed":
                raise
            raise self._refusal from error

    def _end_as_requested(self, request: TransactionRequest | None) -> None:
        if request is TransactionRequest.ABORT:
            log.info("%s: aborting a transaction at the connector's request", self._identity)
            if self._open:
                self._abort()
        if request is not None:
            self._commit()  # after an abort, the offsets alone, so that nothing is read again

    def _commit(self) -> None:
        """Commit the open transaction with its offsets, then notify the task."""
        began = self._clock()
        self._next_commit = began + self._interval_s
        if self._open or self._offsets:
            self._begin()
            self._observe(Boundary.OFFSET_STORE_ENTER)
            self._commit_open()
            self._counters.transaction_size.add(self._size)
            self._open, self._offsets, self._size = False, {}, 0
            self._observe(Boundary.OFFSET_STORE_RETURN)
        self._counters.commit_ms.add((self._clock() - began) * 1000)
        answered, self._answered = self._answered, []
        for record, position in answered:
            self._listener.delivered(record, position)
        self._listener.committed()
        self._counters.commits += 1
        self._observe(Boundary.COMMIT)

    def _abort(self) -> None:
        """Abort the open transaction; its records are not confirmed to the task."""
        self._aborting, self._size = True, 0
        try:
            self._producer.abort()
        finally:
            self._aborting = self._open = False
            self._answered = []  # the producer has served its callbacks meanwhile
