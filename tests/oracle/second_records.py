"""A second drawing: records whose structs lie in one another, with odd names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.oracle.random_data import any_value, schema, value

if TYPE_CHECKING:
    from random import Random

__all__ = ["content", "record"]

_INNER = ("a", "b", "c", "a.b", "b.c", "a`b", "`a`", "a b", "", " a", "x`.y", "é", "è", "0", "`a")


def content(random: Random) -> dict[str, Any]:
    """Data with structs in structs, or plain maps in maps."""
    if random.random() < 0.25:
        return {"value": _plain(random, 2)}
    if random.random() < 0.1:
        return {"schema": "string", "value": None}
    node = _nested(random, 2)
    return {"schema": node, "value": value(random, node, 0.01)}


def _plain(random: Random, depth: int) -> Any:
    if not depth or random.random() < 0.3:
        return any_value(random, 1)
    names = random.sample(_INNER, random.randint(0, 4))
    return {name: _plain(random, depth - 1) for name in names}


def _nested(random: Random, depth: int) -> dict[str, Any]:
    """A struct with structs in it, some of them optional, null or with a default."""
    names = random.sample(_INNER, random.randint(1, 4))
    fields: list[list[Any]] = []
    for name in names:
        below = _nested(random, depth - 1) if depth and random.random() < 0.4 else None
        fields.append([name, below or schema(random, 1)])
    node: dict[str, Any] = {"type": "struct", "fields": fields}
    if random.random() < 0.35:
        node["optional"] = True
    if random.random() < 0.3:
        node |= {"name": random.choice(("N", "n.M", "")), "version": random.randint(0, 3)}
    if random.random() < 0.2:
        node["default"] = value(random, {**node, "optional": False}, 0.0)
    return node


def record(random: Random, data: dict[str, Any], *, by_key: bool) -> dict[str, Any]:
    """A record with that data on one of its sides."""
    topic = random.choice(("t", "orders-2020", "a.b", "", "Ünï", "x-1-2", "$1", "t\\"))
    other = random.choice(
        ({"schema": "string", "value": "other"}, {"value": None}, content(random))
    )
    record: dict[str, Any] = {"topic": topic, "partition": random.choice((0, 3, None))}
    record |= {"key": data, "value": other} if by_key else {"key": other, "value": data}
    if random.random() < 0.7:
        record["timestamp"] = random.choice(
            (0, 1_582_934_399_999, 1_600_000_000_000, 253_402_300_799_999)
        )
    names = random.choices(("h", "g", "H", "", "h.g"), k=random.randint(0, 4))
    record["headers"] = [[name, _header(random)] for name in names]
    if random.random() < 0.4:
        record |= {"kind": "sink", "offset": random.choice((0, 7, 2**40)), "partition": 0}
    return record


def _header(random: Random) -> dict[str, Any]:
    node = schema(random, 1)
    return random.choice(
        ({"schema": node, "value": value(random, node, 0.0)}, {"value": any_value(random, 1)})
    )
