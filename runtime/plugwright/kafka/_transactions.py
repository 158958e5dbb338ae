"""Records and source offsets in one Kafka transaction, and the fencing of zombies (KIP-618)."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from confluent_kafka import KafkaException, Producer

from plugwright.errors import ConnectError
from plugwright.kafka._login import LoginWatch, opened
from plugwright.kafka._producer import KafkaRecordProducer
from plugwright.kafka._settings import transactional_settings
from plugwright.retry import retried

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from plugwright.kafka._offset_store import KafkaOffsetStore
    from plugwright.worker import KafkaMessage, SourceOffset

_INIT_TIMEOUT_S = 30.0
_IMPATIENT_S = (0.15, 0.3)
_ATTEMPT_S = 5.0
_PAUSE_S = 0.1
_FENCING_AT_ONCE = 8

_EXPIRED = (
    "tune the connector's producer, raise transaction.timeout.ms for it, or let transactions end "
    "more often (transaction.boundary, transaction.boundary.interval.ms)"
)

_VOID = "records and offsets of the transaction are not visible and will be read again"
_RIGHTS = MappingProxyType(
    {
        "TOPIC_AUTHORIZATION_FAILED": (
            "allow the login of the task's producer (ACLs) to Write to the topics of its records "
            "and to its offsets topic; the log names the partition"
        ),
        "TRANSACTIONAL_ID_AUTHORIZATION_FAILED": (
            "allow the login of the task's producer, and the worker's own (ACLs), to Write to and "
            "Describe the TransactionalId, which is <group.id>-<connector>-<task>"
        ),
    }
)
"""What to allow, by the error's name: the client does not say which resource is meant."""


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
        self._timeout_s = timeout_s
        self.offsets = open_offsets()

    @staticmethod
    def _open(watch: LoginWatch) -> Producer:
        return _fencing(watch, "start")

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
            raise _failed("begin a transaction", error) from error

    def commit(self, offsets: Sequence[SourceOffset]) -> None:
        """Write offsets into the open transaction and commit it, waiting for every record in it.

        Raises:
            DataError: if a partition or an offset is not a flat map of plain values.
            ConnectError: if the commit fails; then nothing of the transaction becomes visible.
        """
        messages = self.offsets.serialized(offsets)
        topic = self.offsets.topic
        self.send([(topic, None, key, value, None, None, _nobody) for key, value in messages])
        self.flush(self._timeout_s)
        _persist(self._producer.commit_transaction, "commit a transaction", self._timeout_s)
        self.offsets.stored(offsets)

    def abort(self) -> None:
        """Abort the open transaction, so that nothing of it becomes visible.

        Raises:
            ConnectError: if the transaction coordinator does not answer, or this task was fenced.
        """
        self._producer.purge()
        self.flush(1)
        _persist(self._producer.abort_transaction, "abort a transaction", self._timeout_s)

    def _gone(self, error: KafkaException) -> ConnectError:
        return _failed("send its records", error)

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


def _nobody(_: object | None, __: KafkaMessage) -> None:
    """Ignore the result: the commit fails if an offset record fails."""


def _fencing(watch: LoginWatch, purpose: str) -> Producer:
    """Open a producer, which fences its predecessors.

    The broker needs some milliseconds to abort their transactions, but the client retries only
    after half a second; a new client retries at once.

    Raises:
        ConnectError: if the transaction coordinator does not answer, or Kafka refuses the login.
    """
    for patience_s in _IMPATIENT_S:
        producer: Producer = opened(Producer, watch.settings)
        try:
            producer.init_transactions(patience_s)
        except KafkaException as error:
            _heed(producer, watch)
            if not error.args[0].retriable():
                raise _failed(purpose, error) from error
        else:
            return producer
    producer = opened(Producer, watch.settings)
    _persist(producer.init_transactions, purpose, _INIT_TIMEOUT_S, lambda: _heed(producer, watch))
    return producer


def _heed(producer: Producer, watch: LoginWatch) -> None:
    with suppress(KafkaException):  # a fatal error, which the failed call tells as well
        producer.poll(0)
    watch.require()


def _persist(
    call: Callable[[float], Any],
    purpose: str,
    timeout_s: float,
    heed: Callable[[], None] = lambda: None,
) -> None:
    """Repeat a call until it succeeds, as long as the client reports that a retry may help.

    Between two attempts ``heed`` may raise an error that the client has reported meanwhile.
    """
    try:
        retried(
            lambda: call(_ATTEMPT_S),
            lambda error: isinstance(error, KafkaException) and error.args[0].retriable(),
            within_s=timeout_s,
            pause_s=_PAUSE_S,
            between=heed,
        )
    except KafkaException as error:
        raise _failed(purpose, error) from error


def _failed(purpose: str, error: KafkaException) -> ConnectError:
    name = error.args[0].name()
    fenced = "FENCED" in name or "PRODUCER_EPOCH" in name
    return ConnectError(
        f"the task could not {purpose}: {error}",
        code="transaction.fenced" if fenced else "transaction.failed",
        hint="a newer task with the same transactional id is running, or the transaction took "
        f"longer than its timeout: {_EXPIRED}"
        if fenced
        else _RIGHTS.get(name, _VOID),
        facts={"error": name},
    )
