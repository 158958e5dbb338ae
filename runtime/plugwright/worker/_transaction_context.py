"""The transaction context of a source task (KIP-618)."""

from __future__ import annotations

import threading
from enum import Enum
from typing import TYPE_CHECKING

from plugwright.errors import IllegalWorkerStateError

if TYPE_CHECKING:
    from plugwright.record import SourceRecord


class TransactionRequest(Enum):
    """The requested end of a transaction."""

    COMMIT = "commit"
    ABORT = "abort"


class LoopTransactionContext:
    """The transaction context: collects a task's requests until the loop handles them.

    Records are compared by identity. Requests may come from any of the task's threads.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._batch: set[TransactionRequest] = set()
        self._records: dict[int, tuple[SourceRecord, set[TransactionRequest]]] = {}

    def commit_transaction(self, record: SourceRecord | None = None) -> None:
        """Commit after this record, or after the batch being returned."""
        self._note(TransactionRequest.COMMIT, record)

    def abort_transaction(self, record: SourceRecord | None = None) -> None:
        """Abort after this record, or after the batch being returned."""
        self._note(TransactionRequest.ABORT, record)

    @property
    def concerns_records(self) -> bool:
        """Whether a request for a single record is pending."""
        return bool(self._records)

    def take_batch(self) -> TransactionRequest | None:
        """Take the request for the end of the batch.

        Raises:
            IllegalWorkerStateError: if the task requested both.
        """
        with self._lock:
            requests, self._batch = self._batch, set()
        return _only(requests, "transaction")

    def take_record(self, record: SourceRecord) -> TransactionRequest | None:
        """Take the request for the point after this record.

        Raises:
            IllegalWorkerStateError: if the task requested both.
        """
        with self._lock:
            _, requests = self._records.pop(id(record), (record, set()))
        return _only(requests, "record")

    def _note(self, request: TransactionRequest, record: SourceRecord | None) -> None:
        with self._lock:
            if record is None:
                self._batch.add(request)
            else:
                # The record is kept too, so that its id is not reused.
                self._records.setdefault(id(record), (record, set()))[1].add(request)


def _only(requests: set[TransactionRequest], what: str) -> TransactionRequest | None:
    if len(requests) > 1:
        raise IllegalWorkerStateError(
            f"Connector requested both commit and abort of same {what}",
            code="transaction.contradiction",
            hint="request only one of the two from the transaction context",
        )
    return next(iter(requests), None)
