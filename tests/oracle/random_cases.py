"""Random cases of every kind that the oracle answers."""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING, Any

from tests.oracle.random_data import any_value, field_names, schema, text, value

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from random import Random

__all__ = ["random_cases"]

_CONVERTERS = (
    "JsonConverter", "JsonConverter", "JsonConverter", "StringConverter", "ByteArrayConverter",
    "BooleanConverter", "ShortConverter", "IntegerConverter", "LongConverter", "FloatConverter",
    "DoubleConverter", "SimpleHeaderConverter",
)  # fmt: skip
_JSON = {
    "schemas.enable": ("true", "false"),
    "decimal.format": ("BASE64", "NUMERIC", "numeric"),
    "replace.null.with.default": ("true", "false"),
    "schemas.cache.size": ("0", "1", "1000"),
}
_TYPES = ("int8", "int16", "int32", "int64", "float32", "float64", "boolean", "string")
_TIME_FORMATS = ("yyyy-MM-dd", "yyyy-MM-dd'T'HH:mm:ss.SSS", "HH:mm", "yyyy")
_METHODS = (
    "convertToBoolean", "convertToByte", "convertToShort", "convertToInteger", "convertToLong",
    "convertToFloat", "convertToDouble", "convertToString", "convertToList", "convertToMap",
    "convertToDate", "convertToTime", "convertToTimestamp", "convertToDecimal",
    "inferSchema", "parseString", "parseString", "parseString",
)  # fmt: skip


def random_cases(random: Random, number: int) -> Iterator[dict[str, Any]]:
    """So many cases."""
    kinds = (_converter, _transform, _transform, _predicate, _values, _projector, _validate)
    for _ in range(number):
        yield random.choice(kinds)(random)


def _data(random: Random, *, schemaless: float = 0.25, depth: int = 2) -> dict[str, Any]:
    node = None if random.random() < schemaless else schema(random, depth)
    content = value(random, node)
    return {"value": content} if node is None else {"schema": node, "value": content}


def _converter(random: Random) -> dict[str, Any]:
    name = random.choice(_CONVERTERS)
    role = (
        "header" if name == "SimpleHeaderConverter" else random.choice(("value", "key", "header"))
    )
    settings = {}
    if name == "JsonConverter":
        settings = {
            key: random.choice(all_) for key, all_ in _JSON.items() if random.random() < 0.4
        }
    head = {"kind": "converter", "class": name, "settings": settings, "role": role}
    if random.random() < 0.55:
        return {**head, "direction": "from", "data": _data(random)}
    if name == "JsonConverter":
        return {**head, "direction": "to", "text": _document(random, settings)}
    if name in {"StringConverter", "SimpleHeaderConverter"}:
        return {**head, "direction": "to", "text": text(random)}
    size = random.choice((0, 1, 2, 4, 8))
    packed = base64.b64encode(random.randbytes(size)).decode()
    return {**head, "direction": "to", "bytes": packed}


def _document(random: Random, settings: dict[str, str]) -> str:
    if settings.get("schemas.enable") == "false" or random.random() < 0.1:
        return json.dumps(_json(random, 2), ensure_ascii=random.random() < 0.5)
    type_, payload = _json_schema(random, 2)
    return json.dumps({"schema": type_, "payload": payload})


def _json(random: Random, depth: int) -> Any:
    kind = random.choice("llad") if depth else "l"
    if kind == "a":
        return [_json(random, depth - 1) for _ in range(random.randint(0, 3))]
    if kind == "d":
        return {name: _json(random, depth - 1) for name in random.sample("abcd", 2)}
    return random.choice((None, True, False, 0, -5, 2**40, 1.5, 1e10, 0.1, "", "text", "é"))


def _json_schema(random: Random, depth: int) -> tuple[Any, Any]:
    kind = random.choice(("leaf", "leaf", "array", "map", "struct")) if depth else "leaf"
    if kind == "array":
        inner, payload = _json_schema(random, depth - 1)
        return _optional(
            random, {"type": "array", "items": inner}, [payload] * random.randint(0, 2)
        )
    if kind == "map":
        inner, payload = _json_schema(random, depth - 1)
        keyed = {"type": "map", "keys": {"type": "string"}, "values": inner}
        return _optional(random, keyed, {"k": payload})
    if kind == "struct":
        parts = {name: _json_schema(random, depth - 1) for name in random.sample("abcd", 2)}
        fields = [{**inner, "field": name} for name, (inner, _) in parts.items()]
        content = {name: payload for name, (_, payload) in parts.items()}
        return _optional(random, {"type": "struct", "fields": fields}, content)
    return _json_leaf(random)


def _optional(random: Random, node: dict[str, Any], payload: Any) -> tuple[Any, Any]:
    if random.random() < 0.4:
        node["optional"] = True
        payload = None if random.random() < 0.3 else payload
    return node, payload


def _json_leaf(random: Random) -> tuple[Any, Any]:
    name, payload = random.choice(
        (
            ("int8", 5), ("int16", -300), ("int32", 70000), ("int64", 2**40), ("float", 1.5),
            ("double", 0.1), ("boolean", True), ("string", "x"), ("bytes", "AQI="),
        )
    )  # fmt: skip
    node: dict[str, Any] = {"type": name}
    if random.random() < 0.2:
        node["default"] = payload
    if random.random() < 0.1:
        node |= {"name": "n", "version": 2, "doc": "d", "parameters": {"p": "q"}}
    return _optional(random, node, payload)


def _transform(random: Random) -> dict[str, Any]:
    content = _data(random, schemaless=0.3)
    name, settings = random.choice(_TRANSFORMS)(random, _names(random, content))
    side = random.choice(("Value", "Value", "Key"))
    plugin = name if name in _SIDELESS else f"{name}${side}"
    return {"kind": "transform", "class": plugin, "settings": settings, "record": _record(
        random, content, by_key=plugin.endswith("Key") and name not in _SIDELESS
    )}  # fmt: skip


def _names(random: Random, content: dict[str, Any]) -> Callable[[], str]:
    found = field_names(content.get("schema"))
    if "schema" not in content and isinstance(content["value"], dict):
        found = [key for key in content["value"] if not key.startswith("$")]
    return lambda: random.choice([*found, *found, "zip"]) if found else "zip"


def _record(random: Random, content: dict[str, Any], *, by_key: bool) -> dict[str, Any]:
    record: dict[str, Any] = {"topic": random.choice(("t", "orders-2020", "a.b")), "partition": 3}
    other = {"schema": "string", "value": "other"}
    record |= {"key": content, "value": other} if by_key else {"key": other, "value": content}
    if random.random() < 0.7:
        record["timestamp"] = random.randint(0, 10**12)
    if random.random() < 0.4:
        names = random.choices(("h", "g"), k=random.randint(1, 3))
        record["headers"] = [[name, _data(random, depth=1)] for name in names]
    if random.random() < 0.3:
        record |= {"kind": "sink", "offset": 7}
    return record


def _flag(random: Random) -> dict[str, str]:
    one = random.choice(("true", "false"))
    return {"replace.null.with.default": one} if random.random() < 0.3 else {}


def _cast(random: Random, name: Callable[[], str]) -> tuple[str, dict[str, str]]:
    if random.random() < 0.3:
        return "Cast", {"spec": random.choice(_TYPES), **_flag(random)}
    pairs = [f"{name()}:{random.choice(_TYPES)}" for _ in range(random.randint(1, 2))]
    return "Cast", {"spec": ",".join(pairs), **_flag(random)}


def _extract(random: Random, name: Callable[[], str]) -> tuple[str, dict[str, str]]:
    version = {"field.syntax.version": random.choice(("V1", "V2"))} if random.random() < 0.6 else {}
    return "ExtractField", {"field": name(), **version, **_flag(random)}


def _flatten(random: Random, _name: Callable[[], str]) -> tuple[str, dict[str, str]]:
    return "Flatten", {"delimiter": random.choice("._")} if random.random() < 0.5 else {}


def _hoist(_random: Random, name: Callable[[], str]) -> tuple[str, dict[str, str]]:
    return "HoistField", {"field": name()}


def _insert(random: Random, _name: Callable[[], str]) -> tuple[str, dict[str, str]]:
    every = {
        "topic.field": "t!", "partition.field": "p?", "timestamp.field": "ts", "offset.field": "o",
        "static.field": "s", "static.value": "v",
    }  # fmt: skip
    some = {key: item for key, item in every.items() if random.random() < 0.4}
    return "InsertField", {**some, **_flag(random)}


def _mask(random: Random, name: Callable[[], str]) -> tuple[str, dict[str, str]]:
    new = (
        {"replacement": random.choice(("7", "x", "true", "-1.5"))} if random.random() < 0.4 else {}
    )
    return "MaskField", {"fields": name(), **new, **_flag(random)}


def _replace(random: Random, name: Callable[[], str]) -> tuple[str, dict[str, str]]:
    settings = random.choice(
        ({"exclude": name()}, {"include": f"{name()},{name()}"}, {"renames": f"{name()}:new"})
    )
    return "ReplaceField", {**settings, **_flag(random)}


def _metadata(random: Random, _name: Callable[[], str]) -> tuple[str, dict[str, str]]:
    every = {"schema.name": "x.Y", "schema.version": "3"}
    return "SetSchemaMetadata", {k: v for k, v in every.items() if random.random() < 0.7}


def _times(random: Random, name: Callable[[], str]) -> tuple[str, dict[str, str]]:
    settings = {
        "target.type": random.choice(("string", "unix", "Date", "Time", "Timestamp")),
        "format": random.choice(_TIME_FORMATS),
    }
    if random.random() < 0.7:
        settings["field"] = name()
    if random.random() < 0.3:
        settings["unix.precision"] = random.choice(("seconds", "microseconds", "nanoseconds"))
    return "TimestampConverter", {**settings, **_flag(random)}


def _to_key(random: Random, name: Callable[[], str]) -> tuple[str, dict[str, str]]:
    return "ValueToKey", {"fields": name(), **_flag(random)}


def _from_headers(random: Random, name: Callable[[], str]) -> tuple[str, dict[str, str]]:
    operation = random.choice(("copy", "move"))
    return "HeaderFrom", {"fields": name(), "headers": "h", "operation": operation, **_flag(random)}


def _headers(random: Random, _name: Callable[[], str]) -> tuple[str, dict[str, str]]:
    if random.random() < 0.5:
        return "DropHeaders", {"headers": random.choice(("h", "h,g", "x"))}
    return "InsertHeader", {"header": "n", "value.literal": text(random)}


def _router(random: Random, _name: Callable[[], str]) -> tuple[str, dict[str, str]]:
    if random.random() < 0.5:
        return "TimestampRouter", {
            "topic.format": random.choice(("${topic}-${timestamp}", "x-${timestamp}", "$1")),
            "timestamp.format": random.choice(("yyyyMMdd", "yyyy-MM", "HH")),
        }
    return "RegexRouter", {
        "regex": random.choice(("(.*)", "orders-(\\d+)", "[a-z]", "(?<n>.)\\.(.)", "t|x")),
        "replacement": random.choice(("x", "$1", "$0-y", "\\$", "${n}")),
    }


_SIDELESS = {"ValueToKey", "DropHeaders", "InsertHeader", "TimestampRouter", "RegexRouter"}
_TRANSFORMS = (
    _cast, _cast, _extract, _flatten, _hoist, _insert, _mask, _replace, _metadata, _times, _times,
    _to_key, _from_headers, _headers, _router,
)  # fmt: skip


def _predicate(random: Random) -> dict[str, Any]:
    name, settings = random.choice(
        (
            ("HasHeaderKey", {"name": random.choice(("h", "g", "x"))}),
            ("RecordIsTombstone", {}),
            (
                "TopicNameMatches",
                {"pattern": random.choice(("t", "o.*", ".*-\\d+", "[ab]\\.b", ""))},
            ),
        )
    )
    content = _data(random, depth=1)
    if random.random() < 0.3:
        content = {"value": None}
    record = _record(random, content, by_key=False)
    return {"kind": "predicate", "class": name, "settings": settings, "record": record}


def _values(random: Random) -> dict[str, Any]:
    method = random.choice(_METHODS)
    if method == "parseString":
        return {"kind": "values", "method": method, "text": text(random)}
    case: dict[str, Any] = {
        "kind": "values",
        "method": method,
        "data": _data(random, schemaless=0.4),
    }
    if random.random() < 0.4:
        case["data"] = {"schema": "string", "value": text(random)}
    if method == "inferSchema":
        case["data"] = {"value": any_value(random)}
    return {**case, "scale": 2} if method == "convertToDecimal" else case


def _projector(random: Random) -> dict[str, Any]:
    source = schema(random)
    target = _changed(random, source) if random.random() < 0.8 else schema(random)
    return {"kind": "projector", "source": source, "value": value(random, source), "target": target}


def _changed(random: Random, node: Any) -> Any:
    """A schema that is nearly the same."""
    if isinstance(node, str):
        plain = node.removesuffix("?")
        if plain in _TYPES and random.random() < 0.4:
            plain = random.choice(_TYPES)
        return plain + random.choice(("", "", "?"))
    changed = dict(node)
    if random.random() < 0.3:
        changed["optional"] = not changed.get("optional", False)
    if random.random() < 0.15:
        changed.pop("default", None)
    for part in ("items", "values"):
        if part in changed:
            changed[part] = _changed(random, changed[part])
    if "fields" in changed:
        kept = [[name, _changed(random, inner)] for name, inner in changed["fields"]]
        extra = [["extra", schema(random, 0)]] if random.random() < 0.3 else []
        changed["fields"] = [*kept[random.random() < 0.2 :], *extra]
    return changed


def _validate(random: Random) -> dict[str, Any]:
    node = schema(random)
    return {"kind": "validate", "schema": node, "value": value(random, node, 0.15)}
