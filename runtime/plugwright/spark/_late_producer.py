"""A producer that is made when it is first needed, for tasks that seldom need one."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from plugwright.worker import OutgoingRecord, RecordProducer


class LateProducer:
    """The producer of a dead-letter queue in a task that lives for one batch only.

    Args:
        make: makes the producer, whose owner closes it.
    """

    def __init__(self, make: Callable[[], RecordProducer]) -> None:
        self._make = make
        self._made: RecordProducer | None = None

    def send(self, batch: Sequence[OutgoingRecord]) -> None:
        """Queue a batch in order; not on two threads at once.

        Raises:
            ConnectError: if the producer cannot be made, or refuses a record.
        """
        if self._made is None:
            self._made = self._make()
        self._made.send(batch)

    def when_full(self, call: Callable[[], None]) -> None:
        """Nothing: the queue's producer waits by itself."""

    def serve(self) -> None:
        """Run the callbacks that are due, if there can be any."""
        if self._made is not None:
            self._made.serve()

    def flush(self, timeout_s: float) -> int:
        """Wait for outstanding records; how many are still outstanding."""
        return 0 if self._made is None else self._made.flush(timeout_s)

    @property
    def outstanding(self) -> int:
        """How many records Kafka has not acknowledged yet, about."""
        return 0 if self._made is None else self._made.outstanding

    def close(self) -> None:
        """Nothing: the owner of the producer closes it."""
