"""``SchemaProjector`` does what Java's does, but for the table of deviations."""

from __future__ import annotations

from typing import Any

from tests.oracle.golden import golden
from tests.oracle.notation import (
    comparable,
    is_representable,
    read_schema,
    read_value,
    write_value,
)
from tests.runtime.schema.deviation import Deviation, expected_outcome

from plugwright.errors import DataError
from plugwright.schema import SchemaProjector

LINES = golden("projector")

DEVIATIONS = (
    Deviation(
        "no-schema",
        r"projector/without-schema/.*",
        "message",
        "Java fails with a NullPointerException; ours says which schema is missing.",
    ),
)


def answer(case: dict[str, Any]) -> dict[str, Any]:
    """The result of a case in the notation; an error as its message and that of its cause."""
    source, target = read_schema(case["source"]), read_schema(case["target"])
    try:
        value = SchemaProjector.project(source, read_value(case["value"], source), target)
    except DataError as error:
        return {"error": [str(error), error.__cause__ and str(error.__cause__)]}
    return {"value": write_value(value, target)}


def outcome(line: Any) -> str:
    """``same``; else ``message``, ``error`` or ``value``, for how ours differs from Java's."""
    ours, theirs = answer(line.case), line.result
    if "error" in theirs:
        if "error" not in ours:
            return "value"
        cause = theirs["error"].get("cause", {}).get("message")
        return "same" if ours["error"] == [theirs["error"]["message"], cause] else "message"
    if "error" in ours:
        return "error"
    target = read_schema(line.case["target"])
    same = is_representable(line) and comparable(ours, target) == comparable(theirs, target)
    return "same" if same else "value"


def test_projections_are_those_of_java_or_as_the_table_of_deviations_says():
    """Values, messages and causes equal Java's; where they do not, a row tells why."""
    found = {line.id: outcome(line) for line in LINES}

    assert found == {line.id: expected_outcome(DEVIATIONS, line.id) for line in LINES}


def test_all_cases_are_there():
    """The comparison cannot pass by not running."""
    assert len(LINES) > 270
