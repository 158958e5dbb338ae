"""A producer that is created on first use, for tasks that seldom need one."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from plugwright.worker import OutgoingRecord, RecordProducer


class LazyProducer:
    """The producer of a dead-letter queue in a task that lives for one batch.

    Args:
        make: creates the producer, whose owner closes it.
    """

    def __init__(self, make: Callable[[], RecordProducer]) -> None:
        self._make = make
        self._made: RecordProducer | None = None

    def send(self, batch: Sequence[OutgoingRecord]) -> None:
        """Queue a batch in order; not thread-safe.

        Raises:
            ConnectError: if the producer cannot be created, or refuses a record.
        """
        if self._made is None:
            self._made = self._make()
        self._made.send(batch)

    def when_full(self, call: Callable[[], None]) -> None:
        """Do nothing: the queue's producer waits by itself."""

    def serve(self) -> None:
        """Run the due callbacks, if the producer exists."""
        if self._made is not None:
            self._made.serve()

    def flush(self, timeout_s: float) -> int:
        """Wait for outstanding records; returns how many remain outstanding."""
        return 0 if self._made is None else self._made.flush(timeout_s)

    @property
    def outstanding(self) -> int:
        """The approximate number of records that Kafka has not acknowledged yet."""
        return 0 if self._made is None else self._made.outstanding

    def close(self) -> None:
        """Do nothing: the owner of the producer closes it."""
