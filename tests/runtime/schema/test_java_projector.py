"""``SchemaProjector`` does what Java's does, but for the table of deviations."""

from __future__ import annotations

from tests.oracle.golden import golden
from tests.runtime.schema.comparing_projector import outcome
from tests.runtime.schema.deviation import Deviation, expected_outcome

LINES = golden("projector")

DEVIATIONS = (
    Deviation(
        "no-schema",
        r"projector/without-schema/.*",
        "message",
        "Java fails with a NullPointerException; ours says which schema is missing.",
    ),
)


def test_projections_are_those_of_java_or_as_the_table_of_deviations_says():
    """Values, messages and causes equal Java's; where they do not, a row tells why."""
    found = {line.id: outcome(line) for line in LINES}

    assert found == {line.id: expected_outcome(DEVIATIONS, line.id) for line in LINES}


def test_all_cases_are_there():
    """The comparison cannot pass by not running."""
    assert len(LINES) > 270
