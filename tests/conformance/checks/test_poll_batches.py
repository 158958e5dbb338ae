"""A source is held to the batches that it declares, and to nothing else."""

from __future__ import annotations

import pytest
from tests.conformance.conftest import PLUGIN_PATH

from plugwright_conformance.evidence.outcome import Outcome
from plugwright_conformance.mutants import materialise_base

pytestmark = pytest.mark.slow


@pytest.fixture
def declaring(tmp_path, run):
    """Runs the check over the source of lines, whose batches have 100, with another declaration."""

    def declaring(most):
        location = tmp_path / "declared"
        materialise_base("lines-source", PLUGIN_PATH, location)
        (file,) = location.glob("*/conformance.toml")
        text = file.read_text("utf-8")
        assert text.count("parallel = false") == 1
        file.write_text(
            text.replace("parallel = false", f"parallel = false\nmax_poll_records = {most}"),
            "utf-8",
        )
        (result,) = run(location, "CON-RES-06").results
        return result

    return declaring


def test_nothing_is_asked_of_a_source_that_declares_nothing(run):
    """Whatever its batches are."""
    (result,) = run("lines-source", "CON-RES-06").results

    assert (result.outcome, result.message) == (
        Outcome.NOT_APPLICABLE,
        "max_poll_records is not declared",
    )


def test_batches_may_be_as_large_as_declared(declaring):
    """Three of them wait."""
    result = declaring(100)

    assert (result.outcome, result.message, result.observations) == (Outcome.PASS, "", 3)
    assert result.figures == {"values": 300, "largest": 100}


def test_batch_that_is_larger_by_one_is_found(declaring):
    """The bound is what was declared."""
    result = declaring(99)

    assert result.outcome is Outcome.FAIL
    assert (result.expected, result.observed) == (
        "at most 99 records from one poll()",
        "100 records",
    )
