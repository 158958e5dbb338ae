"""A second drawing: schema builders, structs, headers and configurations, used and misused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.oracle.random_data import any_value, schema, value

if TYPE_CHECKING:
    from random import Random

__all__ = ["second_builder", "second_config", "second_headers", "second_struct"]

_TYPES = (
    "int8", "int16", "int32", "int64", "float32", "float64", "boolean", "string", "bytes", "struct",
)  # fmt: skip
_GETTERS = (
    "get", "getWithoutDefault", "getInt8", "getInt16", "getInt32", "getInt64", "getFloat32",
    "getFloat64", "getBoolean", "getString", "getBytes", "getArray", "getMap", "getStruct",
)  # fmt: skip


def second_builder(random: Random) -> dict[str, Any]:
    """Steps of a builder, in any order and also twice."""
    head = random.choice((*_TYPES, "struct", "struct", "array", "map"))
    steps = [_build(random, head) for _ in range(random.randint(0, 5))]
    inner = {"items": schema(random, 1)} if head == "array" else {}
    if head == "map":
        inner = {"keys": schema(random, 0), "values": schema(random, 1)}
    return {"kind": "builder", "type": head, **inner, "steps": steps}


def _build(random: Random, head: str) -> list[Any]:
    kind = random.choice(
        ("optional", "required", "default", "name", "version", "doc", "parameter", "field", "field")
    )
    if kind == "default":
        own = value(random, head, 0.2) if head in _TYPES[:9] else any_value(random, 1)
        return [kind, random.choice((own, own, None))]
    if kind == "parameter":
        return [kind, random.choice(("p", "q", "")), random.choice(("v", ""))]
    if kind == "field":
        made = None if random.random() < 0.08 else schema(random, 1)
        return [kind, random.choice(("a", "b", "c", "a", "", None)), made]
    return [kind, random.choice(_SCALARS[kind])] if kind in _SCALARS else [kind]


_SCALARS: dict[str, tuple[Any, ...]] = {
    "name": ("n", "m", "", None),
    "version": (1, 0, -1, None),
    "doc": ("d", "", None),
}


def second_struct(random: Random) -> dict[str, Any]:
    """A struct filled, asked and validated."""
    fields = [
        [name, schema(random, 1)] for name in random.sample(("a", "b", "c"), random.randint(0, 3))
    ]
    node = {"type": random.choice(("struct",) * 12 + ("map",)), "fields": fields}
    if node["type"] == "map":
        node = {"type": "map", "keys": "string", "values": "string"}
    steps: list[list[Any]] = []
    known = dict(fields)
    for _ in range(random.randint(1, 6)):
        name = random.choice((*known, *known, "zip", ""))
        kind = random.choice(("put", "put", "validate", "ask", "ask"))
        if kind == "put":
            steps.append(["put", name, _put(random, known.get(name))])
        else:
            steps.append(["validate"] if kind == "validate" else [random.choice(_GETTERS), name])
    return {"kind": "struct", "schema": node, "steps": [*steps, ["validate"]]}


def _put(random: Random, node: Any) -> Any:
    """A value for a field; a number of the wrong width keeps it, where Java would cut it off."""
    if random.random() < 0.8:
        return value(random, node, 0.0)
    wrong = any_value(random, 0)
    return {"$int64": wrong} if isinstance(wrong, int) and not isinstance(wrong, bool) else wrong


def second_headers(random: Random) -> dict[str, Any]:
    """Headers added, removed and asked."""
    return {"kind": "headers", "steps": [_header(random) for _ in range(random.randint(1, 8))]}


def _header(random: Random) -> list[Any]:
    key = random.choice(("a", "a", "b", "c", "", "A"))
    kind = random.choice(
        ("add",) * 6 + ("addString", "addBoolean", "addLong", "addDouble", "addBytes", "addList",
        "addMap",
         "addDecimal", "addDate", "addTime", "addTimestamp", "remove", "retainLatest",
         "retainAllLatest", "clear", "size", "lastWithName", "allWithName", "allWithName")
    )  # fmt: skip
    if kind == "add":
        node = schema(random, 1)
        data = {"schema": node, "value": value(random, node, 0.1)}
        return ["add", key, data if random.random() < 0.75 else {"value": any_value(random, 1)}]
    if kind in _PLAIN:
        return [
            kind,
            key,
            random.choice((*_PLAIN[kind], None) if kind in _NULLABLE else _PLAIN[kind]),
        ]
    if kind in {"addList", "addMap"}:
        node = schema(random, 1)
        return [kind, key, {"schema": node, "value": value(random, node, 0.1)}]
    return [kind] if kind in {"clear", "size", "retainAllLatest"} else [kind, key]


_DAY = 86_400_000
_PLAIN: dict[str, tuple[Any, ...]] = {
    "addString": ("", "x"),
    "addBoolean": (True, False),
    "addLong": (0, 2**40),
    "addDouble": (1.5, -0.0),
    "addBytes": ({"$bytes": ""}, {"$bytes": "AQI="}),
    "addDecimal": ({"$decimal": ["150", 2]}, {"$decimal": ["-3", -1]}),
    "addDate": ({"$date": 0}, {"$date": 5 * _DAY}, {"$date": 5 * _DAY + 1}),
    "addTime": ({"$date": 0}, {"$date": _DAY - 1}),
    "addTimestamp": ({"$date": 0}, {"$date": 1_600_000_000_123}),
}
_NULLABLE = {"addString", "addBytes", "addDecimal", "addDate", "addTime", "addTimestamp"}
_DEFINE = [
    {"name": "a", "type": "INT", "default": {"$int32": 1}},
    {"name": "b", "type": "STRING", "default": "x"},
    {"name": "p.a", "type": "LIST", "default": []},
    {"name": "secret", "type": "PASSWORD", "default": None},
]
_SETTINGS: dict[str, tuple[Any, ...]] = {
    "a": ("5", " 6 ", {"$int32": 7}),
    "b": ("y", "", None, " z "),
    "p.a": ("q,r", "", ["s"]),
    "p.b": ("pb", None),
    "p.": ("dot",),
    "p": ("bare",),
    "secret": ("hush",),
    "p.p.a": ("t",),
    "other": ("o", None, {"$int32": 3}),
    "listeners.a": ("9", "x"),
}
_ASKED = (
    ["originals"], ["originalsStrings"], ["originalsWithPrefix", "p."], ["originalsWithPrefix", ""],
    ["originalsWithPrefix", "p.", False], ["valuesWithPrefixOverride", "p."],
    ["valuesWithPrefixOverride", "listeners."], ["valuesWithPrefixAllOrNothing", "p."],
    ["valuesWithPrefixAllOrNothing", "listeners."], ["valuesWithPrefixAllOrNothing", "q."],
    ["unused"],
    ["ignore", "other"], ["ignore", "nothing"], ["get", "a"], ["get", "b"], ["get", "zip"],
    ["getInt", "a"], ["getInt", "b"], ["getString", "b"], ["getString", "a"], ["getList", "p.a"],
    ["getPassword", "secret"], ["getBoolean", "a"], ["getDouble", "a"], ["values"], ["unused"],
    ["originalsWithPrefix", "p"], ["unused"],
)  # fmt: skip


def second_config(random: Random) -> dict[str, Any]:
    """A configuration of some settings, asked a few times."""
    properties = {
        key: random.choice(choices) for key, choices in _SETTINGS.items() if random.random() < 0.5
    }
    asked = random.choices(_ASKED, k=random.randint(1, 5))
    return {
        "kind": "config",
        "define": _DEFINE,
        "properties": properties,
        "steps": [*asked, ["unused"]],
    }
