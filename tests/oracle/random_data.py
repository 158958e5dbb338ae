"""Random schemas, and values that fit them or nearly do, in the notation."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from random import Random

__all__ = ["any_value", "field_names", "schema", "text", "value"]

NAMES = ("a", "b", "c", "id", "when", "in", "a.b", "Ünï", "")
_LEAVES = (
    "int8", "int16", "int32", "int64", "float32", "float64", "boolean", "string", "bytes",
    "date", "time", "timestamp", "decimal(2)", "decimal(0)", "decimal(-1)",
)  # fmt: skip
_BITS = {"int8": 8, "int16": 16, "int32": 32, "int64": 64}
_DAY = 86_400_000
_WORDS = (
    "", " ", "a", "true", "FALSE", "null", "1", "-7", "1.5", "1e3", "2020-02-29", "14:34:54.346Z",
    "2019-08-23T14:34:54.346Z", "é", "\U0001d4b3", "[1,2]", '{"a":1}', "x y", '"', "\\",
    "NaN", "yyyy",
    "99999999999999999999", "0x10", "+5", "1_000", "\u0000", "\u2028",
)  # fmt: skip
_PIECES = (
    "[", "]", "{", "}", ",", ":", '"', "\\", " ", "1", "-2", "3.5", "1e2", "true", "null", "false",
    '"a"', '"b c"', "128", "40000", "3000000000", "2019-08-23", "14:34:54.346Z", "abc", "\\:", "é",
    "2019-08-23T14:34:54.346Z", '"2019-08-23"', '"1"', "[]", "{}", '{"k":1}', "[1,2]", '"x":',
)  # fmt: skip
_OFTEN = 0.85


def schema(random: Random, depth: int = 2) -> Any:
    """A schema of at most so many containers in one another."""
    kind = random.choice(("leaf", "leaf", "array", "map", "struct")) if depth else "leaf"
    node: dict[str, Any] = {"type": random.choice(_LEAVES) if kind == "leaf" else kind}
    if kind == "array":
        node["items"] = schema(random, depth - 1)
    if kind == "map":
        keys = "string" if random.random() < _OFTEN else random.choice(_LEAVES[:8])
        node |= {"keys": keys, "values": schema(random, depth - 1)}
    if kind == "struct":
        names = random.sample(NAMES[:-1], random.randint(0, 4))
        node["fields"] = [[name, schema(random, depth - 1)] for name in names]
    return _described(random, node)


def _described(random: Random, node: dict[str, Any]) -> Any:
    if random.random() < 0.4:
        node["optional"] = True
    logical = node["type"][:4] in {"date", "time", "deci"}
    if random.random() < 0.15 and not logical:
        node["name"] = random.choice(("n", "com.example.N"))
    if random.random() < 0.1:
        node["version"] = random.randint(1, 9)
    if random.random() < 0.1:
        node["doc"] = "words"
    if random.random() < 0.1:
        node["parameters"] = {"p": "q"}
    if random.random() < 0.2 and node["type"] != "struct":
        node["default"] = value(random, {**node, "optional": False}, wrong=0.0)
    if node.keys() <= {"type", "optional"} and node["type"] in _LEAVES:
        return node["type"] + ("?" if node.get("optional") else "")
    return node


def field_names(node: Any) -> list[str]:
    """The names of the fields, and of those inside them with dots between."""
    if not isinstance(node, dict) or node["type"] != "struct":
        return []
    inner = [f"{name}.{one}" for name, below in node["fields"] for one in field_names(below)]
    return [name for name, _ in node["fields"]] + inner


def value(random: Random, node: Any, wrong: float = 0.04) -> Any:
    """A value under that schema; now and then one that does not fit."""
    if node is None or random.random() < wrong:
        return any_value(random)
    full = node if isinstance(node, dict) else {"type": node}
    type_ = full["type"].removesuffix("?")
    optional = full.get("optional") or full["type"].endswith("?")
    if optional and random.random() < 0.3:
        return None
    if type_ == "array":
        return [value(random, full["items"], wrong) for _ in range(random.randint(0, 3))]
    if type_ == "map":
        return _map(random, full, wrong)
    if type_ == "struct":
        return _struct(random, full, wrong)
    return _leaf(random, type_)


def _map(random: Random, node: dict[str, Any], wrong: float) -> dict[str, Any]:
    pairs: dict[str, Any] = {}
    for _ in range(random.randint(0, 3)):
        key = value(random, node["keys"], 0.0)
        pairs[str(key)] = [key, value(random, node["values"], wrong)]
    return {"$map": list(pairs.values())}


def _struct(random: Random, node: dict[str, Any], wrong: float) -> dict[str, Any]:
    fields = {name: value(random, inner, wrong) for name, inner in node["fields"]}
    kept = {name: item for name, item in fields.items() if item is not None}
    return {"$struct": {"fields": kept}}


def _leaf(random: Random, type_: str) -> Any:
    if type_ in _BITS:
        high = 2 ** (_BITS[type_] - 1)
        return random.choice((0, 1, -1, high - 1, -high, random.randint(-high, high - 1)))
    if type_.startswith("float"):
        return random.choice((0.0, 1.0, -1.5, 0.25, 100.0, 1e10, -(2.0**-3)))
    if type_.startswith("decimal"):
        return {"$decimal": [str(random.randint(-(10**6), 10**6)), int(type_[8:-1])]}
    if type_ in {"date", "time", "timestamp"}:
        return {"$date": _moment(random, type_)}
    if type_ == "bytes":
        return {"$bytes": base64.b64encode(random.randbytes(random.randint(0, 5))).decode()}
    return random.random() < 0.5 if type_ == "boolean" else random.choice(_WORDS)


def _moment(random: Random, type_: str) -> int:
    if type_ == "date":
        return random.randint(0, 20_000) * _DAY
    return random.randint(1, _DAY - 1) if type_ == "time" else random.randint(1, 10**12)


def any_value(random: Random, depth: int = 2) -> Any:
    """A value without schema."""
    kind = random.choice(("leaf", "leaf", "list", "map")) if depth else "leaf"
    if kind == "list":
        return [any_value(random, depth - 1) for _ in range(random.randint(0, 3))]
    if kind == "map":
        names = random.sample(NAMES, random.randint(0, 3))
        return {name: any_value(random, depth - 1) for name in names}
    type_ = random.choice(("int64", "float64", "boolean", "string", "bytes", "decimal(2)", "null"))
    return None if type_ == "null" else _leaf(random, type_)


def text(random: Random) -> str:
    """A text as it may stand in a header."""
    if random.random() < 0.4:
        return random.choice(_WORDS)
    return "".join(random.choices(_PIECES, k=random.randint(1, 9)))
