"""Compare what our projector does with what Java's did."""

from __future__ import annotations

from typing import Any

from tests.oracle.notation import (
    comparable,
    is_representable,
    read_schema,
    read_value,
    write_value,
)

from plugwright.errors import DataError
from plugwright.schema import SchemaProjector

__all__ = ["answer", "outcome"]


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
