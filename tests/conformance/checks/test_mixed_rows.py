"""A sink may refuse a new field, but not what lacks one that it has stored."""

from __future__ import annotations

import pytest
from tests.conformance.conftest import PLUGIN_PATH

from plugwright_conformance.evidence.outcome import Outcome
from plugwright_conformance.mutants import materialise_base
from plugwright_conformance.mutants.mutant import replace_text

pytestmark = pytest.mark.slow

RAISE = 'raise DataError("not this", code="rows.type")'
PUT = "        lines = [self.line(record)"
LONGER = '[any(f.name == "added_later" for f in r.value_schema.fields) for r in records]'


@pytest.fixture
def refusing(tmp_path, run):
    """Runs the check over the sink of rows, which refuses some batches."""

    def refusing(batches):
        location = tmp_path / "refusing"
        materialise_base("rows-sink", PLUGIN_PATH, location)
        (module,) = location.glob("*/sink.py")
        refuse = f"        if {batches}:\n            {RAISE}\n"
        replace_text(module, PUT, f"        longer = {LONGER}\n{refuse}{PUT}")
        (result,) = run(location, "SNK-SCH-09").results
        return result

    return refusing


@pytest.mark.parametrize("batches", ["any(longer)", "len({*longer}) > 1"])
def test_sink_may_refuse_the_field_or_the_mixture(refusing, batches):
    """Every batch with the field, or one with and without it."""
    result = refusing(batches)

    assert (result.outcome, result.message) == (
        Outcome.NOT_APPLICABLE,
        "the sink refuses them: not this",
    )


def test_sink_that_has_stored_the_field_goes_on_without_it(refusing):
    """The others are refused, and so is the third row of three that are put alone."""
    result = refusing("len({*longer}) > 1 or [r.kafka_offset for r in records] == [2]")

    assert result.outcome is Outcome.FAIL
    assert result.observed == "DataError: not this"
