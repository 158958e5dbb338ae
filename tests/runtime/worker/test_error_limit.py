"""How many records a task may leave out within a time (``errors.tolerance.limit``)."""

from __future__ import annotations

import pytest
from tests.runtime.worker.fakes import Clock, FakeProducer
from tests.runtime.worker.picky import T0, Picky, serve_when_waiting, sink_rig
from tests.runtime.worker.rigs import IDENTITY, SourceRig, UnhurriedControl, line

from plugwright.errors import ConnectError, RetriableError, render
from plugwright.worker import ErrorSettings, Origin, ProcessingStage
from plugwright.worker.error_handler import SKIPPED, ErrorHandler

VALUE = ProcessingStage.VALUE_CONVERTER


class Handler:
    """An error handler whose operations always fail."""

    def __init__(self, **settings):
        self.clock = Clock()
        self.handler = ErrorHandler(
            IDENTITY,
            UnhurriedControl(self.clock),
            ErrorSettings(True, **settings),
            clock=self.clock,
        )

    def fail(self, times=1, every_s=0.0):
        """What the last of so many failures comes to."""
        for _ in range(times):
            result = self.handler.run(
                lambda: 1, Origin(), VALUE, "a.Converter", failed_with=ValueError("no such field")
            )
            self.clock.advance(every_s)
        return result


def test_without_a_limit_any_number_is_left_out():
    """Kafka Connect's behaviour, and the default."""
    assert Handler().fail(times=1000) is SKIPPED


def test_one_more_than_the_limit_ends_the_task():
    """The limit itself is allowed."""
    handler = Handler(tolerance_limit=3)
    assert handler.fail(times=3) is SKIPPED
    with pytest.raises(ConnectError) as caught:
        handler.fail()
    assert caught.value.code == "errors.limit-exceeded"
    assert isinstance(caught.value.__cause__, ValueError)
    assert handler.handler.counters.records_skipped == 3
    with pytest.raises(ConnectError):
        handler.fail()  # a task that swallows it meets it again
    assert len(handler.handler._limit._times) == 3


def test_only_the_period_counts():
    """With three in 60 s, one each 20 s may fail for ever, and no more is remembered."""
    handler = Handler(tolerance_limit=3)
    assert handler.fail(times=30, every_s=20.0) is SKIPPED
    assert len(handler.handler._limit._times) == 3


def test_the_period_slides():
    """One each 19 s is the fourth within 57 s."""
    handler = Handler(tolerance_limit=3)
    with pytest.raises(ConnectError) as caught:
        handler.fail(times=4, every_s=19.0)
    assert (caught.value.facts["count"], caught.value.facts["within_s"]) == (4, 57.0)


@pytest.mark.parametrize(
    ("settings", "where"),
    [
        ({}, "set errors.log.enable=true to find each failure in the log"),
        ({"log": True}, "each failure is in the worker's log"),
        (
            {"log": True, "dead_letter_topic": "dlq"},
            "the records are in topic dlq, each failure is in the worker's log",
        ),
    ],
    ids=["nowhere", "log", "queue and log"],
)
def test_the_error_says_how_many_in_what_time_and_where_to_look(settings, where):
    """And what the last one was."""
    handler = Handler(tolerance_limit=1, tolerance_period_s=0.5, **settings)
    handler.fail(every_s=0.25)
    with pytest.raises(ConnectError) as caught:
        handler.fail()
    assert render(caught.value) == (
        "errors.limit-exceeded: 2 records of task orders-3 failed within 0.25 s, more than the 1 "
        "that errors.tolerance.limit allows in 0.5 s; the last one failed in stage "
        "'VALUE_CONVERTER' with class 'a.Converter': no such field\n"
        f"  → {where}; fix the cause and restart the task, or raise errors.tolerance.limit"
    )


def test_a_sink_over_its_limit_fails_and_the_rest_is_read_again():
    """What failed is in the queue; the group stays before the poll that was one too many."""
    producer = FakeProducer()
    producer.prompt = True
    serve_when_waiting(producer)
    settings = ErrorSettings(True, dead_letter_topic="dlq", tolerance_limit=1)
    rig = sink_rig(
        "a", "b", errors=settings, producer=producer, converters={"value": Picky(a=1, b=1)}
    )
    rig.run(rig.assign(T0))
    assert (rig.status.states[-1], rig.consumer.group) == ("FAILED", {})
    assert rig.status.error.code == "errors.limit-exceeded"
    assert producer.topic == ["a", "b"]


def test_a_refused_record_over_the_limit_keeps_its_offset_back():
    """It is read again after a restart."""
    rig = SourceRig()
    rig.settings = type(rig.settings)(10.0, 2.0, errors=ErrorSettings(True, tolerance_limit=0))
    rig.run([line("a", 1)], rig.refuse(), None)
    assert (rig.status.states[-1], rig.offsets.stored) == ("FAILED", {})


def test_every_figure_about_errors_moves(caplog):
    """Literal values for a record that fails, again when retried, and whose letter is lost."""
    producer = FakeProducer()
    producer.refused = {b"b"}
    serve_when_waiting(producer)
    errors = ErrorSettings(True, 0.2, log=True, dead_letter_topic="dlq")
    away = Picky(RetriableError("away"), b=2)
    rig = sink_rig("a", "b", errors=errors, producer=producer, converters={"value": away})
    rig.run(rig.assign(T0))
    figures = rig.loop.counters.snapshot()
    assert figures.pop("last-error-timestamp") > 1_700_000_000_000
    assert {k: v for k, v in figures.items() if k.startswith(("total-", "deadletter"))} == {
        "total-record-failures": 2,
        "total-record-errors": 1,
        "total-records-skipped": 1,
        "total-retries": 1,
        "total-errors-logged": 1,
        "deadletterqueue-produce-requests": 1,
        "deadletterqueue-produce-failures": 1,
    }
