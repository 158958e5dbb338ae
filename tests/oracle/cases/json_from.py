"""JsonConverter writing: every type with its boundaries, nulls, defaults and wrong classes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["cases"]

_MAX = 1.7976931348623157e308
VALUES: dict[str, list[Any]] = {
    "int8": [0, -128, 127],
    "int16": [-32768, 32767],
    "int32": [-(2**31), 2**31 - 1],
    "int64": [-(2**63), 2**63 - 1, 2**53 + 1],
    "float32": [
        0.0,
        -0.0,
        1.0,
        0.1,
        1e7,
        1e-3,
        9999999.0,
        3.4028234663852886e38,
        1.4e-45,
        16777217,
    ],
    "float64": [0.0, -0.0, 1.0, 0.1, 1e7, 1e-3, 12345678.9, 1e21, 1e-7, _MAX, 5e-324, 100.0],
    "boolean": [True, False],
    "string": ["", "plain", 'q"b\\s/', "\u0000\u001f\n\t\u007f", "é€😀", "\u2028", "</script>"],
    "bytes": [{"$bytes": ""}, {"$bytes": "AP8Q"}, {"$buffer": "AQID"}],
    "decimal(2)": [
        {"$decimal": ["0", 2]},
        {"$decimal": ["150", 2]},
        {"$decimal": ["-12345678901234567890", 2]},
    ],
    "decimal(0)": [{"$decimal": ["7", 0]}],
    "decimal(-2)": [{"$decimal": ["7", -2]}],
    "decimal(20)": [{"$decimal": ["1", 20]}],
    "date": [{"$date": 0}, {"$date": -86400000}, {"$date": 253402214400000}],
    "time": [{"$date": 0}, {"$date": 86399999}],
    "timestamp": [{"$date": 0}, {"$date": -1}, {"$date": 253402300799999}],
}
NOT_FINITE = ["NaN", "Infinity", "-Infinity"]
POINT = {"type": "struct", "name": "Point", "fields": [["x", "int32"], ["y", "int32?"]]}
WITH_DEFAULT = {"type": "int32", "optional": True, "default": 42}
REQUIRED_DEFAULT = {"type": "int32", "default": 42}
ENVELOPES = {"envelope": {}, "plain": {"schemas.enable": "false"}}
NUMERIC = {"decimal.format": "NUMERIC"}
KEEP_NULL = {"replace.null.with.default": "false"}

CONTAINERS: dict[str, tuple[Any, Any]] = {
    "array": ({"type": "array", "items": "int32"}, [1, 2, 3]),
    "array-empty": ({"type": "array", "items": "int32"}, []),
    "array-null-item": ({"type": "array", "items": "int32?"}, [1, None]),
    "array-null-required-item": ({"type": "array", "items": "int32"}, [1, None]),
    "array-default-item": ({"type": "array", "items": WITH_DEFAULT}, [1, None]),
    "array-wrong-item": ({"type": "array", "items": "int32"}, ["a"]),
    "array-of-array": (
        {"type": "array", "items": {"type": "array", "items": "string"}},
        [["a"], [], ["b", "c"]],
    ),
    "array-of-struct": ({"type": "array", "items": POINT}, [{"x": 1}, {"x": 2, "y": 3}]),
    "map-string": ({"type": "map", "keys": "string", "values": "int32"}, {"a": 1, "b": 2}),
    "map-empty": ({"type": "map", "keys": "string", "values": "int32"}, {}),
    "map-null-value": ({"type": "map", "keys": "string", "values": "int32?"}, {"a": None}),
    "map-null-required-value": ({"type": "map", "keys": "string", "values": "int32"}, {"a": None}),
    "map-optional-key": ({"type": "map", "keys": "string?", "values": "int32"}, {"a": 1}),
    "map-null-key": (
        {"type": "map", "keys": "string?", "values": "int32"},
        {"$map": [[None, 1]]},
    ),
    "map-int-keys": ({"type": "map", "keys": "int32", "values": "string"}, {"$map": [[1, "a"]]}),
    "map-empty-int-keys": ({"type": "map", "keys": "int32", "values": "string"}, {"$map": []}),
    "map-bool-keys": ({"type": "map", "keys": "boolean", "values": "int8"}, {"$map": [[True, 1]]}),
    "map-struct-keys": (
        {"type": "map", "keys": POINT, "values": "int8"},
        {"$map": [[{"x": 1}, 1]]},
    ),
    "map-date-keys": (
        {"type": "map", "keys": "date", "values": "timestamp"},
        {"$map": [[{"$date": 86400000}, {"$date": 5}]]},
    ),
    "struct": (POINT, {"x": 1, "y": 2}),
    "struct-unset-optional": (POINT, {"x": 1}),
    "struct-unset-required": (POINT, {"y": 1}),
    "struct-empty": ({"type": "struct", "fields": []}, {}),
    "struct-nested": (
        {"type": "struct", "fields": [["p", POINT], ["q", {**POINT, "optional": True}]]},
        {"p": {"x": 1}},
    ),
    "struct-default": ({"type": "struct", "fields": [["a", WITH_DEFAULT]]}, {}),
    "struct-default-required": ({"type": "struct", "fields": [["a", REQUIRED_DEFAULT]]}, {}),
    "struct-default-set": ({"type": "struct", "fields": [["a", REQUIRED_DEFAULT]]}, {"a": 1}),
    "struct-default-object": (
        {"type": "struct", "fields": [["p", {**POINT, "default": {"x": 9}}]]},
        {},
    ),
    "struct-odd-names": (
        {
            "type": "struct",
            "fields": [["a b", "int8"], ['"', "int8"], ["é", "int8"], ["a.b", "int8"]],
        },
        {"a b": 1, '"': 2, "é": 3, "a.b": 4},
    ),
    "struct-other-schema": (
        {"type": "struct", "name": "Other", "fields": [["x", "int32"]]},
        {"$struct": {"schema": POINT, "fields": {"x": 1}}},
    ),
}
METADATA: dict[str, Any] = {
    "all": {
        "type": "struct",
        "optional": True,
        "name": "com.example.All",
        "version": 3,
        "doc": "Words.",
        "parameters": {"b": "2", "a": "1"},
        "fields": [["f", {"type": "string", "doc": "A field.", "version": 0, "default": ""}]],
    },
    "primitive": {"type": "int64", "name": "n", "version": 1, "doc": "d", "parameters": {"p": "v"}},
    "empty-texts": {"type": "int64", "name": "", "doc": "", "parameters": {"": ""}},
}
DEFAULTS: dict[str, Any] = {
    "int8": 1,
    "float32": 0.1,
    "float64": 1e21,
    "boolean": False,
    "string": "x",
    "bytes": {"$bytes": "AQI="},
    "decimal(2)": {"$decimal": ["150", 2]},
    "date": {"$date": 86400000},
    "time": {"$date": 1000},
    "timestamp": {"$date": 1000},
}
SCHEMALESS: dict[str, Any] = {
    "null": None,
    "int8": {"$int8": 1},
    "int16": {"$int16": 1},
    "int32": {"$int32": 1},
    "int64": 2**62,
    "float32": {"$float32": 0.1},
    "float64": 0.1,
    "nan": {"$float64": "NaN"},
    "infinity": {"$float64": "-Infinity"},
    "boolean": True,
    "string": "a",
    "string-like-number": "12",
    "bytes": {"$bytes": "AQI="},
    "buffer": {"$buffer": "AQI="},
    "decimal": {"$decimal": ["150", 2]},
    "date": {"$date": 1000},
    "uuid": {"$uuid": "00000000-0000-0000-0000-000000000001"},
    "bigint": {"$bigint": "9223372036854775808"},
    "list": [1, "a", None, True, 1.5, [], {}],
    "list-of-uuid": [{"$uuid": "00000000-0000-0000-0000-000000000001"}],
    "map": {"a": 1, "b": None, "c": {"d": [1]}},
    "map-empty": {},
    "map-int-keys": {"$map": [[1, "a"]]},
    "map-mixed-keys": {"$map": [["a", 1], [2, 3]]},
    "map-null-key": {"$map": [[None, 1]]},
    "map-dollar-key": {"$map": [["$a", 1]]},
    "map-of-schema": {"schema": None, "payload": 1},
    "struct": {"$struct": {"schema": POINT, "fields": {"x": 1}}},
    "struct-in-map": {"a": {"$struct": {"schema": POINT, "fields": {"x": 1, "y": 2}}}},
}
WRONG: dict[str, list[Any]] = {
    "int8": [{"$int16": 1}, {"$int64": 1}, "1", True, 1.5, {"$date": 0}, [], {}],
    "int16": [{"$int8": 1}],
    "int32": [{"$int64": 1}, {"$float32": 1}, "x"],
    "int64": [{"$int32": 1}],
    "float32": [{"$float64": 1.5}, {"$int32": 1}],
    "float64": [{"$float32": 1.5}, {"$int64": 1}, {"$decimal": ["1", 0]}],
    "boolean": [{"$int8": 1}, "true"],
    "string": [{"$int64": 1}, {"$bytes": "YQ=="}, True],
    "bytes": ["a", {"$int64": 1}, {"$decimal": ["1", 0]}],
    "decimal(2)": [{"$decimal": ["15", 1]}, {"$bytes": "AQ=="}, 1.5, "1.50"],
    "date": [{"$date": 1}, {"$int32": 1}, "2020-01-01"],
    "time": [{"$date": 86400000}, {"$date": -1}, {"$int32": 1}],
    "timestamp": [{"$int64": 1}, "2020-01-01T00:00:00.000Z"],
}
_INNER: dict[str, dict[str, Any]] = {
    "array": {"items": "int8"},
    "map": {"keys": "string", "values": "int8"},
    "struct": {"fields": [["a", "int8"]]},
}


def _case(schema: Any, value: Any, **settings: str) -> dict[str, Any]:
    data: dict[str, Any] = {} if schema is None else {"schema": schema}
    return {
        "kind": "converter",
        "class": "JsonConverter",
        "settings": settings,
        "direction": "from",
        "data": {**data, "value": value},
    }


def _both(
    key: str, schema: Any, value: Any, **settings: str
) -> Iterator[tuple[str, dict[str, Any]]]:
    for name, envelope in ENVELOPES.items():
        yield f"json/from/{key}/{name}", _case(schema, value, **envelope, **settings)


def cases() -> Iterator[tuple[str, dict[str, Any]]]:
    """Every case under its id."""
    for type_, values in VALUES.items():
        for number, value in enumerate(values):
            yield from _both(f"value/{type_}/{number}", type_, value)
    for type_ in ("float32", "float64"):
        for text in NOT_FINITE:
            yield from _both(f"value/{type_}/{text}", type_, {f"${type_}": text})
    for name, (schema, value) in CONTAINERS.items():
        yield from _both(f"container/{name}", schema, value)
    yield from _nulls()
    for name, schema in METADATA.items():
        value = {"f": "v"} if schema["type"] == "struct" else 1
        yield f"json/from/metadata/{name}", _case(schema, value)
    for name, value in SCHEMALESS.items():
        yield from _both(f"schemaless/{name}", None, value)
    for type_, wrong in WRONG.items():
        for number, value in enumerate(wrong):
            yield f"json/from/wrong/{type_}/{number}", _case(type_, value)
    yield from _settings()


def _nulls() -> Iterator[tuple[str, dict[str, Any]]]:
    for type_ in (*VALUES, "array", "map", "struct"):
        inner = _INNER.get(type_, {})
        yield from _both(f"null/optional/{type_}", {"type": type_, "optional": True, **inner}, None)
        yield f"json/from/null/required/{type_}", _case({"type": type_, **inner}, None)
    for type_, default in DEFAULTS.items():
        for optional in (True, False):
            schema = {"type": type_, "optional": optional, "default": default}
            key = f"default/{type_}/{'optional' if optional else 'required'}"
            yield from _both(key, schema, None)
            keep = _case(schema, None, **KEEP_NULL)
            yield f"json/from/{key}/keep-null", keep


def _settings() -> Iterator[tuple[str, dict[str, Any]]]:
    for type_ in ("decimal(2)", "decimal(0)", "decimal(-2)", "decimal(20)"):
        for number, value in enumerate(VALUES[type_]):
            yield from _both(f"numeric/{type_}/{number}", type_, value, **NUMERIC)
    schemaless = {"$decimal": ["150", 2]}
    yield from _both("numeric/schemaless", None, schemaless, **NUMERIC)
    yield from _both("numeric/other-scale", "decimal(2)", {"$decimal": ["15", 1]}, **NUMERIC)
    default = {"type": "decimal(2)", "default": schemaless}
    yield from _both("numeric/default", default, None, **NUMERIC)
    for text in ("numeric", "Base64", "HEX", ""):
        settings = {"decimal.format": text}
        yield f"json/from/format/{text}", _case("decimal(2)", schemaless, **settings)
    for name in (
        "struct-default",
        "struct-default-required",
        "struct-default-object",
        "array-default-item",
    ):
        yield from _both(f"keep-null/{name}", *CONTAINERS[name], **KEEP_NULL)
    for role in ("key", "header"):
        yield f"json/from/role/{role}", {**_case("int32", 1), "role": role}
        yield f"json/from/role/{role}-schemaless", {**_case(None, 1), "role": role}
    for name, text in (
        ("schemas.enable", "maybe"),
        ("schemas.cache.size", "x"),
        ("schemas.cache.size", "-1"),
        ("schemas.cache.size", "0"),
        ("replace.null.with.default", "1"),
        ("unknown", "x"),
    ):
        yield f"json/from/settings/{name}={text}", _case("int32", 1, **{name: text})
