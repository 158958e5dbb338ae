"""DropHeaders, InsertHeader and HeaderFrom, and the three predicates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.oracle.cases.building import RICH, RICH_VALUE, data, record, transform

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.oracle.cases.building import Case

__all__ = ["cases"]

_HEADERS: list[Any] = [
    ["a", data("int8", 1)],
    ["b", data("string", "x")],
    ["a", data(None, 2)],
    ["A", data("string", "upper")],
]
_KEEP = {"replace.null.with.default": "false"}
DROPS = {
    "one": "b",
    "repeated": "a",
    "two": "a,b",
    "missing": "zip",
    "all": "a,A,b",
    "spaces": " a , b ",
    "twice": "a,a",
    "empty": "",
    "empty-name": "a,,b",
}
LITERALS = ("", " ", "text", "12", "300", "-1", "1.5", "1e400", "true", "TRUE", "null", "[1,2]",
"[1,null]", '{"a":1}', "2019-08-23",
            "14:34:54.346Z", "2019-08-23T14:34:54.346Z", '"q"', "0x10", "1,2", "007", " padded ",
            "99999999999999999999")  # fmt: skip
FROM: dict[str, dict[str, Any]] = {
    "move": {"fields": "id", "headers": "h", "operation": "move"},
    "copy": {"fields": "id", "headers": "h", "operation": "copy"},
    "two": {"fields": "id,name", "headers": "h,g", "operation": "move"},
    "two-copy": {"fields": "name,at", "headers": "h,h", "operation": "copy"},
    "all": {"fields": "id,name,at,in", "headers": "a,b,c,d", "operation": "move"},
    "struct": {"fields": "in", "headers": "h", "operation": "copy"},
    "missing": {"fields": "zip", "headers": "h", "operation": "copy"},
    "missing-move": {"fields": "zip", "headers": "h", "operation": "move"},
    "existing-header": {"fields": "id", "headers": "a", "operation": "move"},
    "keep-null": {"fields": "name", "headers": "h", "operation": "copy", **_KEEP},
    "keep-null-move": {"fields": "id", "headers": "h", "operation": "move", **_KEEP},
    "same-field-twice": {"fields": "id,id", "headers": "h,g", "operation": "move"},
}
FROM_BAD: dict[str, dict[str, Any]] = {
    "nothing": {},
    "length": {"fields": "id", "headers": "h,g", "operation": "move"},
    "empty": {"fields": "", "headers": "", "operation": "move"},
    "operation": {"fields": "id", "headers": "h", "operation": "swap"},
    "operation-upper": {"fields": "id", "headers": "h", "operation": "MOVE"},
    "no-operation": {"fields": "id", "headers": "h"},
}
TOPS: dict[str, tuple[Any, Any]] = {
    "struct": (RICH, RICH_VALUE),
    "struct-unset": (RICH, {"id": 7}),
    "map": (None, {"id": {"$int32": 7}, "name": None, "in": {"x": 1}}),
}
ODD: dict[str, tuple[Any, Any]] = {
    "tombstone": (None, None),
    "null": ({**RICH, "optional": True}, None),
    "text": ("string", "a"),
    "plain-text": (None, "a"),
}


def cases() -> Iterator[Case]:
    """Every case under its id."""
    some = record(data("int8", 1), headers=_HEADERS)
    for name, text in DROPS.items():
        yield f"DropHeaders/{name}", transform("DropHeaders", {"headers": text}, some)
    yield "DropHeaders/none", transform("DropHeaders", {}, some)
    yield "DropHeaders/without-headers", transform("DropHeaders", {"headers": "a"}, record())
    for number, literal in enumerate(LITERALS):
        settings = {"header": "new", "value.literal": literal}
        yield f"InsertHeader/literal/{number:02}", transform("InsertHeader", settings, record())
    for name, settings in {
        "again": {"header": "a", "value.literal": "x"},
        "no-header": {"value.literal": "x"},
        "no-value": {"header": "a"},
        "empty-header": {"header": "", "value.literal": "x"},
        "nothing": {},
    }.items():
        yield f"InsertHeader/{name}", transform("InsertHeader", settings, some)
    yield from _header_from()
    yield from _predicates()


def _header_from() -> Iterator[Case]:
    for name, settings in FROM.items():
        for top, content in TOPS.items():
            given = record(data(*content), headers=_HEADERS[:1])
            yield f"HeaderFrom/{name}/{top}", transform("HeaderFrom$Value", settings, given)
    for top, content in (TOPS | ODD).items():
        for name in ("move", "copy"):
            given = record(data("string", "v"), data(*content))
            yield f"HeaderFrom/key/{name}/{top}", transform("HeaderFrom$Key", FROM[name], given)
    for top, content in ODD.items():
        given = record(data(*content))
        yield f"HeaderFrom/odd/{top}", transform("HeaderFrom$Value", FROM["move"], given)
    for name, settings in FROM_BAD.items():
        given = record(data(*TOPS["map"]))
        yield f"HeaderFrom/bad/{name}", transform("HeaderFrom$Value", settings, given)


PREDICATE: dict[str, tuple[str, dict[str, Any], dict[str, Any]]] = {
    "tombstone/null": ("RecordIsTombstone", {}, record()),
    "tombstone/null-with-schema": ("RecordIsTombstone", {}, record(data("int8?", None))),
    "tombstone/default": (
        "RecordIsTombstone",
        {},
        record(data({"type": "int8", "optional": True, "default": 1}, None)),
    ),
    "tombstone/empty-text": ("RecordIsTombstone", {}, record(data("string", ""))),
    "tombstone/key-only": ("RecordIsTombstone", {}, record(None, data("int8", 1))),
    "topic/whole": ("TopicNameMatches", {"pattern": "my-.*"}, {"topic": "my-topic"}),
    "topic/part": ("TopicNameMatches", {"pattern": "my"}, {"topic": "my-topic"}),
    "topic/other": ("TopicNameMatches", {"pattern": "x.*"}, {"topic": "my-topic"}),
    "topic/null": ("TopicNameMatches", {"pattern": ".*"}, {"topic": None}),
    "topic/empty-topic": ("TopicNameMatches", {"pattern": ".*"}, {"topic": ""}),
    "topic/newline": ("TopicNameMatches", {"pattern": ".*"}, {"topic": "a\n"}),
    "topic/java-syntax": ("TopicNameMatches", {"pattern": "[a-z&&[^x]]++"}, {"topic": "topic"}),
    "topic/case": ("TopicNameMatches", {"pattern": "(?i)TOPIC"}, {"topic": "topic"}),
    "topic/bad": ("TopicNameMatches", {"pattern": "["}, {"topic": "t"}),
    "topic/none": ("TopicNameMatches", {}, {"topic": "t"}),
    "topic/empty": ("TopicNameMatches", {"pattern": ""}, {"topic": "t"}),
    "header/there": ("HasHeaderKey", {"name": "a"}, record(headers=_HEADERS)),
    "header/missing": ("HasHeaderKey", {"name": "zip"}, record(headers=_HEADERS)),
    "header/case": ("HasHeaderKey", {"name": "B"}, record(headers=_HEADERS)),
    "header/no-headers": ("HasHeaderKey", {"name": "a"}, record()),
    "header/null-value": ("HasHeaderKey", {"name": "n"}, record(headers=[["n", data(None, None)]])),
    "header/none": ("HasHeaderKey", {}, record()),
    "header/empty": ("HasHeaderKey", {"name": ""}, record()),
    "header/blank": ("HasHeaderKey", {"name": " "}, record()),
    "header/null": ("HasHeaderKey", {"name": None}, record()),
}


def _predicates() -> Iterator[Case]:
    for name, (class_, settings, given) in PREDICATE.items():
        yield (
            f"predicate/{name}",
            {"kind": "predicate", "class": class_, "settings": settings, "record": given},
        )
