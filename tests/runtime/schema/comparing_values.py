"""Compare what our ``Values`` do with what Java's did."""

from __future__ import annotations

import re
from typing import Any

from tests.oracle.notation import (
    comparable,
    is_representable,
    read_data,
    write_data,
    write_schema,
    write_value,
)

from plugwright.errors import DataError
from plugwright.schema import SchemaAndValue, Values

__all__ = ["answer", "outcome"]

_SHOWN = re.compile(r"(?<=Unable to convert ).* \(class [^ ]+\)(?= to )", re.DOTALL)

_PACKAGE = re.compile(r"java\.(\w+\.)+")

_METHOD = re.compile("(?=[A-Z])")


def answer(case: dict[str, Any]) -> dict[str, Any]:
    """The result of a case in the notation; an error as its message."""
    method = _METHOD.sub("_", case["method"]).lower()
    try:
        return _converted(method, case)
    except DataError as error:
        return {"message": _language_neutral(str(error))}


def _converted(method: str, case: dict[str, Any]) -> dict[str, Any]:
    if method == "parse_string":
        parsed = Values.parse_string(case["text"])
        return {"data": write_data(parsed.schema, parsed.value)}
    given = read_data(case["data"]) or SchemaAndValue(None, None)
    if method == "infer_schema":
        return {"schema": write_schema(Values.infer_schema(given.value))}
    scale = [case.get("scale", 0)] if method == "convert_to_decimal" else []
    value = getattr(Values, method)(given.schema, given.value, *scale)
    return {"value": write_value(value, None)}


def _language_neutral(message: str) -> str:
    """A message without what prints in each language's words: converted values, packages."""
    return _PACKAGE.sub("", _SHOWN.sub("…", message))


def outcome(line: Any) -> str:
    """``same``; else ``message``, ``error`` or ``value``, for how ours differs from Java's."""
    ours = answer(line.case)
    if "error" in line.result:
        if "message" not in ours:
            return "value"
        theirs = _language_neutral(str(line.result["error"]["message"]))
        return "same" if ours["message"] == theirs else "message"
    if "message" in ours:
        return "error"
    same = is_representable(line) and comparable(ours) == comparable(line.result)
    return "same" if same else "value"
