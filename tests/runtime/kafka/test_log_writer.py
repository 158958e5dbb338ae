"""A transaction of the control plane that fails does not hinder the next one."""

from __future__ import annotations

import pytest
from confluent_kafka import KafkaError, KafkaException

from plugwright.errors import ConnectError
from plugwright.kafka import KafkaTimeouts
from plugwright.kafka.log_writer import LogWriter

TOO_LARGE = KafkaError(KafkaError.MSG_SIZE_TOO_LARGE)
LATE = KafkaError(KafkaError._TIMED_OUT, "late", False, True)
ABORTABLE = KafkaError(KafkaError.INVALID_TXN_STATE, "abort me", False, False, True)
FENCED = KafkaError(KafkaError._FENCED, "newer", True)
FATAL = KafkaError(KafkaError.TRANSACTIONAL_ID_AUTHORIZATION_FAILED, "no", True)
STATE = KafkaError(KafkaError._STATE, "not in this state")


class Written:
    """An entry in the only partition.

    Args:
        at: its offset.
    """

    def __init__(self, at):
        self._at = at

    def partition(self):
        """The only one."""
        return 0

    def offset(self):
        """Where it is."""
        return self._at


class FakeProducer:
    """Keeps the states of librdkafka's transactions; fails as often as a test specifies.

    Attributes:
        failures: by call, what the next calls fail with.
    """

    def __init__(self, **failures):
        self.failures = failures
        self.state = "ready"
        self.calls = []
        self.pending, self.committed = [], []
        self._callbacks = []
        self.written = 0

    def _call(self, name, *states):
        self.calls.append(name)
        if self.state not in states:
            raise KafkaException(STATE)
        if failures := self.failures.get(name):
            error = failures.pop(0)
            raise error if isinstance(error, Exception) else KafkaException(error)

    def begin_transaction(self):
        """Open one."""
        self._call("begin", "ready")
        self.state, self.pending = "open", []

    def produce(self, topic, value, key, on_delivery):
        """Take a record."""
        self._call("produce", "open")
        self.pending.append(key)
        refusals = self.failures.get("delivery")
        self._callbacks.append((on_delivery, refusals.pop(0) if refusals else None))

    def flush(self, timeout):
        """Run the callbacks."""
        if failures := self.failures.get("flush"):
            return failures.pop(0)
        while self._callbacks:
            callback, refusal = self._callbacks.pop(0)
            self.written += refusal is None
            callback(refusal, Written(self.written - 1))
        return 0

    def commit_transaction(self, timeout):
        """Commit the open one."""
        # A commit that was begun can be gone on with or, if the client says so, be aborted.
        self.state = "committing" if self.state == "open" else self.state
        self._call("commit", "committing")
        self.committed += self.pending
        self.state = "ready"

    def abort_transaction(self, timeout):
        """Abort the open one."""
        if self.state == "committing" and self.calls[-1] == "commit":
            self.state = "open"
        self._call("abort", "open")
        self.state = "ready"

    def purge(self):
        """Forget what is queued."""
        self.calls.append("purge")


class Clock:
    """Three seconds pass between two looks."""

    now = 0.0

    def __call__(self):
        """The time."""
        self.now += 3
        return self.now


def sent(producer, *keys):
    """Send one transaction with a fresh writer, then another one; the first one's error."""
    writer = LogWriter("t", producer, KafkaTimeouts(Clock()))
    with pytest.raises(ConnectError) as raised:
        writer.send([(key, b"") for key in keys])
    if not writer.gone:
        writer.send([("next", b"")])
    return raised.value.code


@pytest.mark.parametrize(
    "failures",
    [
        pytest.param({"produce": [TOO_LARGE]}, id="too large"),
        pytest.param({"produce": [BufferError("queue full")]}, id="queue full"),
        pytest.param({"delivery": [KafkaError(KafkaError._MSG_TIMED_OUT)]}, id="not delivered"),
        pytest.param({"flush": [1] * 3}, id="not acknowledged in time"),
        pytest.param({"commit": [ABORTABLE]}, id="commit fails"),
        pytest.param({"delivery": [TOO_LARGE], "abort": [LATE]}, id="abort late"),
        pytest.param({"delivery": [TOO_LARGE], "abort": [LATE] * 4}, id="abort very late"),
    ],
)
def test_whatever_fails_the_next_transaction_works(failures):
    """Nothing of the failed one is committed."""
    producer = FakeProducer(**failures)

    assert sent(producer, "a") == "kafka.unwritable"
    assert producer.committed == [b"next"]


def test_the_offset_behind_the_entries_is_returned():
    """Whoever has read up to there has read all of them."""
    writer = LogWriter("t", FakeProducer(), KafkaTimeouts(Clock()))

    assert writer.send([("a", b""), ("b", b"")]) == {0: 2}
    assert writer.send([("c", b"")]) == {0: 3}


def test_a_commit_that_takes_long_is_waited_for():
    """It is called again, as the client asks for."""
    producer = FakeProducer(commit=[LATE])

    LogWriter("t", producer, KafkaTimeouts(Clock())).send([("a", b"")])

    assert producer.committed == [b"a"]


def test_a_commit_that_takes_too_long_is_resumed_before_the_next_transaction():
    """Its entries may have been reported as lost, but are never in an unknown state."""
    producer = FakeProducer(commit=[LATE] * 4)

    assert sent(producer, "a") == "kafka.unwritable"
    assert producer.committed == [b"a", b"next"]
    assert "abort" not in producer.calls


@pytest.mark.parametrize("call", ["begin", "produce", "commit"])
@pytest.mark.parametrize(
    ("error", "code"),
    [
        pytest.param(FENCED, "kafka.fenced", id="fenced"),
        pytest.param(FATAL, "kafka.writer-broken", id="fatal"),
    ],
)
def test_a_producer_that_is_out_says_so(call, error, code):
    """Fencing is distinguished from what is wrong with this client alone."""
    producer = FakeProducer(**{call: [error]})
    writer = LogWriter("t", producer, KafkaTimeouts(Clock()))

    with pytest.raises(ConnectError) as raised:
        writer.send([("a", b"")])

    assert (raised.value.code, writer.gone) == (code, True)


def test_a_producer_that_is_fenced_while_it_aborts_says_so():
    """The record that was refused matters less."""
    producer = FakeProducer(delivery=[KafkaError(KafkaError._PURGE_QUEUE)], abort=[FENCED])

    assert sent(producer, "a") == "kafka.fenced"


def test_an_abort_that_asks_for_an_abort_is_the_end():
    """No endless loop."""
    assert sent(FakeProducer(produce=[TOO_LARGE], abort=[ABORTABLE]), "a") == "kafka.writer-broken"


def test_a_fatal_error_that_the_client_raises_within_its_callback_is_understood():
    """As a `SystemError` whose cause says what it is."""
    failure = SystemError("callback")
    failure.__cause__ = KafkaException(FENCED)
    producer = FakeProducer(produce=[failure], abort=[FENCED])

    assert sent(producer, "a") == "kafka.fenced"
