"""A second drawing: converters, values, projections and definitions with what the first lacks."""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING, Any

from tests.oracle.random_data import any_value, schema, value
from tests.oracle.second_texts import NUMBERS, number_text, odd_text

if TYPE_CHECKING:
    from random import Random

__all__ = ["second_converter", "second_definition", "second_projector", "second_values"]

_ENCODINGS = (
    "UTF-8", "utf8", "UTF8", "UTF-16", "UTF-16LE", "utf-16be", "UTF-32", "ISO-8859-1", "latin1",
    "ISO8859_1", "US-ASCII", "ascii", "windows-1252", "Cp1252", "Shift_JIS", "EUC-JP", "GBK",
    "Big5",
    "KOI8-R", "IBM037", "cp437", "bogus", "", " UTF-8", "ISO-8859-15", "GB18030", "EUC-KR", "UTF_8",
)  # fmt: skip
_JSON = {
    "schemas.enable": ("true", "false", "TRUE", "x"),
    "decimal.format": ("BASE64", "NUMERIC", "numeric", "Base64", "bogus", ""),
    "replace.null.with.default": ("true", "false", "false", "no"),
    "schemas.cache.size": ("0", "-1", "1", "1000", "x", "2147483648"),
    "schema.content": (
        "", " ", "null", "{}", "x", '{"type":"int32"}', '{"type":"string","optional":true}',
        '{"type":"struct","fields":[{"field":"a","type":"int32"}]}', "[1]", '"string"',
        '{"type":1}',
        '{"type":"struct","optional":true,"fields":[{"field":"a","type":"int8","default":5}]}',
    ),
    "converter.type": ("key", "value", "header", "x"),
}  # fmt: skip
_NUMBERED = (
    "ShortConverter",
    "IntegerConverter",
    "LongConverter",
    "FloatConverter",
    "DoubleConverter",
)
_CONVERTERS = (
    *("JsonConverter",) * 8, "StringConverter", "StringConverter", "ByteArrayConverter",
    "BooleanConverter", *_NUMBERED, "SimpleHeaderConverter", "SimpleHeaderConverter",
)  # fmt: skip
_METHODS = (
    "convertToBoolean", "convertToByte", "convertToShort", "convertToInteger", "convertToLong",
    "convertToFloat", "convertToDouble", "convertToString", "convertToList", "convertToMap",
    "convertToDate", "convertToTime", "convertToTimestamp", "convertToDecimal", "convertToStruct",
    "inferSchema", *("parseString",) * 10,
)  # fmt: skip
_JSON_TYPES = (
    "int8", "int16", "int32", "int64", "float", "double", "boolean", "string", "bytes", "float32",
    "float64", "INT8", "", "decimal",
)  # fmt: skip
_PAYLOADS = (
    "null", "true", "false", "0", "-0", "127", "128", "-129", "32768", "2147483648", "1.0", "1.5",
    "1e2",
    "1E400", "-0.0", "9223372036854775807", "9223372036854775808", '""', '"x"', '"AQI="', '"AQI"',
    '"A"',
    '"\\u00e9"', '"\\ud834"', '"a\\/b"', "[]", "[1]", "[null]", '[1,"a"]', "{}", '{"a":1}',
    "[[1,2]]",
    "[[1]]", "[[]]", '"NaN"', "NaN", "Infinity", '"1"', "1e-400", "0.1000", '{"a":null}', '{"b":2}',
)  # fmt: skip
_NAMED = (
    "org.apache.kafka.connect.data.Date", "org.apache.kafka.connect.data.Time",
    "org.apache.kafka.connect.data.Timestamp", "org.apache.kafka.connect.data.Decimal", "x", "",
)  # fmt: skip


def second_converter(random: Random) -> dict[str, Any]:
    """One conversion."""
    name = random.choice(_CONVERTERS)
    header = name == "SimpleHeaderConverter"
    role = "header" if header else random.choice(("value", "key", "header"))
    head = {"kind": "converter", "class": name, "settings": _settings(random, name), "role": role}
    if random.random() < 0.5:
        return {**head, "direction": "from", "data": _data(random)}
    if name == "JsonConverter":
        return {**head, "direction": "to", **_text(_document(random, head["settings"]))}
    if header or (name == "StringConverter" and random.random() < 0.3):
        return {**head, "direction": "to", **_text(odd_text(random))}
    content = random.randbytes(random.choice((0, 1, 2, 3, 4, 5, 8, 9)))
    if name == "StringConverter":
        content = bytes(random.choices(range(256), k=random.randint(0, 6)))
        if random.random() < 0.5:
            content = random.choice(("é", "漢字", "\U0001d4b3", "abc", "\ufeffa")).encode(
                random.choice(("utf-8", "utf-16", "utf-16-le", "shift-jis", "gbk")), "replace"
            )
    return {**head, "direction": "to", "bytes": base64.b64encode(content).decode()}


def _text(text: str) -> dict[str, Any]:
    return {"bytes": base64.b64encode(text.encode("utf-8", "replace")).decode()}


def _settings(random: Random, name: str) -> dict[str, Any]:
    if name == "JsonConverter":
        return {key: random.choice(all_) for key, all_ in _JSON.items() if random.random() < 0.35}
    if name == "StringConverter":
        keys = ("converter.encoding", "key.converter.encoding", "value.converter.encoding")
        keys = (*keys, "key.converter.encoding"[4:], "encoding")
        return {key: random.choice(_ENCODINGS) for key in keys if random.random() < 0.35}
    return {}


def _data(random: Random) -> dict[str, Any]:
    if random.random() < 0.3:
        return {"value": any_value(random, 3)}
    node = random.choice(
        (schema(random, 3), random.choice(("string", "int64?", "float64", "bytes?", "date")))
    )
    if random.random() < 0.15:
        node = {
            "type": random.choice(("int32", "int64", "bytes", "string")),
            "name": random.choice(_NAMED),
        }
    content = value(random, node, 0.08)
    if random.random() < 0.1 and node == "float64":
        content = {"$float64": random.choice(("NaN", "Infinity", "-Infinity"))}
    return {"schema": node, "value": content}


def _document(random: Random, settings: dict[str, Any]) -> str:
    if settings.get("schemas.enable") == "false" or settings.get("schema.content", "").startswith(
        "{"
    ):
        return _json_text(random, 3)
    type_ = json.dumps(_json_schema(random, 2))
    payload = _json_text(random, 2) if random.random() < 0.8 else random.choice(_PAYLOADS)
    parts = [f'"schema":{type_}', f'"payload":{payload}']
    if random.random() < 0.1:
        parts = [*parts, '"more":1'][:: random.choice((1, -1))]
    if random.random() < 0.05:
        parts.pop()
    return "{" + random.choice((",", " ,\n")).join(parts) + "}"


def _json_text(random: Random, depth: int) -> str:
    kind = random.choice("lllad" if depth else "l")
    blank = random.choice(("", "", " ", "\n\t"))
    if kind == "l":
        return random.choice((random.choice(_PAYLOADS), random.choice(_PAYLOADS), _number(random)))
    if kind == "a":
        parts = [_json_text(random, depth - 1) for _ in range(random.randint(0, 3))]
        return f"[{blank}{f'{blank},'.join(parts)}]"
    names = random.sample(("a", "b", "c", ""), random.randint(0, 3))
    return (
        "{" + ",".join(f'"{name}":{blank}{_json_text(random, depth - 1)}' for name in names) + "}"
    )


def _number(random: Random) -> str:
    return random.choice([each for each in NUMBERS if each.lstrip("-").isdigit()])


def _json_schema(random: Random, depth: int) -> Any:
    kind = random.choice(("leaf", "leaf", "array", "map", "struct")) if depth else "leaf"
    node: dict[str, Any] = {"type": random.choice(_JSON_TYPES[:9]) if kind == "leaf" else kind}
    if kind == "array":
        node["items"] = _json_schema(random, depth - 1)
    if kind == "map":
        keys = {"type": random.choice(("string", "string", "int32"))}
        node |= {"keys": keys, "values": _json_schema(random, depth - 1)}
    if kind == "struct":
        names = random.sample("abc", random.randint(0, 3))
        node["fields"] = [{**_struct_field(random, depth), "field": name} for name in names]
    if random.random() < 0.15:
        node["name"] = random.choice(_NAMED)
        if random.random() < 0.6:
            node["parameters"] = {"scale": random.choice(("0", "2", "-1", "x"))}
    for key, choices in _ODD_PARTS.items():
        if random.random() < 0.06:
            node[key] = random.choice(choices)
    return random.choice(("x", None, [], 5)) if random.random() < 0.01 else node


def _struct_field(random: Random, depth: int) -> dict[str, Any]:
    made = _json_schema(random, depth - 1)
    return made if isinstance(made, dict) else {"type": "int8"}


_ODD_PARTS: dict[str, tuple[Any, ...]] = {
    "optional": (True, True, False, "true", None, 1),
    "default": (5, "x", None, [], {}, True, 1.5, "AQI=", 300, {"a": 1}),
    "version": (1, -1, "1", 1.5, None, 2**31),
    "doc": ("d", None, 5),
    "parameters": ({"p": "q"}, {}, {"p": 5}, None, "x"),
    "type": _JSON_TYPES,
    "fields": ([], None, "x", [{"type": "int8"}], [{"field": "", "type": "int8"}]),
    "items": (None, "int8", {"type": "int8"}),
}


def second_values(random: Random) -> dict[str, Any]:
    """A text parsed, or a value converted: often a text."""
    method = random.choice(_METHODS)
    if method == "parseString":
        return {"kind": "values", "method": method, "text": odd_text(random)}
    text = random.choice((odd_text(random), number_text(random), number_text(random)))
    data = {"schema": random.choice(("string", "string?")), "value": text}
    if random.random() < 0.35:
        node = schema(random, 2)
        data = {"schema": node, "value": value(random, node, 0.03)}
    if random.random() < 0.15 or method == "inferSchema":
        data = {"value": any_value(random, 3)}
    case = {"kind": "values", "method": method, "data": data}
    return {**case, "scale": random.choice((0, 2, 5))} if method == "convertToDecimal" else case


_WIDER = {
    "int8": "int16",
    "int16": "int32",
    "int32": "int64",
    "int64": "float32",
    "float32": "float64",
}


def second_projector(random: Random) -> dict[str, Any]:
    """A schema widened, made optional, given or robbed of fields, defaults, names, parameters."""
    source = schema(random, 3)
    return {
        "kind": "projector",
        "source": source,
        "value": value(random, source, 0.0),
        "target": _projected(random, source),
    }


def _projected(random: Random, node: Any) -> Any:
    full: dict[str, Any] = {"type": node} if isinstance(node, str) else dict(node)
    plain = full["type"].removesuffix("?")
    if full["type"].endswith("?"):
        full["optional"] = True
    while plain in _WIDER and random.random() < 0.35:
        plain = _WIDER[plain]
        full.pop("default", None)
    full["type"] = plain
    chance = random.random()
    if chance < 0.1:
        full["optional"] = not full.get("optional", False)
    elif chance < 0.2 and plain != "struct":
        full["default"] = value(random, {**full, "optional": False}, 0.0)
    elif chance < 0.25 and plain in {"int32", "string", "struct", "array"}:
        full["name"] = random.choice(("n", "other"))
    elif chance < 0.3:
        full["parameters"] = {"p": random.choice("qr")}
    for part in ("items", "values"):
        if part in full:
            full[part] = _projected(random, full[part])
    if "fields" in full:
        kept = [[name, _projected(random, inner)] for name, inner in full["fields"]]
        random.shuffle(kept)
        extra = {"type": "int32", "default": 5, "optional": random.random() < 0.5}
        more = [["new", random.choice((extra, "int32?", "int32"))]] if random.random() < 0.4 else []
        full["fields"] = [*kept[random.random() < 0.15 :], *more]
    return full


_CONFIG_TYPES = ("BOOLEAN", "STRING", "INT", "SHORT", "LONG", "DOUBLE", "LIST", "PASSWORD")
_LISTS = (
    "a",
    "a,b",
    " a , b ",
    "a,,b",
    ",",
    ",,",
    "a,",
    ",a",
    " , ",
    "a,a",
    "a b",
    "a;b",
    "\na,\tb",
    "a\u00a0,b",
)
_VALIDATORS: dict[str, tuple[list[Any], ...]] = {
    "INT": (["at_least", 0], ["between", -5, 100]),
    "SHORT": (["at_least", 0], ["between", -5, 100]),
    "LONG": (["at_least", 0], ["between", -5, 2**40]),
    "DOUBLE": (["at_least", 0], ["between", -1.5, 1.5]),
    "STRING": (
        ["valid_string", "a", "", "true"], ["case_insensitive", "A", "TRUE", "é"], ["non_null"],
        ["non_empty"], ["no_control_characters"],
        ["any_of_both", ["non_empty"], ["valid_string", "a", " "]],
    ),
    "LIST": (["valid_list", "a", "b"], ["list_size", 1], ["list_size", 0], ["non_null"]),
    "BOOLEAN": (["non_null"],),
    "PASSWORD": (["non_null"],),
}  # fmt: skip


def second_definition(random: Random) -> dict[str, Any]:
    """A definition of a few keys, parsed or validated with odd values."""
    define, properties = [], {}
    method = random.choice(("parse", "parse", "validate"))
    for number in range(random.randint(1, 3) if method == "validate" else 1):
        key = {"name": f"k{number}", **_key(random)}
        define.append(key)
        if random.random() < 0.93:
            properties[key["name"]] = _setting(random, key["type"], only_text=method == "validate")
    return {"kind": "definition", "define": define, "method": method, "properties": properties}


def _key(random: Random) -> dict[str, Any]:
    type_ = random.choice(_CONFIG_TYPES)
    key: dict[str, Any] = {"type": type_}
    if random.random() < 0.4:
        key["default"] = random.choice((None, *_setting_texts(type_)))
    if random.random() < 0.4:
        key["validator"] = random.choice(_VALIDATORS[type_])
    return key


def _setting_texts(type_: str) -> tuple[str, ...]:
    return {"LIST": _LISTS, "BOOLEAN": ("true", " FALSE ", "yes")}.get(type_, NUMBERS)


def _setting(random: Random, type_: str, *, only_text: bool) -> Any:
    if random.random() < 0.8 or only_text:
        return random.choice((*_setting_texts(type_), random.choice(NUMBERS), odd_text(random, 1)))
    odd = (
        None, True, {"$int32": 5}, 5, 2**40, 1.5, {"$float64": "NaN"}, ["a", ""], [], [None],
        {"a": 1},
        {"$int16": 7}, [["a"]], {"$float32": 0.5},
    )  # fmt: skip
    return random.choice(odd)
