"""Schemaless data in Avro: a record that can hold any value, as in Confluent's converter."""

from __future__ import annotations

import json
from typing import Any

from plugwright.converters._avro_names import NAMESPACE
from plugwright.converters.misfit import MAX_DEPTH, MisfitError, found, too_deep
from plugwright.schema import INT64_SCHEMA

ANYTHING = f"{NAMESPACE}.Anything"
_SIMPLE = ("boolean", "bytes", "double", "float", "int", "long", "string")
_ENTRY = {
    "type": "record",
    "name": "MapEntry",
    "fields": [{"name": "key", "type": "Anything"}, {"name": "value", "type": "Anything"}],
}


def _text() -> str:
    types: dict[str, Any] = dict(zip(_SIMPLE, _SIMPLE, strict=True))
    types["array"] = {"type": "array", "items": "Anything"}
    types["map"] = {"type": "array", "items": _ENTRY}
    fields = [
        {"name": name, "type": ["null", type_], "default": None} for name, type_ in types.items()
    ]
    head = {"type": "record", "name": "Anything", "namespace": NAMESPACE}
    return json.dumps({**head, "fields": fields}, separators=(",", ":"))


ANYTHING_TEXT = _text()
"""The schema as it is registered."""


def write_anything(value: Any, depth: int = 0) -> dict[str, Any]:
    """The record of a schemaless value: whole numbers as long, others as double.

    Raises:
        MisfitError: if schemaless data cannot hold a class, or the nesting is too deep.
    """
    if depth > MAX_DEPTH:
        raise too_deep()
    if value is None:
        return {}
    if isinstance(value, list):
        return {"array": [_at(index, item, depth) for index, item in enumerate(value)]}
    if isinstance(value, dict):
        entries = [
            {"key": write_anything(key, depth + 1), "value": _at(key, item, depth)}
            for key, item in value.items()
        ]
        return {"map": entries}
    return {_simple(value): bytes(value) if isinstance(value, (bytearray, memoryview)) else value}


def _at(step: object, item: Any, depth: int) -> dict[str, Any]:
    try:
        return write_anything(item, depth + 1)
    except MisfitError as error:
        error.in_item(step)
        raise


def _simple(value: Any) -> str:
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, (bytes, bytearray, memoryview)):
        return "bytes"
    if isinstance(value, float):
        return "double"
    if isinstance(value, str):
        return "string"
    if INT64_SCHEMA.accepts(value):
        return "long"
    raise MisfitError(
        f"schemaless data cannot hold {found(value)}",
        code="data.wrong-type",
        hint="give the record a schema",
    )


def read_anything(node: dict[str, Any], depth: int = 0) -> Any:
    """The schemaless value of such a record.

    Raises:
        MisfitError: if Python cannot hash a key, or the nesting is too deep.
    """
    if depth > MAX_DEPTH:
        raise too_deep()
    for name in _SIMPLE:
        if node[name] is not None:
            return node[name]
    if node["array"] is not None:
        return [read_anything(item, depth + 1) for item in node["array"]]
    if node["map"] is None:
        return None
    try:
        return {
            read_anything(entry["key"], depth + 1): read_anything(entry["value"], depth + 1)
            for entry in node["map"]
        }
    except TypeError as error:
        raise MisfitError("a list or map cannot be the key of a map") from error
