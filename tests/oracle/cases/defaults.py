"""Defaults of whole structs, of structs on a path, of containers with NaN; odd settings."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

from tests.oracle.cases.building import data, record, transform

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.oracle.cases.building import Case

__all__ = ["cases"]

_FIELDS = [["when", "timestamp?"], ["o", {"type": "string", "optional": True, "default": "x"}]]
_STRUCT: dict[str, Any] = {"type": "struct", "fields": _FIELDS}
STRUCTS: dict[str, dict[str, Any]] = {
    "full": {**_STRUCT, "default": {"when": {"$date": 1000}, "o": "d"}},
    "partial": {**_STRUCT, "default": {"o": "d"}},
    "empty": {**_STRUCT, "default": {"$struct": {"fields": {}}}},
    "optional": {**_STRUCT, "optional": True, "default": {"when": {"$date": 1000}}},
}
VALUES: dict[str, Any] = {
    "full": {"when": {"$date": 5}, "o": "y"},
    "unset": {"o": "y"},
    "null": None,
}
_TIMES: dict[str, dict[str, str]] = {
    "unix": {"field": "when", "target.type": "unix"},
    "string": {"field": "when", "target.type": "string", "format": "yyyy"},
    "missing": {"field": "zip", "target.type": "unix"},
    "other": {"field": "o", "target.type": "unix", "format": "yyyy"},
}
OTHERS: dict[str, tuple[str, dict[str, str]]] = {
    "cast": ("Cast$Value", {"spec": "when:int64"}),
    "mask": ("MaskField$Value", {"fields": "o"}),
    "insert": ("InsertField$Value", {"topic.field": "t"}),
    "replace": ("ReplaceField$Value", {"exclude": "o"}),
    "flatten": ("Flatten$Value", {}),
    "hoist": ("HoistField$Value", {"field": "h"}),
    "metadata": ("SetSchemaMetadata$Value", {"schema.name": "n"}),
    "extract": ("ExtractField$Value", {"field": "when"}),
    "to-key": ("ValueToKey", {"fields": "o"}),
}
_LEAF = {"type": "int32", "optional": True}
PATHS: dict[str, tuple[dict[str, Any], list[Any]]] = {
    "outer-default": (
        {"type": "struct", "optional": True, "fields": [["a", _LEAF]], "default": {"a": 7}},
        [{"in": {"a": 1}}, {"in": {}}, {}],
    ),
    "leaf-default": (
        {"type": "struct", "optional": True, "fields": [["a", {**_LEAF, "default": 3}]]},
        [{"in": {"a": 1}}, {"in": {}}, {}],
    ),
    "both": (
        {
            "type": "struct",
            "optional": True,
            "fields": [["a", {**_LEAF, "default": 3}]],
            "default": {"$struct": {"fields": {}}},
        },
        [{"in": {"a": 1}}, {"in": {}}, {}],
    ),
    "required": (
        {"type": "struct", "fields": [["a", _LEAF]], "default": {"a": 7}},
        [{"in": {"a": 1}}, {}],
    ),
}
SETTINGS: tuple[tuple[str, str], ...] = (
    ("schemas.cache.size", "-1"),
    ("schemas.cache.size", "-100"),
    ("schemas.cache.size", "0"),
    ("schemas.cache.size", "1"),
    ("schema.content", "null"),
    ("schema.content", " null "),
    ("schema.content", ""),
    ("schema.content", "nonsense"),
    ("schema.content", "{}"),
    ("schema.content", "[]"),
    ("schema.content", "1"),
    ("schema.content", "true"),
    ("schema.content", '{"type":"int32"}'),
    ("converter.type", "key"),
    ("converter.type", "value"),
    ("converter.type", "header"),
    ("converter.type", "nonsense"),
)
_NUMBERS = ("float32", "float64")
_ODD = ("NaN", "Infinity", "-Infinity")


def cases() -> Iterator[Case]:
    """Every case under its id."""
    yield from _structs()
    yield from _paths()
    yield from _settings()
    yield from _projections()
    yield from _odd_defaults()
    yield from _looked_into()


def _looked_into() -> Iterator[Case]:
    """What is refused with the value, not with the schema, and the other way round."""
    times = {"field": "f", "target.type": "unix"}
    for optional, value in product((True, False), ({}, {"f": 1.5}, None)):
        schema = {"type": "struct", "optional": optional, "fields": [["f", "float64?"]]}
        case = transform("TimestampConverter$Value", times, record(data(schema, value)))
        yield f"defaults/no-timestamp/{optional}/{'null' if value is None else len(value)}", case
    arrays: dict[str, Any] = {"type": "array", "items": "int8"}
    maps: dict[str, Any] = {"type": "map", "keys": "string", "values": arrays}
    for name, (schema, value) in {
        "array": (arrays, [1, "a"]),
        "array-null": (arrays, [None]),
        "array-fits": (arrays, [1]),
        "map": (maps, {"k": ["a"]}),
        "map-fits": (maps, {"k": [1]}),
    }.items():
        given = record(data(schema, value))
        yield f"defaults/hoisted/{name}", transform("HoistField$Value", {"field": "h"}, given)
    decimal = {"type": "decimal(2)", "default": {"$decimal": ["150", 2]}}
    for name, schema in {"default": decimal, "bare": "decimal(2)"}.items():
        given = record(data(schema, {"$decimal": ["250", 2]}))
        yield f"defaults/cast-decimal/{name}", transform("Cast$Value", {"spec": "int16"}, given)


def _structs() -> Iterator[Case]:
    for (schema, value), (name, settings) in product(product(STRUCTS, VALUES), _TIMES.items()):
        given = record(data(STRUCTS[schema], VALUES[value]))
        key = f"defaults/TimestampConverter/{schema}/{value}/{name}"
        yield key, transform("TimestampConverter$Value", settings, given)
    by_key = record(None, data(STRUCTS["full"], VALUES["full"]))
    yield (
        "defaults/TimestampConverter/full/full/key",
        transform("TimestampConverter$Key", _TIMES["unix"], by_key),
    )
    for (schema, value), (name, (plugin, settings)) in product(
        product(STRUCTS, VALUES), OTHERS.items()
    ):
        given = record(data(STRUCTS[schema], VALUES[value]))
        yield f"defaults/{name}/{schema}/{value}", transform(plugin, settings, given)


def _paths() -> Iterator[Case]:
    for (name, (inner, values)), keep in product(PATHS.items(), ("true", "false")):
        schema = {"type": "struct", "fields": [["in", inner]]}
        settings = {
            "field": "in.a",
            "field.syntax.version": "V2",
            "replace.null.with.default": keep,
        }
        for number, value in enumerate(values):
            given = record(data(schema, value))
            key = f"defaults/path/{name}/{keep}/{number}"
            yield key, transform("ExtractField$Value", settings, given)


def _settings() -> Iterator[Case]:
    texts = ('{"schema":{"type":"int32"},"payload":1}', "1", '{"a":1}', "null")
    for number, (setting, value) in enumerate(SETTINGS):
        for name, role in product(("JsonConverter", "StringConverter"), ("key", "value", "header")):
            if name == "StringConverter" and setting != "converter.type":
                continue
            head = {
                "kind": "converter",
                "class": name,
                "settings": {setting: value},
                "role": role,
            }
            key = f"defaults/settings/{number:02}/{name}/{role}"
            written = data("int32", 1)
            yield f"{key}/from", {**head, "direction": "from", "data": written}
            for index, text in enumerate(texts):
                yield f"{key}/to/{index}", {**head, "direction": "to", "text": text}


def _projections() -> Iterator[Case]:
    for (source, target), value in product(
        ((None, "int32"), ("int32", None), (None, None)), (1, None)
    ):
        case = {"kind": "projector", "source": source, "value": value, "target": target}
        yield f"projector/without-schema/{source}/{target}/{value}", case


def _odd_defaults() -> Iterator[Case]:
    """Written and projected under schemas whose defaults hold no finite number."""
    for type_, text in product(_NUMBERS, _ODD):
        tag = {f"${type_}": text}
        shapes: dict[str, dict[str, Any]] = {
            "bare": {"type": type_, "default": tag},
            "array": {"type": "array", "items": type_, "default": [tag]},
            "map": {"type": "map", "keys": "string", "values": type_, "default": {"k": tag}},
            "struct": {"type": "struct", "fields": [["f", type_]], "default": {"f": tag}},
        }
        for name, schema in shapes.items():
            case = {"kind": "converter", "class": "JsonConverter", "role": "value"}
            given = data(schema, None)
            key = f"defaults/odd/{type_}/{text}/{name}"
            yield f"{key}/from", {**case, "settings": {}, "direction": "from", "data": given}
            inner = {"type": "struct", "fields": [["x", schema]]}
            set_ = {"x": schema["default"]}
            yield (
                f"{key}/cast",
                transform("MaskField$Value", {"fields": "y"}, record(data(inner, set_))),
            )
