"""The converters of single values, and SimpleHeaderConverter."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any

from tests.oracle.cases.building import POINT, data

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.oracle.cases.building import Case

__all__ = ["cases"]

NUMBERS: dict[str, tuple[str, int, list[Any]]] = {
    "ShortConverter": ("int16", 2, [0, 1, -1, 32767, -32768]),
    "IntegerConverter": ("int32", 4, [0, 1, -1, 2**31 - 1, -(2**31)]),
    "LongConverter": ("int64", 8, [0, 1, -1, 2**63 - 1, -(2**63)]),
    "FloatConverter": (
        "float32",
        4,
        [0.0, -0.0, 1.5, 0.1, {"$float32": "NaN"}, {"$float32": "Infinity"}, 1.4e-45],
    ),
    "DoubleConverter": (
        "float64",
        8,
        [0.0, -0.0, 1.5, 0.1, {"$float64": "NaN"}, {"$float64": "-Infinity"}, 5e-324],
    ),
    "BooleanConverter": ("boolean", 1, [True, False]),
}
ANYTHING: dict[str, tuple[Any, Any]] = {
    "null": (None, None),
    "null-optional": ("string?", None),
    "null-required": ("string", None),
    "null-default": ({"type": "string", "optional": True, "default": "d"}, None),
    "string": ("string", "é😀"),
    "string-empty": ("string", ""),
    "string-quotes": ("string", 'a"b\\c'),
    "int8": ("int8", 1),
    "int64": ("int64", -5),
    "float32": ("float32", 0.1),
    "float64": ("float64", 1e21),
    "float64-whole": ("float64", 100.0),
    "float64-small": ("float64", 1e-5),
    "nan": ("float64", {"$float64": "NaN"}),
    "boolean": ("boolean", True),
    "bytes": ("bytes", {"$bytes": "AQID"}),
    "buffer": ("bytes", {"$buffer": "AQID"}),
    "decimal": ("decimal(2)", {"$decimal": ["150", 2]}),
    "decimal-negative-scale": ("decimal(-2)", {"$decimal": ["15", -2]}),
    "decimal-small": ("decimal(10)", {"$decimal": ["1", 10]}),
    "date": ("date", {"$date": 86400000}),
    "time": ("time", {"$date": 1000}),
    "timestamp": ("timestamp", {"$date": 1483425001864}),
    "timestamp-midnight": ("timestamp", {"$date": 86400000}),
    "timestamp-before": ("timestamp", {"$date": -1}),
    "array": ({"type": "array", "items": "string"}, ["a", 'b"c', ""]),
    "array-mixed": (None, [1, "a", None, True, 1.5, {"$bytes": "AQ=="}]),
    "map": ({"type": "map", "keys": "string", "values": "int32"}, {"a": 1}),
    "map-int-keys": ({"type": "map", "keys": "int32", "values": "string"}, {"$map": [[1, "a"]]}),
    "struct": (POINT, {"x": 1}),
    "struct-full": (POINT, {"x": 1, "y": 2}),
    "plain-string": (None, "a"),
    "plain-int": (None, 5),
    "plain-map": (None, {"a": {"b": [1]}}),
    "plain-date": (None, {"$date": 5}),
    "plain-uuid": (None, {"$uuid": "00000000-0000-0000-0000-000000000001"}),
    "wrong-class": ("int32", "text"),
    "wrong-class-number": ("string", {"$int64": 5}),
}
TEXTS = (
    "", " ", "a", "null", " null ", "true", "True", "1", "-1", "+1", "128", "99999999999",
    "99999999999999999999", "1.5", "1.0", "1e400",
    "NaN", "[1,2]", '[1,"a"]', "[1,null]", "[]", "{}", '{"a":1}', "{1:2,}", '"quoted"',
    "2019-08-23", "14:34:54.346Z",
    "2019-08-23T14:34:54.346Z", "1,2", "1::2", "a,b", "é😀", "0x10", "007", "a\\b", "[", "]", "{",
    "}", ",", ":", "\\", '"',
)  # fmt: skip
ENCODINGS = (
    "UTF-16",
    "UTF-16LE",
    "UTF_16LE",
    "ISO-8859-1",
    "US-ASCII",
    "windows-1252",
    "UTF_8",
    "no-such",
    "",
)


def _case(name: str, **more: Any) -> dict[str, Any]:
    return {"kind": "converter", "class": name, **more}


def _from(name: str, content: tuple[Any, Any], **more: Any) -> dict[str, Any]:
    return _case(name, direction="from", data=data(*content), **more)


def _to(name: str, value: bytes | None, **more: Any) -> dict[str, Any]:
    encoded = None if value is None else base64.b64encode(value).decode("ascii")
    return _case(name, direction="to", bytes=encoded, **more)


def cases() -> Iterator[Case]:
    """Every case under its id."""
    for name, (type_, size, values) in NUMBERS.items():
        yield from _number(name, type_, size, values)
    for name in ("StringConverter", "ByteArrayConverter"):
        for key, content in ANYTHING.items():
            yield f"{name}/from/{key}", _from(name, content)
    for key, content in ANYTHING.items():
        yield (
            f"SimpleHeaderConverter/from/{key}",
            _from("SimpleHeaderConverter", content, role="header"),
        )
    yield from _readers()


def _number(name: str, type_: str, size: int, values: list[Any]) -> Iterator[Case]:
    for number, value in enumerate(values):
        yield f"{name}/from/{number}", _from(name, (type_, value))
    wrong: list[Any] = [
        {"$int8": 1},
        {"$int64": 1},
        {"$float32": 1},
        "1",
        {"$date": 0},
        {"$decimal": ["1", 0]},
    ]
    for number, value in enumerate(wrong):
        yield f"{name}/from/wrong/{number}", _from(name, (type_, value))
        yield f"{name}/from/plain/{number}", _from(name, (None, value))
    yield f"{name}/from/other-schema", _from(name, ("string", "a"))
    yield (
        f"{name}/from/own-class-other-schema",
        _from(name, ("string", {f"${type_}": 1} if type_ != "boolean" else True)),
    )
    for key, schema in (("none", None), ("optional", f"{type_}?"), ("required", type_)):
        yield f"{name}/from/null/{key}", _from(name, (schema, None))
    yield f"{name}/to/null", _to(name, None)
    for length in (0, 1, 2, 4, 8, 9):
        for fill in (0, 255):
            yield f"{name}/to/{length}x{fill}", _to(name, bytes([fill]) * length)
    yield f"{name}/to/two", _to(name, b"\x02" * size)
    yield f"{name}/header/to", _to(name, b"\x01" * size, role="header")
    yield f"{name}/header/from", _from(name, (type_, values[1]), role="header")


def _readers() -> Iterator[Case]:
    raw = {
        "null": None,
        "latin1": b"\xe9",
        "nul": b"\0",
        "truncated": b"a\xc3",
        "bom": b"\xef\xbb\xbfa",
    }
    for name, role in (
        ("StringConverter", "value"),
        ("ByteArrayConverter", "value"),
        ("SimpleHeaderConverter", "header"),
    ):
        for key, value in raw.items():
            yield f"{name}/to/raw-{key}", _to(name, value, role=role)
        for number, text in enumerate(TEXTS if role == "header" else TEXTS[:6]):
            yield f"{name}/to/{number:02}", _case(name, direction="to", text=text, role=role)
    for encoding in ENCODINGS:
        settings = {"converter.encoding": encoding}
        yield (
            f"StringConverter/encoding/{encoding}/from",
            _from("StringConverter", ("string", "é€"), settings=settings),
        )
        yield (
            f"StringConverter/encoding/{encoding}/to",
            _to("StringConverter", b"\xe9\x00", settings=settings),
        )
    for key in ("key", "value"):
        settings = {f"{key}.converter.encoding": "UTF-16"}
        yield (
            f"StringConverter/own-encoding/{key}",
            _from("StringConverter", ("string", "é"), settings=settings),
        )
    yield "StringConverter/header/from", _from("StringConverter", ("string", "é"), role="header")
    yield "StringConverter/header/to", _to("StringConverter", b"12", role="header")
    yield "ByteArrayConverter/header/to", _to("ByteArrayConverter", b"12", role="header")
