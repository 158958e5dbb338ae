"""What Python can tell of a golden line."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from tests.oracle.data import (
    NotRepresentableError,
    read_data,
    read_schema,
    read_value,
    write_data,
    write_schema,
    write_value,
)
from tests.oracle.records import read_record, write_record

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.oracle.golden import Line

    from plugwright.schema import Schema

__all__ = ["comparable", "has_width", "is_representable"]

_WIDTHS = ('"$int8"', '"$int16"', '"$int32"', '"$float32"')


def comparable(result: Mapping[str, Any], schema: Schema | None = None) -> str:
    """The text of a result, golden or written by a test, as far as Python can tell values apart.

    Args:
        result: the result.
        schema: the schema of a bare ``value``: the target of a projection.

    Raises:
        NotRepresentableError: if there is no such value in Python.
    """
    seen = dict(result)
    if "data" in seen:
        data = read_data(seen["data"])
        seen["data"] = None if data is None else write_data(data.schema, data.value)
    if "value" in seen:
        seen["value"] = write_value(read_value(seen["value"], schema), schema)
    if "schema" in seen:
        seen["schema"] = write_schema(read_schema(seen["schema"]))
    if seen.get("record") is not None:
        seen["record"] = write_record(read_record(seen["record"]))
    return json.dumps(seen, sort_keys=True)


def is_representable(line: Line) -> bool:
    """Whether Python has every value of the case and of the answer."""
    case = line.case
    try:
        read_data(case.get("data"))
        read_record(case.get("record") or {})
        source = read_schema(case.get("source", case.get("schema")))
        target = read_schema(case.get("target"))
        read_value(case.get("value"), source)
        comparable(line.result, target)
    except NotRepresentableError:
        return False
    return True


def has_width(line: Line) -> bool:
    """Whether the case has a Byte, Short, Integer or Float where no schema says so.

    Python has one class for whole numbers and one for others, so its answer may differ.
    """
    given = json.dumps([line.case.get("data"), line.case.get("record"), line.case.get("value")])
    return any(tag in given for tag in _WIDTHS)
