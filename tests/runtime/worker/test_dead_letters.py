"""The dead-letter queue: what is sent, with which headers, and what a failure there means."""

from __future__ import annotations

import pytest
from tests.runtime.worker.fakes import FakeProducer, Message
from tests.runtime.worker.rigs import IDENTITY

from plugwright.errors import ConnectError
from plugwright.worker import ErrorCounters, ErrorSettings, FailedOperation, Origin, ProcessingStage
from plugwright.worker.dead_letter_queue import DeadLetterQueue

MESSAGE = Message(("t", 2, 7), b"v", b"k", [("h", b"1")], (1, 1_234))


class Rig:
    """A queue over a producer that does what a test specifies."""

    def __init__(self, *, headers=False, hidden=()):
        self.producer = FakeProducer()
        self.counters = ErrorCounters()
        settings = ErrorSettings(
            dead_letter_topic="dlq", dead_letter_headers=headers, hidden=hidden
        )
        self.queue = DeadLetterQueue(settings, IDENTITY, self.producer, self.counters)

    def report(self, message=MESSAGE, error=None):
        """Report a failed record."""
        error = error or ValueError("bad")
        return self.queue.report(
            FailedOperation(
                Origin(message=message), ProcessingStage.VALUE_CONVERTER, "a.Converter", error
            )
        )

    @property
    def counted(self):
        """Requests and failures."""
        return (self.counters.dead_letter_requests, self.counters.dead_letter_failures)


def test_a_record_is_sent_as_it_was_consumed():
    """Key, value, headers, timestamp; the partition is the producer's choice."""
    rig = Rig()
    rig.report()
    assert rig.producer.in_flight[0][:6] == ("dlq", None, b"k", b"v", [("h", b"1")], 1_234)


def test_a_record_without_timestamp_and_headers_stays_without():
    """Kafka's NO_TIMESTAMP."""
    rig = Rig()
    rig.report(Message(("t", 2, 7), None, None, None, (0, -1)))
    assert rig.producer.in_flight[0][:6] == ("dlq", None, None, None, None, None)


def test_ten_headers_tell_where_and_why():
    """Names and order of DeadLetterQueueReporter, all texts."""
    rig = Rig(headers=True)
    rig.report(error=ValueError("bad"))
    headers = rig.producer.in_flight[0][4]
    assert headers[:-1] == [
        ("h", b"1"),
        ("__connect.errors.topic", b"t"),
        ("__connect.errors.partition", b"2"),
        ("__connect.errors.offset", b"7"),
        ("__connect.errors.connector.name", b"orders"),
        ("__connect.errors.task.id", b"3"),
        ("__connect.errors.stage", b"VALUE_CONVERTER"),
        ("__connect.errors.class.name", b"a.Converter"),
        ("__connect.errors.exception.class.name", b"builtins.ValueError"),
        ("__connect.errors.exception.message", b"bad"),
    ]
    assert headers[-1][0] == "__connect.errors.exception.stacktrace"
    assert headers[-1][1].endswith(b"ValueError: bad\n")


def test_records_that_fail_otherwise_have_headers_of_their_own():
    """What failures have in common is kept, for each topic, partition, class and error."""
    rig = Rig(headers=True)
    rig.report()
    rig.report(Message(("t", 3, 8), b"v", b"k", None, (0, -1)))
    rig.report(Message(("u", 2, 9), b"v", b"k", None, (0, -1)))
    rig.report(error=TypeError("worse"))
    shown = [dict(letter[4]) for letter in rig.producer.in_flight]
    assert [
        tuple(each[f"__connect.errors.{name}"] for name in ("topic", "partition", "offset"))
        for each in shown
    ] == [(b"t", b"2", b"7"), (b"t", b"3", b"8"), (b"u", b"2", b"9"), (b"t", b"2", b"7")]
    assert [
        (each["__connect.errors.exception.class.name"], each["__connect.errors.exception.message"])
        for each in shown
    ] == [(b"builtins.ValueError", b"bad")] * 3 + [(b"builtins.TypeError", b"worse")]


def test_headers_do_not_tell_what_a_provider_supplied():
    """A converter's error may quote any of its settings."""
    rig = Rig(headers=True, hidden=("pa55-w0rd",))
    rig.report(error=ValueError("refused by http://me:pa55-w0rd@registry"))

    message, stack = (value for _, value in rig.producer.in_flight[0][4][-2:])

    assert message == b"refused by http://me:[hidden]@registry"
    assert b"pa55-w0rd" not in stack


def test_an_error_without_a_message_has_a_null_header():
    """As a null message has in Java."""
    rig = Rig(headers=True)
    rig.report(error=ValueError())
    assert ("__connect.errors.exception.message", None) in rig.producer.in_flight[0][4]


def test_headers_of_an_earlier_queue_are_kept():
    """Kafka appends."""
    rig = Rig(headers=True)
    rig.report(Message(("t", 2, 7), b"v", None, [("__connect.errors.topic", b"older")]))
    names = [name for name, _ in rig.producer.in_flight[0][4]]
    assert names.count("__connect.errors.topic") == 2


def test_the_headers_of_the_message_itself_are_not_changed():
    """It may be reported twice."""
    rig = Rig(headers=True)
    rig.report()
    assert MESSAGE.headers() == [("h", b"1")]


def test_the_future_is_done_when_kafka_has_the_record():
    """And not before; it cannot be taken back."""
    rig = Rig()
    future = rig.report()
    assert (future.done(), future.cancel(), rig.queue.settled(0)) == (False, False, False)
    rig.producer.acknowledge()
    rig.producer.serve()
    assert (future.result(0), rig.queue.settled(0), rig.counted) == (None, True, (1, 0))


def test_a_refusal_of_the_broker_is_counted_and_reported(caplog):
    """Kafka's sentence in the log."""
    rig = Rig()
    future = rig.report()
    rig.producer.refuse()
    rig.producer.serve()
    assert future.exception(0).code == "kafka.dead-letter-refused"
    assert rig.counted == (1, 1)
    assert "Could not produce message to dead letter queue. topic=dlq" in caplog.text


def test_a_refusal_of_the_client_is_the_same():
    """A record that is too large for the producer."""
    rig = Rig()
    rig.producer.refused = {b"v"}
    assert isinstance(rig.report().exception(0), ConnectError)
    assert (rig.counted, rig.queue.settled(0)) == ((1, 1), True)


def test_what_did_not_come_from_kafka_cannot_go_back():
    """Counted as a failure, like in Kafka."""
    rig = Rig()
    assert rig.report(message=None).exception(0) is not None
    assert rig.counted == (1, 1)


@pytest.mark.parametrize("count", [3000])
def test_answered_letters_do_not_pile_up(count):
    """However many fail between two commits."""
    rig = Rig()
    rig.producer.prompt = True
    for _ in range(count):
        rig.report()
        rig.producer.serve()
    assert len(rig.queue._pending) <= 1001
