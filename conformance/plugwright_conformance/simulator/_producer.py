"""The simulated producers: a client queue, a broker, individual acknowledgements.

A record takes three steps, and a crash may come between any two: it waits in the client, it is in
the log, its acknowledgement has been served.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from plugwright.errors import ConnectError
from plugwright.worker import RecordRefusedError
from plugwright_conformance.simulator._errors import Refusal
from plugwright_conformance.simulator._message import SimulatedMessage

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from plugwright.worker import OutgoingRecord, SourceOffset
    from plugwright_conformance.simulator._kafka import SimulatedKafka
    from plugwright_conformance.simulator._log import Stored
    from plugwright_conformance.simulator._offsets import SimulatedOffsetStore
    from plugwright_conformance.simulator._recorder import Recorder
    from plugwright_conformance.simulator._transactions import ProducerSession


class SimulatedProducer:
    """A producer that waits for all acknowledgements (``acks=all``).

    Args:
        kafka: takes the records.
        recorder: records what happens.
        name: begins the names of its events.
        room: how many records the client holds before `send` has to wait.
    """

    def __init__(
        self,
        kafka: SimulatedKafka,
        recorder: Recorder,
        *,
        name: str = "produce",
        room: int = 100_000,
    ) -> None:
        self._kafka = kafka
        self._recorder = recorder
        self._name = name
        self._room = room
        self._waiting: deque[OutgoingRecord] = deque()
        self._stored: deque[tuple[OutgoingRecord, Stored]] = deque()
        self._session: ProducerSession | None = None
        self._when_full: Callable[[], None] = _patience
        self._outages = 0

    def send(self, batch: Sequence[OutgoingRecord]) -> None:
        """Queue a batch in order; waits while the queue is full."""
        for index, record in enumerate(batch):
            while len(self._waiting) + len(self._stored) >= self._room:
                self._serve_some()
                self._when_full()
            if record[1] is not None and not self._has_partition(record[0], record[1]):
                raise RecordRefusedError(
                    f"a record for topic {record[0]} was not accepted: _UNKNOWN_PARTITION",
                    sent=index,
                    topic=record[0],
                    reason="_UNKNOWN_PARTITION",
                )
            self._waiting.append(record)

    def when_full(self, call: Callable[[], None]) -> None:
        """A function called repeatedly while `send` waits."""
        self._when_full = call

    def hold(self, serves: int) -> None:
        """Let the broker be out of reach for so many attempts; records wait meanwhile."""
        self._outages += serves

    def serve(self) -> None:
        """Run the callbacks that are due; then pass on what waits."""
        self._acknowledge()
        if self._outages:
            self._outages -= 1
            return
        self._pass_on()

    def flush(self, timeout_s: float) -> int:
        """Wait for outstanding records, running callbacks; how many are still outstanding."""
        if self._outages:
            self._outages -= 1
            self._kafka.clock.advance(timeout_s)
        else:
            self._pass_on()
        self._acknowledge()
        return self.outstanding

    @property
    def outstanding(self) -> int:
        """How many records have not been acknowledged."""
        return len(self._waiting) + len(self._stored)

    def close(self) -> None:
        """Abandon what is outstanding."""
        self._waiting.clear()
        self._stored.clear()

    def _serve_some(self) -> None:
        self.serve()
        self._kafka.clock.advance(0.05)

    def _has_partition(self, topic: str, partition: int) -> bool:
        return partition < self._kafka.partitions().get(topic, partition + 1)

    def _pass_on(self) -> None:
        while self._waiting:
            record = self._waiting.popleft()
            topic, partition, key, value, headers, timestamp, _ = record
            try:
                stored = self._kafka.produce(
                    topic,
                    value,
                    key=key,
                    partition=partition,
                    headers=headers or (),
                    timestamp=timestamp,
                    session=self._session,
                )
            except Refusal as refusal:
                self._refused(record, refusal)
                continue
            self._stored.append((record, stored))
            self._recorder.event(f"{self._name}.append")

    def _refused(self, record: OutgoingRecord, refusal: Refusal) -> None:
        record[-1](refusal.name, _Unsent(record))

    def _acknowledge(self) -> None:
        while self._stored:
            record, stored = self._stored.popleft()
            record[-1](None, SimulatedMessage(stored))
            self._recorder.event(f"{self._name}.acknowledge")


class PromptProducer(SimulatedProducer):
    """A producer that delivers at once, for the dead-letter queue."""

    def send(self, batch: Sequence[OutgoingRecord]) -> None:
        """Queue a batch, pass it on, acknowledge it."""
        super().send(batch)
        super().flush(0)


class LateProducer(SimulatedProducer):
    """A producer that delivers when a caller waits for it, for a slow dead-letter queue."""

    def arrive(self) -> None:
        """Pass on what waits, and acknowledge it."""
        super().flush(0)


class SimulatedTransactions(SimulatedProducer):
    """The transactional producer of an exactly-once source task (KIP-618).

    Making one fences every earlier one of the same id and aborts what that left open.
    """

    def __init__(
        self,
        kafka: SimulatedKafka,
        recorder: Recorder,
        transactional_id: str,
        open_offsets: Callable[[], SimulatedOffsetStore],
    ) -> None:
        super().__init__(kafka, recorder)
        self._id = transactional_id
        self._own = kafka.transactions.init(transactional_id)
        self.offsets = open_offsets()
        recorder.event("transaction.init")

    @property
    def offsets_topic(self) -> str:
        """Where offsets go."""
        return self.offsets.topic

    def begin(self) -> None:
        """Begin a transaction; the first record registers it at the broker."""
        self._session = self._own
        self._recorder.event("transaction.begin")

    def commit(self, offsets: Sequence[SourceOffset]) -> None:
        """Write offsets into the open transaction and commit it.

        Raises:
            DataError: if a partition or an offset is not a flat map of plain values.
            ConnectError: if a newer task has fenced this one.
        """
        messages = self.offsets.serialized(offsets)
        self.send([(self.offsets_topic, 0, k, v, None, None, _nobody) for k, v in messages])
        self.flush(0)
        self._recorder.event("transaction.commit.enter")
        self._guarded(self._kafka.transactions.commit)
        self._session = None
        self._recorder.event("transaction.commit.return")
        self.offsets.stored(offsets)

    def abort(self) -> None:
        """Make sure that nothing of the open transaction will ever be visible."""
        self._waiting.clear()
        self._stored.clear()
        self._recorder.event("transaction.abort.enter")
        self._guarded(self._kafka.transactions.abort)
        self._session = None
        self._recorder.event("transaction.abort.return")

    def gave_up(self, error: object) -> bool:  # noqa: ARG002  # the same for all
        """No error means that: each record is passed on, and the broker answers it."""
        return False

    def failure(self) -> ConnectError:
        """Nobody asks for it, because no record is given up."""
        raise AssertionError("no record was given up")

    def _guarded(self, call: Callable[[ProducerSession], None]) -> None:
        try:
            call(self._own)
        except Refusal as refusal:
            raise ConnectError(
                f"the transaction cannot be ended: {refusal.name}", code="transaction.fenced"
            ) from refusal


class _Unsent:
    """A record that was never sent, as a message."""

    def __init__(self, record: OutgoingRecord) -> None:
        self._record = record

    def topic(self) -> str:
        return self._record[0]

    def partition(self) -> int:
        return -1

    def offset(self) -> int:
        return -1

    def key(self) -> bytes | None:
        return self._record[2]

    def value(self) -> bytes | None:
        return self._record[3]

    def timestamp(self) -> tuple[int, int]:
        return (0, -1)

    def headers(self) -> list[tuple[str, bytes | None]] | None:
        return self._record[4]


def _patience() -> None:
    """Wait as long as it takes."""


def _nobody(_: object | None, __: object) -> None:
    """Committing fails if an offset record does."""
