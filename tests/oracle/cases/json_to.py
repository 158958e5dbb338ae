"""JsonConverter reading: good and bad documents, and what Jackson makes of wrong payloads."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["cases"]

_DECIMAL = {
    "type": "bytes",
    "name": "org.apache.kafka.connect.data.Decimal",
    "version": 1,
    "parameters": {"scale": "2"},
}
_LOGICAL = {
    name: {"type": base, "name": f"org.apache.kafka.connect.data.{name}", "version": 1}
    for name, base in (("Date", "int32"), ("Time", "int32"), ("Timestamp", "int64"))
}
PRIMITIVES = ("int8", "int16", "int32", "int64", "float", "double", "boolean", "string", "bytes")
PAYLOADS = (
    "0", "1", "-1", "127", "128", "300", "-129", "32768", "65536", "2147483648", "-2147483649",
    "9223372036854775807", "9223372036854775808", "92233720368547758080", "1.0", "1.9", "-1.9",
    "0.1",
    "1e2", "1E-2", "1e400", "1e40", "-0.0", "16777217", "0012", "+1", ".5", "5.", "NaN", "Infinity",
    "true", "false", '""', '"a"', '"12"', '"1.5"', '"true"', '"AQI="', '"AQI"', '"****"', "[]",
    "[1]",
    "{}", '{"a":1}', "null",
)  # fmt: skip
LOGICAL_PAYLOADS = (
    "0", "1", "-1", "86399999", "86400000", "2147483648", "9223372036854775807",
    "9223372036854775808", "253402300799999",
    "1.0", "1.5", "1.567", "-0.00", "1e3", "123456789012345678901234567890.12", '"AJY="', '"AQ"',
    '""', '"1"', '"x"',
    "true", "null", "[]", "{}",
)  # fmt: skip
CONTAINERS: dict[str, tuple[Any, tuple[str, ...]]] = {
    "array": (
        {"type": "array", "items": {"type": "int32"}},
        ("[]", "[1,2]", "[null]", '["a"]', "{}", '"a"', "1", "null", "[[1]]"),
    ),
    "array-optional": (
        {"type": "array", "items": {"type": "int32", "optional": True}, "optional": True},
        ("[null,1]", "null"),
    ),
    "map": (
        {"type": "map", "keys": {"type": "string"}, "values": {"type": "int32"}},
        ("{}", '{"a":1,"b":2}', '{"a":null}', '{"a":1,"a":2}', '{"":1}', "[]", '[["a",1]]', "1",
        "null"),
    ),
    "map-int": (
        {"type": "map", "keys": {"type": "int32"}, "values": {"type": "string"}},
        ("[]", '[[1,"a"],[2,"b"]]', '[[1,"a"],[1,"b"]]', '{"1":"a"}', "[1]", "[[1]]", '[[1,"a",2]]',
         '[[null,"a"]]', '[["x","a"]]', '"a"'),
    ),
    "map-optional-string-key": (
        {"type": "map", "keys": {"type": "string", "optional": True}, "values": {"type": "int32"}},
        ("{}", '{"a":1}', '[["a",1]]', "[[null,1]]"),
    ),
    "struct": (
        {"type": "struct", "fields": [{"field": "a", "type": "int32"},
                                      {"field": "b", "type": "string", "optional": True}]},
        ('{"a":1,"b":"x"}', '{"a":1}', '{"b":"x"}', '{"a":1,"c":true}', '{"a":null}', "{}", "[]",
        "1", "null",
         '{"a":1,"b":null}', '{"A":1}', '{"a":1,"a":2}'),
    ),
    "struct-default": (
        {"type": "struct", "fields": [{"field": "a", "type": "int32", "default": 42},
                                      {"field": "b", "type": "int32", "optional": True,
                                      "default": 43}]},
        ("{}", '{"a":null,"b":null}', '{"a":1,"b":2}'),
    ),
    "struct-nested": (
        {"type": "struct", "name": "Outer", "fields": [
            {"field": "in", "type": "struct", "optional": True, "name": "Inner",
             "fields": [{"field": "when", **_LOGICAL["Timestamp"]}]},
            {"field": "tags", "type": "array", "items": {"type": "string"}, "optional": True}]},
        ('{"in":{"when":5},"tags":["a","b"]}', '{"in":null}', '{"in":{}}', '{"in":{"when":"5"}}'),
    ),
}  # fmt: skip
SCHEMAS: dict[str, Any] = {
    "null": None,
    "text": "int32",
    "number": 1,
    "array": [],
    "empty": {},
    "type-null": {"type": None},
    "type-number": {"type": 5},
    "type-unknown": {"type": "int128"},
    "type-upper": {"type": "INT32"},
    "type-float32": {"type": "float32"},
    "type-float64": {"type": "float64"},
    "optional-text": {"type": "int32", "optional": "true"},
    "optional-number": {"type": "int32", "optional": 1},
    "optional-null": {"type": "int32", "optional": None},
    "name-number": {"type": "int32", "name": 5},
    "name-null": {"type": "int32", "name": None},
    "name-empty": {"type": "int32", "name": ""},
    "version-text": {"type": "int32", "version": "1"},
    "version-float": {"type": "int32", "version": 1.5},
    "version-null": {"type": "int32", "version": None},
    "version-long": {"type": "int32", "version": 2**31},
    "version-negative": {"type": "int32", "version": -1},
    "doc-number": {"type": "int32", "doc": 5},
    "doc-null": {"type": "int32", "doc": None},
    "parameters-number": {"type": "int32", "parameters": {"a": 1}},
    "parameters-array": {"type": "int32", "parameters": []},
    "parameters-null": {"type": "int32", "parameters": None},
    "parameters-empty": {"type": "int32", "parameters": {}},
    "unknown-key": {"type": "int32", "colour": "red"},
    "metadata": {
        "type": "int32",
        "name": "n",
        "version": 2,
        "doc": "d",
        "parameters": {"b": "2", "a": "1"},
    },
    "default": {"type": "int32", "default": 42},
    "default-null": {"type": "int32", "default": None},
    "default-wrong": {"type": "int32", "default": "x"},
    "default-array": {"type": "array", "items": {"type": "int8"}, "default": [1]},
    "default-bytes": {"type": "bytes", "default": "AQI="},
    "default-bytes-bad": {"type": "bytes", "default": 5},
    "default-date": {**_LOGICAL["Date"], "default": 3},
    "default-decimal": {**_DECIMAL, "default": "AJY="},
    "default-decimal-number": {**_DECIMAL, "default": 1.5},
    "default-struct": {
        "type": "struct",
        "fields": [{"field": "a", "type": "int8"}],
        "default": {"a": 1},
    },
    "array-no-items": {"type": "array"},
    "array-items-null": {"type": "array", "items": None},
    "array-items-text": {"type": "array", "items": "int32"},
    "map-no-keys": {"type": "map", "values": {"type": "int8"}},
    "map-no-values": {"type": "map", "keys": {"type": "int8"}},
    "struct-no-fields": {"type": "struct"},
    "struct-fields-object": {"type": "struct", "fields": {}},
    "struct-field-no-name": {"type": "struct", "fields": [{"type": "int8"}]},
    "struct-field-name-number": {"type": "struct", "fields": [{"field": 5, "type": "int8"}]},
    "struct-field-name-empty": {"type": "struct", "fields": [{"field": "", "type": "int8"}]},
    "struct-field-text": {"type": "struct", "fields": ["a"]},
    "struct-field-twice": {"type": "struct", "fields": [{"field": "a", "type": "int8"}] * 2},
    "decimal-no-scale": {"type": "bytes", "name": _DECIMAL["name"], "version": 1},
    "decimal-bad-scale": {**_DECIMAL, "parameters": {"scale": "x"}},
    "decimal-on-string": {**_DECIMAL, "type": "string"},
    "date-on-string": {**_LOGICAL["Date"], "type": "string"},
    "date-without-version": {"type": "int32", "name": _LOGICAL["Date"]["name"]},
}
DOCUMENTS = (
    "", " ", "null", "12", '"a"', "true", "[]", "{}", "{", "}", "[1", '{"a"', '{"a":}', "{a:1}",
    "{'a':1}", "[1,]", '{"a":1,}',
    "// c\n1", "1 2", "{} x", "nul", "tru", "abc", "'a'", '"\\x"', '"\\u00e9"', '"\\ud83d\\ude00"',
    '"\\ud83d"', '"a\nb"', '"a\tb"',
    "\ufeff1", "[[[[1]]]]", '{"a":{"b":[1,2.5,null,true,"x"]}}', '{"a":1,"a":2}',
    '{"schema":null,"payload":1}',
    '{"schema":{"type":"int32"},"payload":1}', '{"payload":1}', '{"schema":{"type":"int32"}}',
    '{"payload":1,"schema":{"type":"int32"}}',
    '{"schema":{"type":"int32"},"payload":1,"more":1}', '{"schema":null,"payload":null}',
    '{"schema":null,"payload":{"a":[1,2.5]}}',
    '{"schema":{"type":"int32","optional":true},"payload":null}', '{"schema":{},"payload":null}',
    "9223372036854775808", "1e400",
    "123456789012345678901234567890", "1.10", "-0", "-0.0", "1e2", "-", "--1", "0x10", "1_000",
    "NaN", "Infinity", "0012", "-01", "+1",
    ".5", "5.", "1.e2", "\u0000", " 1", "1 ", "\n\t1\r\n",
)  # fmt: skip
RAW = {
    "latin1": "Iuki",
    "utf16": "/v8AMQ==",
    "truncated": "IsM=",
    "overlong": "IsCvIg==",
    "nul": "AA==",
    "bom": "77u/MQ==",
}


def _case(document: str | None, **settings: str) -> dict[str, Any]:
    given = {"bytes": None} if document is None else {"text": document}
    return {
        "kind": "converter",
        "class": "JsonConverter",
        "settings": settings,
        "direction": "to",
        **given,
    }


def _envelope(schema: Any, payload: str) -> str:
    return f'{{"schema":{json.dumps(schema)},"payload":{payload}}}'


def cases() -> Iterator[tuple[str, dict[str, Any]]]:
    """Every case under its id."""
    for type_ in PRIMITIVES:
        for payload in PAYLOADS:
            yield f"json/to/{type_}/{payload}", _case(_envelope({"type": type_}, payload))
    for name, schema in {**_LOGICAL, "Decimal": _DECIMAL}.items():
        for payload in LOGICAL_PAYLOADS:
            yield f"json/to/{name}/{payload}", _case(_envelope(schema, payload))
    for name, (schema, payloads) in CONTAINERS.items():
        for payload in payloads:
            yield f"json/to/{name}/{payload}", _case(_envelope(schema, payload))
    for name, schema in SCHEMAS.items():
        for payload in ("1", "null"):
            yield f"json/to/schema/{name}/{payload}", _case(_envelope(schema, payload))
    yield from _documents()
    yield from _nulls()


def _documents() -> Iterator[tuple[str, dict[str, Any]]]:
    for name, settings in (("envelope", {}), ("plain", {"schemas.enable": "false"})):
        yield f"json/to/document/{name}/null-bytes", _case(None, **settings)
        for number, document in enumerate(DOCUMENTS):
            yield f"json/to/document/{name}/{number:02}", _case(document, **settings)
        for raw, encoded in RAW.items():
            case = {**_case(None, **settings), "bytes": encoded}
            yield f"json/to/document/{name}/raw-{raw}", case


def _nulls() -> Iterator[tuple[str, dict[str, Any]]]:
    keep = {"replace.null.with.default": "false"}
    for type_ in (*PRIMITIVES, *_LOGICAL, "Decimal"):
        schema = {**_LOGICAL, "Decimal": _DECIMAL}.get(type_, {"type": type_})
        optional = {**schema, "optional": True}
        yield f"json/to/null/{type_}/optional", _case(_envelope(optional, "null"))
        default = {"string": "x", "boolean": True, "bytes": "AQI=", "Decimal": "AJY="}.get(type_, 7)
        for name, base in (("default", schema), ("optional-default", optional)):
            document = _envelope({**base, "default": default}, "null")
            yield f"json/to/null/{type_}/{name}", _case(document)
            yield f"json/to/null/{type_}/{name}/keep-null", _case(document, **keep)
    for payload in ("{}", '{"a":null,"b":null}'):
        document = _envelope(CONTAINERS["struct-default"][0], payload)
        yield f"json/to/struct-default/{payload}/keep-null", _case(document, **keep)
    for role in ("key", "header"):
        document = _envelope({"type": "int32"}, "5")
        yield f"json/to/role/{role}", {**_case(document), "role": role}
    yield (
        "json/to/decimal-numeric-setting",
        _case(_envelope(_DECIMAL, "1.50"), **{"decimal.format": "NUMERIC"}),
    )
