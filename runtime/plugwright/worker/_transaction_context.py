"""Where a source task wants its transactions to end (KIP-618)."""

from __future__ import annotations

import threading
from enum import Enum
from typing import TYPE_CHECKING

from plugwright.errors import IllegalWorkerStateError

if TYPE_CHECKING:
    from plugwright.record import SourceRecord


class Wish(Enum):
    """What is to become of a transaction at some point."""

    COMMIT = "commit"
    ABORT = "abort"


class LoopTransactionContext:
    """The transaction context: collects a task's wishes until the loop fulfils them.

    A record is meant by identity. Wishes may come from any of the task's threads.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._batch: set[Wish] = set()
        self._records: dict[int, tuple[SourceRecord, set[Wish]]] = {}

    def commit_transaction(self, record: SourceRecord | None = None) -> None:
        """Commit after this record, or after the batch being returned."""
        self._note(Wish.COMMIT, record)

    def abort_transaction(self, record: SourceRecord | None = None) -> None:
        """Abort after this record, or after the batch being returned."""
        self._note(Wish.ABORT, record)

    @property
    def concerns_records(self) -> bool:
        """Whether a wish about a single record is open."""
        return bool(self._records)

    def take_batch(self) -> Wish | None:
        """The wish for the end of the batch, once.

        Raises:
            IllegalWorkerStateError: if the task wants both.
        """
        with self._lock:
            wishes, self._batch = self._batch, set()
        return _only(wishes, "transaction")

    def take_record(self, record: SourceRecord) -> Wish | None:
        """The wish for what follows this record, once.

        Raises:
            IllegalWorkerStateError: if the task wants both.
        """
        with self._lock:
            _, wishes = self._records.pop(id(record), (record, set()))
        return _only(wishes, "record")

    def _note(self, wish: Wish, record: SourceRecord | None) -> None:
        with self._lock:
            if record is None:
                self._batch.add(wish)
            else:
                # The record is kept as well, so that its identity stays its own.
                self._records.setdefault(id(record), (record, set()))[1].add(wish)


def _only(wishes: set[Wish], what: str) -> Wish | None:
    if len(wishes) > 1:
        raise IllegalWorkerStateError(
            f"Connector requested both commit and abort of same {what}",
            code="transaction.contradiction",
            hint="ask the transaction context for one of the two",
        )
    return next(iter(wishes), None)
