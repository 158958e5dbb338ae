"""Values.convertTo…: every kind of value to every kind, and inferSchema."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.oracle.cases.building import POINT, data

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.oracle.cases.building import Case

__all__ = ["cases"]

METHODS = ("Boolean", "Byte", "Short", "Integer", "Long", "Float", "Double", "String", "List",
"Map", "Struct", "Date", "Time",
           "Timestamp", "Decimal")  # fmt: skip
VALUES: dict[str, tuple[Any, Any]] = {
    "null": (None, None),
    "true": ("boolean", True),
    "int8": ("int8", 1),
    "int16-300": ("int16", 300),
    "int32-minus": ("int32", -70000),
    "int64-big": ("int64", 2**63 - 1),
    "int64-zero": ("int64", 0),
    "float32": ("float32", 0.1),
    "float64": ("float64", -1.9),
    "float64-half": ("float64", 0.5),
    "float64-big": ("float64", 3e10),
    "nan": ("float64", {"$float64": "NaN"}),
    "infinity": ("float64", {"$float64": "Infinity"}),
    "decimal": ("decimal(2)", {"$decimal": ["12345", 2]}),
    "decimal-big": ("decimal(0)", {"$decimal": ["99999999999999999999", 0]}),
    "text": ("string", "abc"),
    "text-empty": ("string", ""),
    "text-true": ("string", "true"),
    "text-TRUE": ("string", "TRUE"),
    "text-12": ("string", "12"),
    "text-300": ("string", "300"),
    "text-1.5": ("string", "1.5"),
    "text-1e30": ("string", "1e30"),
    "text-blank-1": ("string", " 1"),
    "text-nan": ("string", "NaN"),
    "text-null": ("string", "null"),
    "text-date": ("string", "2019-08-23"),
    "text-time": ("string", "14:34:54.346Z"),
    "text-timestamp": ("string", "2019-08-23T14:34:54.346Z"),
    "text-array": ("string", "[1,2]"),
    "text-map": ("string", '{"a":1}'),
    "text-quote": ("string", 'a"b\\c'),
    "bytes": ("bytes", {"$bytes": "AQI="}),
    "buffer": ("bytes", {"$buffer": "AQI="}),
    "date": ("date", {"$date": 86400000}),
    "time": ("time", {"$date": 52494346}),
    "timestamp": ("timestamp", {"$date": 1566570894346}),
    "timestamp-midnight": ("timestamp", {"$date": 1566518400000}),
    "timestamp-early": ("timestamp", {"$date": 5}),
    "timestamp-before": ("timestamp", {"$date": -5}),
    "list": ({"type": "array", "items": "int8"}, [1, 2]),
    "list-empty": ({"type": "array", "items": "int8"}, []),
    "map": ({"type": "map", "keys": "string", "values": "int8"}, {"a": 1}),
    "struct": (POINT, {"x": 1}),
}
PLAIN: dict[str, Any] = {
    "long": 5,
    "double": 1.5,
    "true": True,
    "text": "12",
    "bytes": {"$bytes": "AQI="},
    "decimal": {"$decimal": ["150", 2]},
    "date": {"$date": 86400000},
    "date-time": {"$date": 1566570894346},
    "list": [1, "a", None],
    "map": {"a": 1},
    "uuid": {"$uuid": "00000000-0000-0000-0000-000000000001"},
}
STRINGS: dict[str, Any] = {
    "nested": {"a": [1, {"b": [None, True]}], "c": "x"},
    "quotes": ['a"b', "a\\b", "a\nb", ""],
    "bytes-in-list": [{"$bytes": "AQI="}, {"$buffer": "AQI="}],
    "dates-in-list": [{"$date": 0}, {"$date": 86400000}, {"$date": 5}, {"$date": 1566570894346}],
    "decimals": [{"$decimal": ["150", 2]}, {"$decimal": ["15", -2]}, {"$decimal": ["1", 10]}],
    "floats": [
        {"$float32": 0.1},
        0.1,
        {"$float64": "NaN"},
        1e21,
        1e7,
        1e-3,
        1e-4,
        100.0,
        {"$float32": 1e10},
    ],
    "int-keys": {"$map": [[1, 2]]},
    "struct-in-list": [{"$struct": {"schema": POINT, "fields": {"x": 1, "y": 2}}}],
    "struct-unset": {"$struct": {"schema": POINT, "fields": {"x": 1}}},
    "bigint": {"$bigint": "99999999999999999999"},
}
INFER: dict[str, Any] = {
    "null": None,
    "int8": {"$int8": 1},
    "int64": 1,
    "float32": {"$float32": 1.5},
    "double": 1.5,
    "true": True,
    "text": "a",
    "bytes": {"$bytes": "AQ=="},
    "buffer": {"$buffer": "AQ=="},
    "decimal": {"$decimal": ["150", 2]},
    "date": {"$date": 0},
    "uuid": {"$uuid": "00000000-0000-0000-0000-000000000001"},
    "list": [1, 2],
    "list-empty": [],
    "list-mixed": [1, "a"],
    "list-null": [1, None],
    "list-null-first": [None, 1],
    "list-nested": [[1], [2]],
    "list-nested-empty": [[]],
    "map": {"a": 1},
    "map-empty": {},
    "map-mixed": {"a": 1, "b": "x"},
    "map-null": {"a": None},
    "struct": {"$struct": {"schema": POINT, "fields": {"x": 1}}},
}


def _case(method: str, content: dict[str, Any]) -> dict[str, Any]:
    case = {"kind": "values", "method": method, "data": content}
    return {**case, "scale": 2} if method == "convertToDecimal" else case


def cases() -> Iterator[Case]:
    """Every case under its id."""
    for method in METHODS:
        name = f"convertTo{method}"
        for key, content in VALUES.items():
            yield f"values/to-{method}/{key}", _case(name, data(*content))
        for key, value in PLAIN.items():
            yield f"values/to-{method}/plain-{key}", _case(name, data(None, value))
    for key, value in STRINGS.items():
        yield f"values/to-String/more-{key}", _case("convertToString", data(None, value))
    for key, value in INFER.items():
        yield f"values/infer/{key}", _case("inferSchema", data(None, value))
