"""MaskField: every type, with and without replacement."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.oracle.cases.building import POINT, data, record, sides, transform

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.oracle.cases.building import Case

__all__ = ["cases"]

TYPES: dict[str, tuple[Any, Any]] = {
    "int8": ("int8", 5),
    "int16": ("int16", 5),
    "int32": ("int32", 5),
    "int64": ("int64", 5),
    "float32": ("float32", 1.5),
    "float64": ("float64", 1.5),
    "boolean": ("boolean", True),
    "string": ("string", "secret"),
    "bytes": ("bytes", {"$bytes": "AQI="}),
    "buffer": ("bytes", {"$buffer": "AQI="}),
    "decimal": ("decimal(2)", {"$decimal": ["150", 2]}),
    "date": ("date", {"$date": 86400000}),
    "time": ("time", {"$date": 1000}),
    "timestamp": ("timestamp", {"$date": 1000}),
    "array": ({"type": "array", "items": "int8"}, [1]),
    "map": ({"type": "map", "keys": "string", "values": "int8"}, {"a": 1}),
    "struct": (POINT, {"x": 1}),
    "default": ({"type": "int32", "default": 5}, 9),
    "optional": ("int32?", 9),
    "unset": ("int32?", None),
    "unset-default": ({"type": "string", "optional": True, "default": "d"}, None),
}
_REPLACEABLE = ("int8", "int32", "float32", "float64", "string", "decimal", "default", "unset")
REPLACEMENTS = (None, "", "123", "300", "-1.5", "xxx", " 7", "1e2", "9999999999", "NaN")
_BAD: dict[str, dict[str, Any]] = {
    "none": {},
    "empty": {"fields": ""},
    "missing": {"fields": "zip"},
    "missing-replacement": {"fields": "zip", "replacement": "x"},
    "two": {"fields": "f,g"},
}


def cases() -> Iterator[Case]:
    """Every case under its id."""
    for name, (schema, value) in TYPES.items():
        for replacement in REPLACEMENTS:
            if name not in _REPLACEABLE and replacement not in {None, "123", "xxx"}:
                continue
            settings = {"fields": "f"} | (
                {} if replacement is None else {"replacement": replacement}
            )
            struct = {"type": "struct", "fields": [["f", schema]]}
            tail = "none" if replacement is None else f"to-{replacement}"
            given = record(data(struct, {} if value is None else {"f": value}))
            yield f"MaskField/struct/{name}/{tail}", transform("MaskField$Value", settings, given)
            given = record(data(None, {"f": _tagged(schema, value), "g": 1}))
            yield f"MaskField/map/{name}/{tail}", transform("MaskField$Value", settings, given)
    wide = {"type": "struct", "name": "W", "fields": [["f", "int32"], ["g", "string?"]]}
    tops: dict[str, tuple[Any, Any]] = {
        "struct": (wide, {"f": 1, "g": "x"}),
        "map": (None, {"f": 1, "g": "x"}),
        "tombstone": (None, None),
        "null": ({**wide, "optional": True}, None),
        "text": ("string", "a"),
        "plain-text": (None, "a"),
    }
    for top, content in tops.items():
        yield from sides("MaskField", f"top/{top}", {"fields": "f"}, data(*content))
    for name, settings in _BAD.items():
        for top in ("struct", "map"):
            case = transform("MaskField$Value", settings, record(data(*tops[top])))
            yield f"MaskField/bad/{name}/{top}", case
    keep = {"fields": "f", "replace.null.with.default": "false"}
    case = {
        "type": "struct",
        "fields": [["f", "int8"], ["g", {"type": "int8", "optional": True, "default": 3}]],
    }
    yield "MaskField/keep-null", transform("MaskField$Value", keep, record(data(case, {"f": 1})))


def _tagged(schema: Any, value: Any) -> Any:
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not number or not isinstance(schema, str):
        return value if schema is not POINT else {"$struct": {"schema": POINT, "fields": value}}
    return {f"${schema.removesuffix('?')}": value}
