"""A source without a stored offset may begin with what is there, or with what comes next."""

from __future__ import annotations

import pytest
from tests.conformance.conftest import PLUGIN_PATH

from plugwright_conformance.evidence.outcome import Outcome
from plugwright_conformance.mutants import materialise_base

pytestmark = pytest.mark.slow

_FIRST = "line = 0 if offset is None"


@pytest.fixture
def beginning(tmp_path, run):
    """Runs the check over a source of lines that begins at another line."""

    def beginning(line):
        location = tmp_path / "changed"
        materialise_base("lines-source", PLUGIN_PATH, location)
        (module,) = location.glob("*/source.py")
        text = module.read_text("utf-8")
        assert text.count(_FIRST) == 1
        module.write_text(text.replace(_FIRST, f"line = {line} if offset is None"), "utf-8")
        (result,) = run(location, "SRC-OFF-13").results
        return result

    return beginning


def test_everything_is_read_in_three_ways(run):
    """There before the start, there after it, and there before the second start."""
    (result,) = run("lines-source", "SRC-OFF-13").results

    assert (result.outcome, result.message, result.observations) == (Outcome.PASS, "", 24)


def test_source_may_begin_with_what_comes_next(beginning):
    """What is there before it starts is none of its business, in every life without an offset."""
    result = beginning("len(self._read(table))")

    assert (result.outcome, result.message, result.observations) == (Outcome.PASS, "", 16)


def test_source_that_begins_with_the_second_value_is_found(beginning):
    """It is neither of both."""
    result = beginning("min(1, len(self._read(table)))")

    assert result.outcome is Outcome.FAIL
    assert result.observed.startswith("7 records, first ")
    assert result.scenario == "no stored offset; 8 values were there"


def test_source_whose_beginning_depends_on_its_start_is_found(mutate, run):
    """It reads everything that is there, and skips what comes into an empty table."""
    (result,) = run(mutate("M315"), "SRC-OFF-13").results

    assert result.outcome is Outcome.FAIL
    assert (result.expected, result.observed) == (
        "8 values, from the first one on",
        "0 records, first 'nothing'",
    )
