"""Every setting of every plugin as null, as JSON lets a client send it: alone and all together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.oracle.cases.building import POINT, data, record, transform

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tests.oracle.cases.building import Case

__all__ = ["BASES", "cases"]

_REPLACE = "replace.null.with.default"
_SIDED: dict[str, dict[str, Any]] = {
    "Cast": {"spec": "x:string", _REPLACE: "true"},
    "ExtractField": {"field": "x", "field.syntax.version": "V2", _REPLACE: "true"},
    "Flatten": {"delimiter": "_"},
    "HeaderFrom": {"fields": "x", "headers": "h", "operation": "copy", _REPLACE: "true"},
    "HoistField": {"field": "f"},
    "InsertField": {
        "topic.field": "t",
        "partition.field": "p",
        "timestamp.field": "m",
        "static.field": "s",
        "static.value": "v",
        _REPLACE: "true",
    },
    "MaskField": {"fields": "x", "replacement": "7", _REPLACE: "true"},
    "ReplaceField": {"exclude": "z", "include": "x,y", "renames": "x:w", _REPLACE: "true"},
    "SetSchemaMetadata": {"schema.name": "n", "schema.version": "3", _REPLACE: "true"},
    "TimestampConverter": {
        "field": "x",
        "target.type": "string",
        "format": "yyyy",
        "unix.precision": "seconds",
        _REPLACE: "true",
    },
}
_WHOLE: dict[str, dict[str, Any]] = {
    "DropHeaders": {"headers": "h"},
    "Filter": {},
    "InsertHeader": {"header": "h", "value.literal": "5"},
    "RegexRouter": {"regex": "(.*)", "replacement": "$1-r"},
    "TimestampRouter": {"topic.format": "${topic}-${timestamp}", "timestamp.format": "yyyy"},
    "ValueToKey": {"fields": "x", _REPLACE: "true"},
}
_PREDICATES: dict[str, dict[str, Any]] = {
    "HasHeaderKey": {"name": "h"},
    "RecordIsTombstone": {},
    "TopicNameMatches": {"pattern": "t"},
}
_PRIMITIVES = ("Boolean", "ByteArray", "Double", "Float", "Integer", "Long", "Short")
_CONVERTERS: dict[str, dict[str, Any]] = {
    "JsonConverter": {
        "schemas.enable": "true",
        "schemas.cache.size": "10",
        "decimal.format": "NUMERIC",
        _REPLACE: "true",
        "schema.content": "",
        "converter.type": "value",
    },
    "SimpleHeaderConverter": {},
    "StringConverter": {"converter.encoding": "UTF-8", "converter.type": "value"},
    **{f"{name}Converter": {"converter.type": "value"} for name in _PRIMITIVES},
}
BASES: dict[str, dict[str, Any]] = {**_SIDED, **_WHOLE, **_PREDICATES, **_CONVERTERS}
"""Good settings of each class, by its name without a side."""

_POINT = {**POINT, "fields": [["x", "int64"], ["y", "int64?"]]}
_STRUCT = record(data(_POINT, {"x": 1000, "y": 2}), timestamp=5)
_MAPS = record(data(None, {"x": 1000}), data(None, {"x": 1000, "y": 2}), timestamp=5)


def cases() -> Iterator[Case]:
    """Every case under its id."""
    for name, base in _SIDED.items():
        yield from _transformations(f"{name}$Value", base, _STRUCT)
        yield from _transformations(f"{name}$Key", base, _MAPS)
    for name, base in _WHOLE.items():
        yield from _transformations(name, base, _MAPS)
    for name, base in _PREDICATES.items():
        for key, settings in _nulled(base):
            case = {"kind": "predicate", "class": name, "settings": settings}
            yield f"nulls/{name}/{key}", {**case, "record": record(data("string", "v"))}
    for name, base in _CONVERTERS.items():
        for key, settings in _nulled(base):
            yield from _conversions(f"nulls/{name}/{key}", name, settings)


def _nulled(base: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The settings with one of them null, with all of them null, and with a null of no meaning."""
    for key in base:
        yield key, {**base, key: None}
    if len(base) > 1:
        yield "all", dict.fromkeys(base)
    yield "unknown", {**base, "no.such.setting": None}


def _transformations(
    name: str, base: Mapping[str, Any], given: Mapping[str, Any]
) -> Iterator[Case]:
    for key, settings in _nulled(base):
        yield f"nulls/{name}/{key}", transform(name, settings, given)


def _conversions(key: str, name: str, settings: Mapping[str, Any]) -> Iterator[Case]:
    for role in ("header",) if name == "SimpleHeaderConverter" else ("value", "header"):
        head = {"kind": "converter", "class": name, "settings": settings, "role": role}
        yield f"{key}/{role}/from", {**head, "direction": "from", "data": data("string", "s")}
        yield f"{key}/{role}/to", {**head, "direction": "to", "text": '"s"'}
