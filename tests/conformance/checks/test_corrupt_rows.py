"""A corrupt row stops a source at its place, or is passed over alone: the driver knows which."""

from __future__ import annotations

import pytest
from tests.conformance.conftest import PLUGIN_PATH

from plugwright_conformance.evidence.outcome import Outcome
from plugwright_conformance.mutants import materialise_base
from plugwright_conformance.mutants.driver_faults import give_driver

pytestmark = pytest.mark.slow

_FAILS = 'raise DataError(f"{table}, row {number}: {error}") from error'
_STARTS = "class PlacesErrorsTask(RowsSourceTask):"
_IN_FIVES = """class PlacesErrorsTask(RowsSourceTask):
    def start(self, props):
        super().start({**props, "rows.batch": "5"})
"""
_GOES_PAST = f"""{_IN_FIVES}
    def _line(self, table):
        line = super()._line(table)
        return line + 1 if line else line
"""


@pytest.fixture
def certified(tmp_path, run):
    """Runs the check over a source of lines with one of the endpoints, maybe with other text."""

    def certified(driver, task, old="", new=""):
        location = tmp_path / "corrupt"
        materialise_base("lines-source", PLUGIN_PATH, location)
        give_driver(location, "rows_source_corrupt", driver, task)
        (module,) = location.glob("*/rows_source_corrupt.py")
        text = module.read_text("utf-8")
        assert not old or text.count(old) == 1
        module.write_text(text.replace(old, new) if old else text, "utf-8")
        (result,) = run(location, "SRC-ERR-03").results
        return result

    return certified


def test_driver_that_knows_of_no_corrupt_row(run):
    """There is nothing to read."""
    (result,) = run("lines-source", "SRC-ERR-03").results

    assert (result.outcome, result.message) == (
        Outcome.NOT_APPLICABLE,
        "the endpoint driver does not implement seed_corrupt()",
    )


def test_source_may_stop_at_the_row(certified):
    """Neither the first task nor the next one goes past it."""
    result = certified("CorruptEndpoint", "PlacesErrorsTask")

    assert (result.outcome, result.message, result.observations) == (Outcome.PASS, "", 10)


def test_position_may_come_from_the_cause(certified):
    """An operator sees the whole trace."""
    caused = (
        'try:\n            raise ValueError(f"{table}, row {number}")\n'
        '        except ValueError as place:\n            raise DataError("broken") from place'
    )
    result = certified("CorruptEndpoint", "PlacesErrorsTask", _FAILS, caused)

    assert (result.outcome, result.message) == (Outcome.PASS, "")


def test_error_may_be_its_own_cause(certified):
    """As after ``raise error from error``."""
    circle = 'said = DataError(f"{table}, row {number}")\n        raise said from said'
    result = certified("CorruptEndpoint", "PlacesErrorsTask", _FAILS, circle)

    assert (result.outcome, result.message) == (Outcome.PASS, "")


def test_source_may_pass_over_the_row_where_the_driver_says_so(certified):
    """The others arrive."""
    result = certified("ToleratedEndpoint", "PassesCorruptRowsTask")

    assert (result.outcome, result.message, result.observations) == (Outcome.PASS, "", 10)


def test_row_that_is_passed_over_against_the_policy_is_found(certified):
    """Nobody asked for it."""
    result = certified("CorruptEndpoint", "PassesCorruptRowsTask")

    assert (result.outcome, result.observed) == (Outcome.FAIL, "no error")
    assert result.expected == "a Connect error with table0, row 6"


def test_source_that_stops_against_the_policy_is_found(certified):
    """It was to go on."""
    result = certified("ToleratedEndpoint", "PlacesErrorsTask")

    assert result.outcome is Outcome.FAIL
    assert result.observed.startswith("0 records, table0, row 6: ")


def test_restart_that_goes_past_the_row_is_found(certified):
    """The first five are handed out, and the next task begins behind the sixth."""
    result = certified("CorruptEndpoint", "PlacesErrorsTask", _STARTS, _GOES_PAST)

    assert (result.outcome, result.observed) == (Outcome.FAIL, "no error")
    assert result.scenario.endswith("; started again after the error")


def test_restart_at_the_row_is_right(certified):
    """The same source, which begins at the sixth."""
    result = certified("CorruptEndpoint", "PlacesErrorsTask", _STARTS, _IN_FIVES)

    assert (result.outcome, result.message) == (Outcome.PASS, "")
