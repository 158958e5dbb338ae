"""A sink reports the records that it was given, with errors that anybody may read."""

from __future__ import annotations

import pytest

from plugwright_conformance.evidence.outcome import Outcome

pytestmark = pytest.mark.slow

_COPIED = "SinkRecord(r.topic, r.kafka_partition, r.key_schema, r.key, None, r.value, number)"


@pytest.fixture
def reporting(mutate, run):
    """Runs the check over a broken sink in which text is replaced."""

    def reporting(mutant, old, new):
        location = mutate(mutant)
        (module,) = (f for f in location.glob("*/*.py") if old in f.read_text("utf-8"))
        module.write_text(module.read_text("utf-8").replace(old, new), "utf-8")
        (result,) = run(location, "SNK-ERR-09").results
        return result

    return reporting


def test_every_letter_is_compared(run):
    """Four bad records; the sink has no secret to search for."""
    (result,) = run("file-sink", "SNK-ERR-09").results

    assert (result.outcome, result.message, result.observations) == (Outcome.PASS, "", 4)
    assert result.figures == {"searched_for": 0}


def test_copy_that_new_record_makes_is_the_record(reporting):
    """It is the public way to a copy."""
    result = reporting("M316", _COPIED, "r.new_record()")

    assert (result.outcome, result.message) == (Outcome.PASS, "")


def test_copy_with_another_place_names_the_wrong_record(mutate, run):
    """The number in the batch is no offset."""
    (result,) = run(mutate("M316"), "SNK-ERR-09").results

    assert result.outcome is Outcome.FAIL
    assert result.expected == "the record at the place that the headers name"


def test_error_without_a_message_tells_nothing(reporting):
    """No reader knows what to fix."""
    result = reporting("M316a", "DataError(self.reason(record))", "DataError()")

    assert result.outcome is Outcome.FAIL
    assert result.observed.endswith("DataError without a message")


def test_secret_is_not_shown_by_the_finding_either(mutate, run):
    """It stands in the report as what it is."""
    (result,) = run(mutate("M316a"), "SNK-ERR-09").results

    assert result.outcome is Outcome.FAIL
    assert result.observed.endswith("user: user, password: <secret>")
    assert "rows-password" not in repr(result)


def test_user_may_be_named(reporting):
    """What another setting shows anyway is no secret."""
    result = reporting("M316a", "password: {self._password}", "host: localhost")

    assert (result.outcome, result.message) == (Outcome.PASS, "")
    assert result.figures == {"searched_for": 1}
