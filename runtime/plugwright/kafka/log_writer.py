"""Writes entries of an internal topic in transactions; a failed one does not affect the next."""

from __future__ import annotations

import threading
from contextlib import suppress
from typing import TYPE_CHECKING

from confluent_kafka import KafkaError, KafkaException

from plugwright.errors import ConnectError
from plugwright.kafka._timeouts import KafkaTimeouts
from plugwright.worker import right_hint

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from confluent_kafka import Message, Producer

_REQUEST_S = 15.0
_CHECK_S = 0.5
_LEAST_S = 0.1
_FENCED = frozenset(
    {
        KafkaError._FENCED,  # noqa: SLF001  # the client's own name
        KafkaError._FATAL,  # noqa: SLF001  # a fatal error that it has reported before
        KafkaError.PRODUCER_FENCED,
        KafkaError.INVALID_PRODUCER_EPOCH,
    }
)
WRITER_GONE = frozenset({"kafka.fenced", "kafka.writer-broken"})
"""Codes of errors after which a producer cannot write and must be replaced."""


class LogWriter:
    """A transactional producer, for one transaction at a time.

    A failed transaction is aborted, and a commit that took too long is continued: at once if there
    is time, otherwise before the next transaction. A fenced or broken producer fails every call
    and must be replaced.

    Args:
        topic: the topic of the entries.
        producer: a producer with a transactional id and initialized transactions.
        timeouts: limits the waits, also while the worker stops.
    """

    def __init__(
        self, topic: str, producer: Producer, timeouts: KafkaTimeouts | None = None
    ) -> None:
        self._topic = topic
        self._producer = producer
        self._timeouts = timeouts or KafkaTimeouts()
        self._lock = threading.Lock()
        self._unfinished: Callable[[float], None] | None = None
        self._gone = False

    @property
    def gone(self) -> bool:
        """Whether the producer cannot write any more."""
        return self._gone

    def send(self, entries: Sequence[tuple[str, bytes | None]]) -> dict[int, int]:
        """Write entries in one transaction; returns the offset behind them in each partition.

        Raises:
            ConnectError: if they were not acknowledged (``kafka.unwritable``), another process has
                taken over (``kafka.fenced``), or the client cannot continue
                (``kafka.writer-broken``).
        """
        with self._lock:
            try:
                self._finish()
                return self._transact(entries)
            except ConnectError as error:
                self._gone = self._gone or error.code in WRITER_GONE
                raise

    def close(self) -> None:
        """Drop outstanding entries; Kafka aborts a transaction that is not ended."""
        with suppress(KafkaException):  # of a client that has already failed
            self._producer.purge()
            self._producer.flush(1)

    def _transact(self, entries: Sequence[tuple[str, bytes | None]]) -> dict[int, int]:
        try:
            self._producer.begin_transaction()
        except KafkaException as error:
            raise unwritable(self._topic, error.args[0], final=True) from error
        self._unfinished = self._producer.abort_transaction
        try:
            ends = deliver(self._producer, self._topic, entries, self._timeouts)
        except ConnectError as error:
            self._abort(error)
            raise
        self._unfinished = self._producer.commit_transaction
        self._finish()
        return ends

    def _abort(self, error: ConnectError) -> None:
        """Abort a failed transaction; if that takes too long, the next one tries again.

        Raises:
            ConnectError: if the producer cannot write any more.
        """
        try:
            self._finish()
        except ConnectError as refusal:
            if refusal.code in WRITER_GONE:
                raise refusal from error

    def _finish(self) -> None:
        """Continue the commit or abort of the open transaction.

        The client requires that a commit or abort that timed out is called again.
        """
        wait = self._timeouts.wait(_REQUEST_S)
        while self._unfinished is not None:
            try:
                self._unfinished(max(_LEAST_S, wait.slice(_CHECK_S)))
                self._unfinished = None
            except KafkaException as error:
                self._judge(error, late=wait.left() <= 0)

    def _judge(self, error: KafkaException, *, late: bool) -> None:
        """Return to repeat the call, abort the transaction, or raise."""
        reason: KafkaError = error.args[0]
        if reason.retriable():
            if late:
                raise unwritable(self._topic, reason) from error
        elif reason.txn_requires_abort() and self._unfinished != self._producer.abort_transaction:
            self._unfinished = self._producer.abort_transaction
            refused = unwritable(self._topic, reason)
            self._abort(refused)
            raise refused from error
        else:
            raise unwritable(self._topic, reason, final=True) from error


def deliver(
    producer: Producer,
    topic: str,
    entries: Sequence[tuple[str, bytes | None]],
    timeouts: KafkaTimeouts,
) -> dict[int, int]:
    """Append entries to a topic and wait until Kafka has acknowledged all of them.

    Returns:
        The offset behind these entries in each partition that has some.

    Raises:
        ConnectError: if it has not, or the client refuses them.
    """
    refusals: list[KafkaError] = []
    ends: dict[int, int] = {}

    def delivered(error: KafkaError | None, message: Message) -> None:
        if error is not None:
            refusals.append(error)
        else:
            ends[message.partition()] = message.offset() + 1

    try:
        for key, value in entries:
            producer.produce(topic, value, key.encode(), on_delivery=delivered)
        wait = timeouts.wait(_REQUEST_S)
        while (left := producer.flush(wait.slice(_CHECK_S))) and wait.left() > 0:
            continue
    except BufferError as error:
        raise unwritable(topic, error) from error
    except KafkaException as error:
        raise unwritable(topic, error.args[0]) from error
    except SystemError as error:
        # The client raises a fatal error in the delivery callback that runs here.
        cause = error.__cause__
        raise unwritable(topic, cause.args[0] if cause and cause.args else error) from error
    if refusals or left:
        raise unwritable(topic, refusals[0] if refusals else f"{left} entries not acknowledged")
    return ends


def unwritable(topic: str, reason: object, *, final: bool = False) -> ConnectError:
    """The error for entries that were not written.

    Args:
        topic: the topic of the entries.
        reason: the client's error, or a text.
        final: whether the client cannot continue, whatever error it reports.
    """
    code = "kafka.unwritable"
    if isinstance(reason, KafkaError) and (final or reason.fatal()):
        code = "kafka.fenced" if reason.code() in _FENCED else "kafka.writer-broken"
    elif isinstance(reason, KafkaError) and reason.code() in _FENCED:
        code = "kafka.fenced"
    hint = right_hint(reason, "Write", "Topic", topic)
    if code == "kafka.fenced":
        hint = "another process has taken over; join the group again"
    return ConnectError(
        f"topic {topic} cannot be written: {reason}",
        code=code,
        hint=hint,
        facts={"topic": topic},
    )
