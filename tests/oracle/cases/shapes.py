"""Flatten, SetSchemaMetadata and Filter."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.oracle.cases.building import POINT, RICH, RICH_VALUE, data, record, sides, transform

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.oracle.cases.building import Case

__all__ = ["cases"]

_STRING_MAP = {"type": "map", "keys": "string", "values": "int8"}
_PRIMITIVES = (
    "int8",
    "int16",
    "int32",
    "int64",
    "float32",
    "float64",
    "boolean",
    "string",
    "bytes",
    "decimal(2)",
    "date",
    "time",
    "timestamp",
)


def _struct(*fields: list[Any], **more: Any) -> dict[str, Any]:
    return {"type": "struct", "fields": list(fields), **more}


FLAT: dict[str, tuple[Any, Any]] = {
    "nothing-nested": (POINT, {"x": 1, "y": 2}),
    "empty": (_struct(), {}),
    "one-level": (RICH, RICH_VALUE),
    "one-level-unset": (RICH, {"id": 1}),
    "two-levels": (
        _struct(["a", _struct(["b", _struct(["c", "string"])])]),
        {"a": {"b": {"c": "deep"}}},
    ),
    "empty-inner": (_struct(["a", _struct()]), {"a": {}}),
    "all-types": (
        _struct(
            ["in", _struct(*([type_.partition("(")[0], f"{type_}?"] for type_ in _PRIMITIVES))]
        ),
        {"in": {"int8": 1, "string": "x", "bytes": {"$bytes": "AQ=="}, "date": {"$date": 0}}},
    ),
    "array": (_struct(["a", {"type": "array", "items": POINT}]), {"a": [{"x": 1}]}),
    "map": (_struct(["a", _STRING_MAP]), {"a": {"k": 1}}),
    "optional-struct": (_struct(["a", {**POINT, "optional": True}]), {}),
    "optional-struct-set": (_struct(["a", {**POINT, "optional": True}]), {"a": {"x": 1}}),
    "child-default": (
        _struct(
            [
                "a",
                _struct(
                    ["b", {"type": "int8", "default": 5}],
                    ["c", {"type": "int8", "optional": True, "default": 6}],
                ),
            ]
        ),
        {"a": {}},
    ),
    "parent-default": (_struct(["a", {**POINT, "default": {"x": 3, "y": 4}}]), {}),
    "optional-parent-default": (
        _struct(["a", {**POINT, "optional": True, "default": {"x": 3}}]),
        {},
    ),
    "optional-parent-child-default": (
        _struct(["a", _struct(["b", {"type": "string", "default": "d"}], optional=True)]),
        {},
    ),
    "name-clash": (
        _struct(["a.x", "int8"], ["a", _struct(["x", "int8"])]),
        {"a.x": 1, "a": {"x": 2}},
    ),
    "metadata": (
        _struct(
            ["a", {**POINT, "doc": "d", "version": 3}],
            name="N",
            version=1,
            doc="top",
            parameters={"p": "q"},
        ),
        {"a": {"x": 1}},
    ),
    "optional-top": (_struct(["a", POINT], optional=True), {"a": {"x": 1}}),
    "null": (_struct(["a", POINT], optional=True), None),
    "tombstone": (None, None),
    "text": ("string", "a"),
    "plain-text": (None, "a"),
    "plain-list": (None, [1]),
    "plain-empty": (None, {}),
    "plain": (None, {"a": {"b": {"c": 1}}, "d": [1, {"e": 2}], "f": None, "g": {}}),
    "plain-types": (
        None,
        {
            "a": {
                "i": {"$int8": 1},
                "f": {"$float32": 1.5},
                "b": True,
                "s": "x",
                "y": {"$bytes": "AQ=="},
            }
        },
    ),
    "plain-buffer": (None, {"a": {"$buffer": "AQ=="}}),
    "plain-date": (None, {"a": {"$date": 0}}),
    "plain-decimal": (None, {"a": {"$decimal": ["1", 0]}}),
    "plain-struct": (None, {"a": {"$struct": {"schema": POINT, "fields": {"x": 1}}}}),
    "plain-uuid": (None, {"a": {"$uuid": "00000000-0000-0000-0000-000000000001"}}),
    "plain-int-keys": (None, {"a": {"$map": [[1, 2]]}}),
    "plain-clash": (None, {"a.x": 1, "a": {"x": 2}}),
}
META: dict[str, dict[str, Any]] = {
    "name": {"schema.name": "new"},
    "version": {"schema.version": "42"},
    "both": {"schema.name": "new", "schema.version": "1"},
    "empty-name": {"schema.name": ""},
    "blank-name": {"schema.name": " x "},
    "zero": {"schema.version": "0"},
    "negative": {"schema.version": "-1"},
    "bad-version": {"schema.version": "x"},
    "long-version": {"schema.version": "2147483648"},
    "nothing": {},
    "logical-name": {"schema.name": "org.apache.kafka.connect.data.Date"},
}
META_CONTENT: dict[str, tuple[Any, Any]] = {
    "struct": (RICH, RICH_VALUE),
    "struct-unset": (RICH, {"id": 1}),
    "struct-null": ({**RICH, "optional": True}, None),
    "int32": ("int32", 1),
    "default": (
        {
            "type": "int32",
            "optional": True,
            "default": 3,
            "doc": "d",
            "name": "o",
            "version": 9,
            "parameters": {"p": "q"},
        },
        None,
    ),
    "array": ({"type": "array", "items": "int8"}, [1]),
    "map": (_STRING_MAP, {"a": 1}),
    "date": ("date", {"$date": 0}),
    "tombstone": (None, None),
    "plain": (None, {"a": 1}),
}


def cases() -> Iterator[Case]:
    """Every case under its id."""
    for name, content in FLAT.items():
        yield f"Flatten/{name}", transform("Flatten$Value", {}, record(data(*content)))
    for name in ("two-levels", "plain"):
        for number, delimiter in enumerate(("_", "", "::", " ", "$1")):
            case = transform("Flatten$Value", {"delimiter": delimiter}, record(data(*FLAT[name])))
            yield f"Flatten/delimiter/{number}/{name}", case
        yield from sides("Flatten", f"sides/{name}", {}, data(*FLAT[name]))
    for name, settings in META.items():
        for content_name in ("struct", "int32", "plain", "tombstone"):
            given = record(data(*META_CONTENT[content_name]))
            case = transform("SetSchemaMetadata$Value", settings, given)
            yield f"SetSchemaMetadata/{name}/{content_name}", case
    for content_name, pair in META_CONTENT.items():
        yield from sides("SetSchemaMetadata", f"content/{content_name}", META["both"], data(*pair))
    keep = {"schema.name": "new", "replace.null.with.default": "false"}
    for content_name in ("struct-unset", "default"):
        case = transform("SetSchemaMetadata$Value", keep, record(data(*META_CONTENT[content_name])))
        yield f"SetSchemaMetadata/keep-null/{content_name}", case
    yield "Filter/value", transform("Filter", {}, record(data("int8", 1)))
    yield "Filter/tombstone", transform("Filter", {"unknown": "x"}, record(kind="sink"))
