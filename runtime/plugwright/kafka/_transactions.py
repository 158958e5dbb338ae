"""Records and source offsets in one Kafka transaction, and the fencing of zombies (KIP-618)."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from confluent_kafka import KafkaError, KafkaException, Producer

from plugwright.errors import ConnectError
from plugwright.kafka._producer import KafkaRecordProducer
from plugwright.kafka._settings import transactional_settings
from plugwright.kafka._writable import unwritable_topics
from plugwright.kafka.login import LoginWatch, opened
from plugwright.retry import retried
from plugwright.worker import right_hint

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from plugwright.kafka.offset_store import KafkaOffsetStore
    from plugwright.worker import KafkaMessage, OutgoingRecord, SourceOffset

    _Hint = Callable[[KafkaException], str]

_INIT_TIMEOUT_S = 30.0
_FIRST_ATTEMPTS_S = (0.15, 0.3)
_BEFORE_ABORT_S = 5.0
_FIRST_FLUSH_S = 1.0
_ATTEMPT_S = 5.0
_PAUSE_S = 0.1
_FENCING_AT_ONCE = 8

_EXPIRED = (
    "tune the connector's producer, raise transaction.timeout.ms for it, or let transactions end "
    "more often (transaction.boundary, transaction.boundary.interval.ms)"
)

_PURGED = frozenset({KafkaError._PURGE_QUEUE, KafkaError._PURGE_INFLIGHT})  # noqa: SLF001

_VOID = "records and offsets of the transaction are not visible and will be read again"


class KafkaTransactionalProducer(KafkaRecordProducer):
    """The producer of an exactly-once source task.

    Opening it fences every earlier producer with the same transactional id and aborts its open
    transaction. Offsets must therefore be read afterwards.

    Args:
        settings: librdkafka's settings, see `transactional_settings`.
        open_offsets: opens the offset store; called once, after fencing.
        timeout_s: how long a commit may take.

    Raises:
        ConnectError: if the transaction coordinator does not answer.
    """

    def __init__(
        self,
        settings: Mapping[str, object],
        open_offsets: Callable[[], KafkaOffsetStore],
        *,
        timeout_s: float = 60.0,
    ) -> None:
        super().__init__(settings)
        self._topics: set[str] = set()
        self._timeout_s = timeout_s
        self.offsets = open_offsets()

    @staticmethod
    def _open(watch: LoginWatch) -> Producer:
        return _fencing(watch, "start")

    def send(self, batch: Sequence[OutgoingRecord]) -> None:
        """Queue a batch in order, within the open transaction."""
        self._topics.update({out[0] for out in batch})
        super().send(batch)

    @property
    def offsets_topic(self) -> str:
        """The topic of the offsets."""
        return self.offsets.topic

    def begin(self) -> None:
        """Begin a transaction.

        Raises:
            ConnectError: if a newer task has fenced this one.
        """
        try:
            self._producer.begin_transaction()
        except KafkaException as error:
            raise _failed("begin a transaction", error, self._hint) from error
        self._topics.clear()

    def commit(self, offsets: Sequence[SourceOffset]) -> None:
        """Write offsets into the open transaction and commit it, waiting for every record in it.

        Raises:
            DataError: if a partition or an offset is not a flat map of plain values.
            ConnectError: if the commit fails; then nothing of the transaction becomes visible.
        """
        messages = self.offsets.serialized(offsets)
        topic = self.offsets.topic
        self.send(
            [(topic, None, key, value, None, None, _ignore_result) for key, value in messages]
        )
        self.flush(_FIRST_FLUSH_S)  # of a failed transaction, some records never leave the client
        self._repeat(self._producer.commit_transaction, "commit a transaction")
        self.offsets.stored(offsets)

    def abort(self) -> None:
        """Abort the open transaction, so that nothing of it becomes visible.

        Records on their way are sent first, if Kafka takes them soon. Purging them would leave a
        gap in the producer's sequence numbers, and Kafka would refuse the next transaction.

        Raises:
            ConnectError: if the transaction coordinator does not answer, or this task was fenced.
        """
        self.flush(_BEFORE_ABORT_S)
        self._repeat(self._producer.abort_transaction, "abort a transaction")

    def gave_up(self, error: object) -> bool:
        """Whether a record was not sent for this reason: the transaction had failed before."""
        return isinstance(error, KafkaError) and error.code() in _PURGED

    def failure(self) -> ConnectError:
        """The error that failed the open transaction, once records were not sent because of it.

        The client reports it only when the transaction ends. Committing a failed one is refused.
        """
        try:
            self._repeat(self._producer.commit_transaction, "commit a transaction")
        except ConnectError as error:
            return error
        raise AssertionError("a transaction whose records were given up was committed")

    def _gone(self, error: KafkaException) -> ConnectError:
        return _failed("send its records", error, self._hint)

    def _repeat(self, call: Callable[[float], Any], purpose: str) -> None:
        _repeat(call, purpose, self._hint, self._timeout_s)

    def _hint(self, error: KafkaException) -> str:
        """What to do about a failed transaction; the client does not report the denied topic."""
        if error.args[0].code() == KafkaError.TOPIC_AUTHORIZATION_FAILED:
            names = unwritable_topics(self._watch.settings, sorted(self._topics))
            return right_hint(error, "Write", "Topic", ", ".join(names))
        return _right_to_id(self._watch, error)

    def close(self) -> None:
        """Release the client and the offset store."""
        super().close()
        if hasattr(self, "offsets"):
            self.offsets.close()


def fence_producers(
    bootstrap_servers: str, transactional_ids: Sequence[str], overrides: Mapping[str, str]
) -> None:
    """Fence every producer that uses one of these ids, and abort its open transaction.

    Raises:
        ConnectError: if the transaction coordinator does not answer.
    """

    def fence(transactional_id: str) -> None:
        settings = transactional_settings(
            bootstrap_servers, "plugwright-fencing", transactional_id, overrides
        )
        _fencing(LoginWatch(settings), "fence its predecessor")

    if transactional_ids:
        with ThreadPoolExecutor(min(len(transactional_ids), _FENCING_AT_ONCE)) as pool:
            list(pool.map(fence, transactional_ids))


def _ignore_result(_: object | None, __: KafkaMessage) -> None:
    """Ignore the result: the commit fails if an offset record fails."""


def _fencing(watch: LoginWatch, purpose: str) -> Producer:
    """Open a producer, which fences its predecessors.

    The broker needs some milliseconds to abort their transactions, but the client retries only
    after half a second; a new client retries at once.

    Raises:
        ConnectError: if the transaction coordinator does not answer, or Kafka refuses the login.
    """
    hint = partial(_right_to_id, watch)
    for timeout_s in _FIRST_ATTEMPTS_S:
        producer: Producer = opened(Producer, watch.settings)
        try:
            producer.init_transactions(timeout_s)
        except KafkaException as error:
            _check_login(producer, watch)
            if not error.args[0].retriable():
                raise _failed(purpose, error, hint) from error
        else:
            return producer
    producer = opened(Producer, watch.settings)
    check = partial(_check_login, producer, watch)
    _repeat(producer.init_transactions, purpose, hint, _INIT_TIMEOUT_S, check)
    return producer


def _check_login(producer: Producer, watch: LoginWatch) -> None:
    with suppress(KafkaException):  # a fatal error, which the failed call reports as well
        producer.poll(0)
    watch.require()


def _repeat(
    call: Callable[[float], Any],
    purpose: str,
    hint: _Hint,
    timeout_s: float,
    check: Callable[[], None] = lambda: None,
) -> None:
    """Repeat a call until it succeeds, as long as the client reports that a retry may help.

    Between two attempts ``check`` may raise an error that the client has reported meanwhile.
    """
    try:
        retried(
            lambda: call(_ATTEMPT_S),
            lambda error: isinstance(error, KafkaException) and error.args[0].retriable(),
            within_s=timeout_s,
            pause_s=_PAUSE_S,
            between=check,
        )
    except KafkaException as error:
        raise _failed(purpose, error, hint) from error


def _failed(purpose: str, error: KafkaException, hint: _Hint) -> ConnectError:
    name = error.args[0].name()
    fenced = "FENCED" in name or "PRODUCER_EPOCH" in name
    return ConnectError(
        f"the task could not {purpose}: {error}",
        code="transaction.fenced" if fenced else "transaction.failed",
        hint="a newer task with the same transactional id is running, or the transaction took "
        f"longer than its timeout: {_EXPIRED}"
        if fenced
        else hint(error) or _VOID,
        facts={"error": name},
    )


def _right_to_id(watch: LoginWatch, error: KafkaException) -> str:
    """What to do if the client may not use its transactional id; empty for any other error."""
    if error.args[0].code() != KafkaError.TRANSACTIONAL_ID_AUTHORIZATION_FAILED:
        return ""
    own_id = str(watch.settings["transactional.id"])
    return right_hint(error, "Write", "TransactionalId", own_id)
