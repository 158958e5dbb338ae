"""Cast: every type to every target, whole and by field."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["cases"]

TARGETS = ("int8", "int16", "int32", "int64", "float32", "float64", "boolean", "string")
INPUTS: dict[str, tuple[Any, Any]] = {
    "int8": ("int8", -5),
    "int16": ("int16", 300),
    "int32": ("int32", 70000),
    "int64": ("int64", 3000000000),
    "float32": ("float32", 1.5),
    "float32-big": ("float32", 3e10),
    "float64": ("float64", -1.9),
    "float64-big": ("float64", 1e300),
    "nan": ("float64", {"$float64": "NaN"}),
    "true": ("boolean", True),
    "false": ("boolean", False),
    "text-42": ("string", "42"),
    "text-4.2": ("string", "4.2"),
    "text-300": ("string", "300"),
    "text-blank": ("string", " 4"),
    "text-plus": ("string", "+4"),
    "text-exp": ("string", "1e3"),
    "text-true": ("string", "TRUE"),
    "text-word": ("string", "abc"),
    "text-empty": ("string", ""),
    "text-nan": ("string", "NaN"),
    "text-suffix": ("string", "1.5f"),
    "text-hex": ("string", "0x1p3"),
    "text-underscore": ("string", "1_0"),
    "text-arabic": ("string", "\u0661\u0662"),
    "bytes": ("bytes", {"$bytes": "AP8Q"}),
    "buffer": ("bytes", {"$buffer": "AP8Q"}),
    "date": ("date", {"$date": 86400000}),
    "time": ("time", {"$date": 3600000}),
    "timestamp": ("timestamp", {"$date": 1483425001864}),
    "decimal": ("decimal(2)", {"$decimal": ["150", 2]}),
    "null": ("int32?", None),
    "array": ({"type": "array", "items": "int8"}, [1]),
    "map": ({"type": "map", "keys": "string", "values": "int8"}, {"a": 1}),
}
SPECS: dict[str, Any] = {
    "none": None,
    "empty": "",
    "blank": "  ",
    "only-comma": ",",
    "unknown": "int128",
    "upper": "INT8",
    "bytes": "bytes",
    "array": "array",
    "struct": "a:struct",
    "field-unknown": "a:foo",
    "field-bytes": "a:bytes",
    "three-parts": "a:b:c",
    "whole-and-field": "int8,a:int8",
    "two-wholes": "int8,int16",
    "spaces": " a : int8 , b : string ",
    "no-name": ":int8",
    "no-type": "a:",
    "twice": "a:int8,a:string",
    "trailing-comma": "a:int8,",
}
SMALL = {"type": "struct", "fields": [["a", "int32"], ["b", "string"]]}
STRUCT = {
    "type": "struct",
    "name": "S",
    "version": 2,
    "doc": "d",
    "parameters": {"p": "q"},
    "fields": [
        ["a", {"type": "int32", "doc": "field doc", "default": 300}],
        ["b", "string?"],
        ["c", {"type": "int64", "optional": True, "default": 5}],
        ["d", "timestamp?"],
        ["e", {"type": "array", "items": "int8", "optional": True}],
    ],
}


def _record(schema: Any, value: Any, part: str = "value", kind: str = "source") -> dict[str, Any]:
    data: dict[str, Any] = {} if schema is None else {"schema": schema}
    return {"kind": kind, "topic": "t", "timestamp": 5, part: {**data, "value": value}}


def _case(
    spec: Any, record: dict[str, Any], part: str = "Value", **settings: str
) -> dict[str, Any]:
    given = {} if spec is None else {"spec": spec}
    return {
        "kind": "transform",
        "class": f"Cast${part}",
        "settings": {**given, **settings},
        "record": record,
    }


def cases() -> Iterator[tuple[str, dict[str, Any]]]:
    """Every case under its id."""
    for name, (schema, value) in INPUTS.items():
        for target in TARGETS:
            yield f"Cast/schema/{name}/{target}", _case(target, _record(schema, value))
            tagged = value
            if (
                isinstance(schema, str)
                and isinstance(value, (int, float))
                and value not in {True, False}
            ):
                tagged = {f"${schema}": value}
            yield f"Cast/schemaless/{name}/{target}", _case(target, _record(None, tagged))
    for name, spec in SPECS.items():
        yield f"Cast/spec/{name}", _case(spec, _record(SMALL, {"a": 1, "b": "2"}))
        yield f"Cast/spec/{name}/schemaless", _case(spec, _record(None, {"a": 1, "b": "2"}))
    yield from _fields()


def _fields() -> Iterator[tuple[str, dict[str, Any]]]:
    full = {"a": 1000, "b": "7", "c": 9, "d": {"$date": 1483425001864}, "e": [1]}
    plain = {"a": 1000, "b": "7", "n": None}
    for name, spec in {
        "one": "a:int8",
        "many": "a:string,b:int64,c:boolean,d:string",
        "to-number": "d:int64",
        "container": "e:string",
        "missing": "x:int8",
        "null": "b:int8,n:int8",
    }.items():
        yield f"Cast/fields/{name}/full", _case(spec, _record(STRUCT, full))
        yield f"Cast/fields/{name}/unset", _case(spec, _record(STRUCT, {}))
        keep = _case(spec, _record(STRUCT, {}), **{"replace.null.with.default": "false"})
        yield f"Cast/fields/{name}/unset/keep-null", keep
        yield f"Cast/fields/{name}/schemaless", _case(spec, _record(None, plain))
        yield f"Cast/fields/{name}/key", _case(spec, _record(STRUCT, full, "key"), "Key")
    for name, (schema, value) in {
        "tombstone": (None, None),
        "tombstone-with-schema": (STRUCT | {"optional": True}, None),
        "text": ("string", "a"),
        "schemaless-text": (None, "a"),
        "list": (None, [1]),
    }.items():
        yield f"Cast/top/{name}", _case("a:int8", _record(schema, value))
    yield "Cast/top/whole-map", _case("int8", _record(None, {"a": 1}))
    yield "Cast/top/whole-struct", _case("int8", _record(STRUCT, {}))
    yield "Cast/top/sink", _case("string", _record("int8", 1, kind="sink"))
    default = {"type": "int32", "default": 300, "optional": True, "name": "n", "doc": "d"}
    for target in TARGETS:
        yield f"Cast/default/{target}", _case(target, _record(default, None))
        keep = _case(target, _record(default, None), **{"replace.null.with.default": "false"})
        yield f"Cast/default/{target}/keep-null", keep
