"""Failing records: retried, tolerated, counted (KIP-298), by the rules of Kafka Connect 4.3.1."""

from __future__ import annotations

import pytest
from tests.runtime.worker.fakes import Clock
from tests.runtime.worker.rigs import IDENTITY, UnhurriedControl

from plugwright.errors import ConnectError, DataError, PluginError, RetriableError
from plugwright.worker import ErrorSettings, Origin, ProcessingStage
from plugwright.worker.error_handler import SKIPPED, ErrorHandler, RetryAbandonedError

LATER = RetriableError("registry away")
ORIGIN = Origin()
VALUE = ProcessingStage.VALUE_CONVERTER


class Waits(UnhurriedControl):
    """Remembers how long it was asked to wait."""

    def __init__(self, clock):
        super().__init__(clock)
        self.asked = []

    def wait(self, timeout_s):
        """Wait at once."""
        self.asked.append(round(timeout_s * 1000))
        super().wait(timeout_s)


class Rig:
    """An error handler over a clock that jumps."""

    def __init__(self, draw=0.5, **settings):
        self.clock = Clock()
        self.control = Waits(self.clock)
        self.reported = []
        self.handler = ErrorHandler(
            IDENTITY,
            self.control,
            ErrorSettings(**settings),
            reporters=[self],
            clock=self.clock,
            draw=lambda: draw,
        )
        self.calls = 0

    def report(self, failed):
        """Remember."""
        self.reported.append((failed.stage.value, failed.executor, failed.error))

    def run(self, *outcomes, stage=VALUE, failed_with=None):
        """Run an operation whose attempts end like this."""
        remaining = list(outcomes)

        def operation():
            self.calls += 1
            outcome = remaining.pop(0) if len(remaining) > 1 else remaining[0]
            if isinstance(outcome, BaseException):
                raise outcome
            return outcome

        return self.handler.run(operation, ORIGIN, stage, "a.Converter", failed_with=failed_with)

    @property
    def counted(self):
        """Failures, errors, skipped, retries."""
        c = self.handler.counters
        return (c.record_failures, c.record_errors, c.records_skipped, c.retries)


def test_what_works_is_returned():
    """Nothing is counted or reported."""
    rig = Rig()
    assert (rig.run("fine"), rig.counted, rig.reported) == ("fine", (0, 0, 0, 0), [])


def test_three_failures_wait_300_600_1200_ms():
    """The values of Kafka's own test."""
    rig = Rig(retry_timeout_s=6.0)
    assert rig.run(LATER, LATER, LATER, "fine") == "fine"
    assert rig.control.asked == [300, 600, 1200]
    assert rig.counted == (3, 0, 0, 3)


def test_eight_failures_without_limit_wait_up_to_38400_ms():
    """The values of Kafka's own test for errors.retry.timeout=-1."""
    rig = Rig(retry_timeout_s=-0.001)
    assert rig.run(*[LATER] * 8, "fine") == "fine"
    assert rig.control.asked == [300, 600, 1200, 2400, 4800, 9600, 19200, 38400]


def test_the_last_wait_is_cut_to_the_time_that_is_left():
    """6 s: 300, 600, 1200, 2400, 1500, then the end (Kafka's own test)."""
    rig = Rig(retry_timeout_s=6.0, tolerate_all=True)
    assert rig.run(LATER) is SKIPPED
    assert rig.control.asked == [300, 600, 1200, 2400, 1500]
    assert rig.calls == 6


def test_a_wait_above_the_limit_is_drawn_below_it():
    """errors.retry.delay.max.ms: jitter from 0 to the limit."""
    rig = Rig(retry_timeout_s=60.0, retry_delay_max_s=1.0, draw=0.25)
    rig.run(*[LATER] * 4, "fine")
    assert rig.control.asked == [300, 600, 250, 250]


def test_a_thousand_failures_still_have_a_finite_wait():
    """No number overflows."""
    rig = Rig(retry_timeout_s=-1, retry_delay_max_s=0.001)
    assert rig.run(*[LATER] * 1100, "fine") == "fine"


def test_without_a_retry_timeout_nothing_is_tried_again():
    """The default, 0."""
    rig = Rig()
    with pytest.raises(RetriableError):
        rig.run(LATER)
    assert (rig.calls, rig.control.asked) == (1, [])


@pytest.mark.parametrize("error", [DataError("bad"), ValueError("bad")], ids=repr)
def test_what_no_retry_can_help_is_not_tried_again(error):
    """Only a RetriableError is."""
    rig = Rig(retry_timeout_s=60.0, tolerate_all=True)
    assert rig.run(error) is SKIPPED
    assert rig.calls == 1


def test_exhausted_retries_end_the_task_unless_tolerated():
    """KAFKA-18073: older releases of Kafka lost the record here."""
    rig = Rig(retry_timeout_s=1.0)
    with pytest.raises(RetriableError, match="registry away"):
        rig.run(LATER)
    assert rig.counted == (4, 1, 0, 3)


def test_a_failure_of_the_fast_path_counts_as_the_first_attempt():
    """The operation is called for the second attempt only."""
    rig = Rig(retry_timeout_s=1.0)
    assert rig.run("fine", failed_with=LATER) == "fine"
    assert (rig.calls, rig.control.asked, rig.counted) == (1, [300], (1, 0, 0, 1))


def test_a_hopeless_failure_of_the_fast_path_calls_nothing_again():
    """It has been called once, and that is it."""
    rig = Rig(tolerate_all=True)
    assert rig.run("fine", failed_with=ValueError("bad")) is SKIPPED
    assert rig.calls == 0


@pytest.mark.parametrize("stage", ["TRANSFORMATION", "KEY_CONVERTER", "VALUE_CONVERTER"])
def test_any_exception_of_converters_and_transformations_may_be_tolerated(stage):
    """Skipped, counted, reported, with the time of the last error."""
    rig = Rig(tolerate_all=True)
    error = ValueError("bad")
    assert rig.run(error, stage=ProcessingStage(stage)) is SKIPPED
    assert rig.reported == [(stage, "a.Converter", error)]
    assert rig.counted == (1, 1, 1, 0)
    assert rig.handler.counters.last_error_timestamp > 1_700_000_000_000


@pytest.mark.parametrize("stage", ["KAFKA_CONSUME", "KAFKA_PRODUCE", "TASK_PUT", "TASK_POLL"])
def test_elsewhere_only_a_retriable_error_may_be_tolerated(stage):
    """Kafka's `Unhandled exception in error handler`."""
    rig = Rig(tolerate_all=True)
    with pytest.raises(PluginError, match=r"^Unhandled exception in error handler: stage"):
        rig.run(ValueError("bad"), stage=ProcessingStage(stage))
    assert rig.run(LATER, stage=ProcessingStage(stage)) is SKIPPED


@pytest.mark.parametrize("error", [SystemExit(3), GeneratorExit()], ids=repr)
def test_what_is_no_exception_is_never_tolerated(error):
    """It ends the task, and not the process."""
    rig = Rig(tolerate_all=True)
    with pytest.raises(PluginError) as caught:
        rig.run(error)
    assert caught.value.__cause__ is error


def test_an_interrupt_of_the_host_is_no_failure_of_a_record():
    """It passes through."""
    with pytest.raises(KeyboardInterrupt):
        Rig(tolerate_all=True).run(KeyboardInterrupt())


def test_untolerated_errors_are_reported_before_the_task_ends():
    """Kafka: the reporters run first."""
    rig = Rig()
    with pytest.raises(PluginError):
        rig.run(ValueError("bad"))
    assert [stage for stage, _, _ in rig.reported] == ["VALUE_CONVERTER"]
    assert rig.counted == (1, 1, 0, 0)


def test_the_error_says_stage_class_task_and_plugin():
    """In Kafka's words, and with facts for programs."""
    with pytest.raises(PluginError) as caught:
        Rig().run(ValueError("bad"))
    assert str(caught.value) == (
        "Tolerance exceeded in error handler: stage 'VALUE_CONVERTER' with class 'a.Converter': bad"
    )
    facts = caught.value.facts
    assert (facts["task"], facts["class"], facts["phase"]) == (
        "orders-3",
        "a.Converter",
        "VALUE_CONVERTER",
    )
    assert (facts["plugin"], facts["version"], facts["location"]) == (
        "shop.OrdersTask",
        "1.4.0",
        "/plugins/shop",
    )


def test_an_error_that_its_plugin_explains_is_passed_on_with_a_note():
    """Its author wrote it for the user."""
    error = DataError("not a number", code="shop.number")
    with pytest.raises(DataError) as caught:
        Rig().run(error)
    assert caught.value is error
    (note,) = error.__notes__
    assert note == (
        "Tolerance exceeded in error handler: stage 'VALUE_CONVERTER' with class 'a.Converter' "
        "of task orders-3"
    )


def test_a_stop_ends_the_waiting_without_a_verdict():
    """The record is neither skipped nor failed, so that its offset stays."""
    rig = Rig(retry_timeout_s=-1, tolerate_all=True)
    rig.control.waits.append(rig.control.stop)
    with pytest.raises(RetryAbandonedError):
        rig.run(LATER)
    assert (rig.counted, rig.reported) == ((1, 0, 0, 0), [])


def test_a_pause_does_not_shorten_a_wait():
    """Only a stop does."""
    rig = Rig(retry_timeout_s=6.0)
    rig.control.wait = lambda timeout_s: rig.clock.advance(0.1)
    before = rig.clock.now
    rig.run(LATER, "fine")
    assert rig.clock.now - before == pytest.approx(0.3)


def test_a_failure_reported_from_outside_is_tolerated_whatever_it_is():
    """Kafka's executeFailed: errant records, refusals of the broker."""
    rig = Rig(tolerate_all=True)
    rig.handler.failed(ORIGIN, ProcessingStage.TASK_PUT, "a.Task", ValueError("bad"))
    assert rig.counted == (1, 1, 1, 0)


def test_a_failure_reported_from_outside_ends_the_task_otherwise():
    """After it was reported."""
    rig = Rig()
    with pytest.raises(ConnectError, match="Tolerance exceeded"):
        rig.handler.failed(ORIGIN, ProcessingStage.TASK_PUT, "a.Task", ValueError("bad"))
    assert len(rig.reported) == 1
