"""SchemaProjector: every pair of types, defaults, optional against required, and containers."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

from tests.oracle.cases.building import POINT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.oracle.cases.building import Case

__all__ = ["cases"]

ONES: dict[str, Any] = {
    "int8": 1,
    "int16": 300,
    "int32": 70000,
    "int64": 2**53 + 1,
    "float32": 1.5,
    "float64": 0.1,
    "boolean": True,
    "string": "a",
    "bytes": {"$bytes": "AQ=="},
    "date": {"$date": 86400000},
    "time": {"$date": 1000},
    "timestamp": {"$date": 1000},
    "decimal(2)": {"$decimal": ["150", 2]},
}
_NUMBERS = ("int8", "int16", "int32", "int64", "float32", "float64")
_DEFAULT = {"type": "int32", "default": 42}
_OPTIONAL_DEFAULT = {**_DEFAULT, "optional": True}
_XYZ = {"type": "struct", "name": "Point", "fields": [*POINT["fields"], ["z", "int32"]]}


def _fields(*fields: list[Any], **more: Any) -> dict[str, Any]:
    return {"type": "struct", "fields": list(fields), **more}


def _array(items: Any) -> dict[str, Any]:
    return {"type": "array", "items": items}


def _map(keys: Any, values: Any) -> dict[str, Any]:
    return {"type": "map", "keys": keys, "values": values}


MORE: dict[str, tuple[Any, Any, Any]] = {
    "struct-same": (POINT, {"x": 1, "y": 2}, POINT),
    "struct-drop": (_XYZ, {"x": 1, "z": 3}, POINT),
    "struct-missing-optional": (_fields(["x", "int32"], name="Point"), {"x": 1}, POINT),
    "struct-missing-required": (POINT, {"x": 1}, _XYZ),
    "struct-missing-default": (
        _fields(["a", "int8"]),
        {"a": 1},
        _fields(["a", "int8"], ["b", _DEFAULT]),
    ),
    "struct-missing-optional-default": (
        _fields(["a", "int8"]),
        {"a": 1},
        _fields(["b", _OPTIONAL_DEFAULT]),
    ),
    "struct-widen": (_fields(["a", "int8"]), {"a": 1}, _fields(["a", "int64"])),
    "struct-narrow": (_fields(["a", "int64"]), {"a": 1}, _fields(["a", "int8"])),
    "struct-other-name": (POINT, {"x": 1}, {**POINT, "name": "Other"}),
    "struct-unset": (_fields(["a", "int8?"]), {}, _fields(["a", "int8?"])),
    "struct-unset-to-default": (_fields(["a", "int32?"]), {}, _fields(["a", _DEFAULT])),
    "struct-unset-source-default": (
        _fields(["a", _OPTIONAL_DEFAULT]),
        {},
        _fields(["a", "int32?"]),
    ),
    "struct-nested": (_fields(["p", _XYZ]), {"p": {"x": 1, "z": 2}}, _fields(["p", POINT])),
    "struct-nested-bad": (
        _fields(["p", _fields(["a", "string"])]),
        {"p": {"a": "x"}},
        _fields(["p", _fields(["a", "int8"])]),
    ),
    "struct-null": ({**POINT, "optional": True}, None, {**POINT, "optional": True}),
    "struct-to-map": (POINT, {"x": 1}, _map("string", "int32")),
    "array-same": (_array("int32"), [1], _array("int32")),
    "array-widen": (_array("int8"), [1, 2], _array("float64")),
    "array-narrow": (_array("int64"), [1], _array("int8")),
    "array-empty-narrow": (_array("int64"), [], _array("int8")),
    "array-null-item": (_array("int32?"), [1, None], _array("int32?")),
    "array-null-item-default": (_array("int32?"), [1, None], _array(_DEFAULT)),
    "array-null-item-required": (_array("int32?"), [1], _array("int32")),
    "array-of-struct": (_array(_XYZ), [{"x": 1, "z": 2}], _array(POINT)),
    "map-same": (_map("string", "int32"), {"a": 1}, _map("string", "int32")),
    "map-widen": (_map("int8", "int8"), {"$map": [[1, 2]]}, _map("int16", "int64")),
    "map-bad-key": (_map("string", "int8"), {"a": 1}, _map("int8", "int8")),
    "map-null-value": (_map("string", "int8?"), {"a": None}, _map("string", "int8?")),
    "name": ({"type": "int32", "name": "a"}, 1, {"type": "int32", "name": "b"}),
    "name-to-none": ({"type": "int32", "name": "a"}, 1, "int32"),
    "parameters": (
        {"type": "int32", "parameters": {"a": "1"}},
        1,
        {"type": "int32", "parameters": {"a": "2"}},
    ),
    "parameters-to-none": ({"type": "int32", "parameters": {"a": "1"}}, 1, "int32"),
    "version-differs": ({"type": "int32", "version": 1}, 1, {"type": "int32", "version": 2}),
    "doc-differs": ({"type": "int32", "doc": "a"}, 1, {"type": "int32", "doc": "b"}),
    "decimal-scales": ("decimal(2)", {"$decimal": ["150", 2]}, "decimal(3)"),
    "named-widen": ({"type": "int8", "name": "n"}, 1, {"type": "int32", "name": "n"}),
    "date-to-int": ("date", {"$date": 0}, "int32"),
    "wrong-class": ("int8", "a", "int64"),
    "long-to-float": ("int64", 2**63 - 1, "float32"),
    "long-to-double": ("int64", 2**63 - 1, "float64"),
    "float-to-double": ("float32", 0.1, "float64"),
}
_STATES: dict[str, Any] = {
    "required": "int32",
    "optional": "int32?",
    "default": _DEFAULT,
    "optional-default": _OPTIONAL_DEFAULT,
}


def _case(source: Any, value: Any, target: Any) -> dict[str, Any]:
    return {"kind": "projector", "source": source, "value": value, "target": target}


def cases() -> Iterator[Case]:
    """Every case under its id."""
    for source, target in product(ONES, ONES):
        yield f"projector/pair/{source}/{target}", _case(source, ONES[source], target)
    for one, other in product(_STATES, _STATES):
        for name, value in (("value", 7), ("null", None)):
            case = _case(_STATES[one], value, _STATES[other])
            yield f"projector/state/{one}/{other}/{name}", case
    for narrow, wide in product(_NUMBERS, _NUMBERS):
        case = _case(f"{narrow}?", None, f"{wide}?")
        yield f"projector/null/{narrow}/{wide}", case
    for name, (source, value, target) in MORE.items():
        yield f"projector/{name}", _case(source, value, target)
