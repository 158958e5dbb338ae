"""ConfigDef: parsing every type, every validator, errors, order and documents."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.oracle.cases.building import Case

__all__ = ["cases"]

TYPES = ("BOOLEAN", "STRING", "INT", "SHORT", "LONG", "DOUBLE", "LIST", "CLASS", "PASSWORD")
TEXTS = (
    "", " ", "true", "TRUE", " False ", "yes", "1", " 7 ", "-1", "+1", "1.0", "1e3", "0x1", "32768",
    "2147483648", "9223372036854775808", "NaN",
    "Infinity", "1.5f", "1d", "a", "a,b", " a , b ", "a,,b,", ",", "java.lang.String",
    "no.such.Thing", "\u0661",
)  # fmt: skip
OBJECTS: dict[str, Any] = {
    "boolean": True,
    "int": {"$int32": 5},
    "short": {"$int16": 5},
    "long": 5,
    "float": {"$float32": 1.5},
    "double": 1.5,
    "list": ["a", " b "],
    "list-of-int": [{"$int32": 1}],
    "null": None,
}
VALIDATORS: dict[str, tuple[str, list[Any], list[Any]]] = {
    "at-least": ("INT", ["at_least", 1], ["0", "1", "x", None]),
    "at-least-double": ("DOUBLE", ["at_least", 0.5], ["0.4", "0.5", "NaN", None]),
    "between": ("LONG", ["between", 0, 10], ["-1", "0", "10", "11", None]),
    "valid-string": ("STRING", ["valid_string", "a", "b"], ["a", "A", "c", "", None]),
    "case-insensitive": ("STRING", ["case_insensitive", "A", "b"], ["a", "B", "c", None]),
    "valid-list": ("LIST", ["valid_list", "a", "b"], ["a", "a,b", "c", "a,c,d", "", "a,a", None]),
    "non-null": ("STRING", ["non_null"], ["a", "", None]),
    "non-empty": ("STRING", ["non_empty"], ["a", "", " ", None]),
    "no-control": ("STRING", ["no_control_characters"], ["a", "", "a\tb\u0001", None]),
    "list-size": ("LIST", ["list_size", 2], ["a", "a,b", "a,b,c", "", None]),
    "both": ("STRING", ["any_of_both", ["non_null"], ["valid_string", "a"]], ["a", "b", None]),
}
_DOCUMENTED: list[dict[str, Any]] = [
    {
        "name": "b.low",
        "type": "INT",
        "default": {"$int32": 5},
        "importance": "LOW",
        "documentation": "First line.\nSecond <b>line</b>.",
    },
    {"name": "a.high", "type": "STRING", "importance": "HIGH"},
    {"name": "a.low", "type": "STRING", "importance": "LOW"},
    {"name": "a.default", "type": "STRING", "default": "", "importance": "HIGH"},
    {"name": "null.default", "type": "STRING", "default": None},
    {"name": "null.doc", "type": "STRING", "default": "x", "documentation": None},
    {"name": "hidden", "type": "INT", "default": {"$int32": 1}, "internal": True},
    {"name": "secret", "type": "PASSWORD", "default": "hush"},
    {"name": "list", "type": "LIST", "default": ["a", "b"], "validator": ["valid_list", "a", "b"]},
    {"name": "empty.list", "type": "LIST", "default": []},
    {"name": "flag", "type": "BOOLEAN", "default": False},
    {"name": "double", "type": "DOUBLE", "default": 1e-5, "validator": ["between", 0, 1]},
    {"name": "alternative", "type": "INT", "default": {"$int32": 1}, "alternative": "computed"},
    {"name": "quote`", "type": "STRING", "default": '<&">'},
]
_GROUPED: list[dict[str, Any]] = [
    {
        "name": "z",
        "default": "1",
        "group": "Second",
        "order": 2,
        "width": "LONG",
        "display_name": "Zed",
    },
    {"name": "y", "default": "1", "group": "First", "order": 1, "dependents": ["z", "x"]},
    {"name": "x", "group": "Second", "order": 1, "importance": "LOW"},
    {"name": "w", "default": "1", "importance": "HIGH"},
    {"name": "v", "group": "First", "order": 1, "importance": "HIGH"},
    {"name": "u", "default": "u", "group": "First", "order": 0},
]
_SIZES = (
    0,
    1,
    2,
    512,
    1023,
    1024,
    1025,
    2048,
    1048576,
    1048577,
    3 * 2**20,
    2**30,
    2**40,
    2**50,
    2**63 - 1,
    -1024,
)
_TIMES = (
    0,
    1,
    999,
    1000,
    1001,
    1500,
    2000,
    60000,
    61000,
    120000,
    3600000,
    7200000,
    86400000,
    2 * 86400000,
    604800000,
    31536000000,
    2**63 - 1,
    -1000,
)


def _case(
    define: list[dict[str, Any]], method: str, properties: dict[str, Any] | None = None
) -> dict[str, Any]:
    case = {"kind": "definition", "define": define, "method": method}
    return case if properties is None else {**case, "properties": properties}


def cases() -> Iterator[Case]:
    """Every case under its id."""
    for type_, (number, text) in product(TYPES, enumerate(TEXTS)):
        key = f"definition/parse/{type_}/{number:02}"
        yield key, _case([{"name": "k", "type": type_}], "parse", {"k": text})
    for type_, (name, value) in product(TYPES, OBJECTS.items()):
        key = f"definition/parse/{type_}/{name}"
        yield key, _case([{"name": "k", "type": type_}], "parse", {"k": value})
    for name, (type_, validator, values) in VALIDATORS.items():
        keys = [{"name": "k", "type": type_, "validator": validator}]
        yield f"definition/validator/{name}/render", _case(keys, "render")
        for number, value in enumerate(values):
            yield f"definition/validator/{name}/{number}", _case(keys, "validate", {"k": value})
        yield f"definition/validator/{name}/missing", _case(keys, "validate", {})
    yield from _documents()
    yield from _problems()


def _documents() -> Iterator[Case]:
    yield "definition/render/all", _case(_DOCUMENTED, "render")
    yield "definition/render/groups", _case(_GROUPED, "render")
    yield "definition/render/empty", _case([], "render")
    class_ = {"name": "class", "type": "CLASS", "default": "java.util.Map$Entry"}
    yield "definition/render/class", _case([class_], "render")
    yield "definition/render/text-ms", _case([{"name": "text.ms", "default": "1000"}], "render")
    for suffix, amounts in (("bytes", _SIZES), ("ms", _TIMES)):
        keys = [
            {
                "name": f"k{number:02}.{suffix}",
                "type": "LONG",
                "default": amount,
                "documentation": "",
            }
            for number, amount in enumerate(amounts)
        ]
        yield f"definition/render/{suffix}", _case(keys, "render")
    odd: list[dict[str, Any]] = [
        {"name": "int.ms", "type": "INT", "default": {"$int32": 1000}, "documentation": ""},
        {"name": "null.bytes", "type": "LONG", "default": None, "documentation": ""},
        {"name": "bytes", "type": "LONG", "default": 1024, "documentation": ""},
        {"name": "required.ms", "type": "LONG", "documentation": ""},
    ]
    yield "definition/render/odd-units", _case(odd, "render")


def _problems() -> Iterator[Case]:
    yield "definition/twice", _case([{"name": "k"}, {"name": "k"}], "render")
    low: dict[str, Any] = {"name": "k", "type": "INT", "validator": ["at_least", 1]}
    yield "definition/bad-default", _case([{**low, "default": {"$int32": 0}}], "render")
    yield "definition/null-default-range", _case([{**low, "default": None}], "render")
    wrong = {"name": "k", "type": "INT", "default": "x"}
    yield "definition/unparsable-default", _case([wrong], "render")
    undefined: list[dict[str, Any]] = [{"name": "k", "default": "1", "dependents": ["gone"]}]
    for method in ("parse", "validate", "render"):
        yield f"definition/undefined-dependent/{method}", _case(undefined, method, {})
    two: list[dict[str, Any]] = [{"name": "a", "type": "INT"}, {"name": "b", "type": "INT"}]
    for name, properties in {
        "none": {},
        "one": {"a": "1"},
        "bad": {"a": "x", "b": "y"},
        "more": {"a": "1", "b": "2", "c": "3"},
    }.items():
        for method in ("parse", "validate"):
            yield f"definition/two/{name}/{method}", _case(two, method, properties)
    parents: list[dict[str, Any]] = [
        {"name": "p", "type": "INT", "dependents": ["c"]},
        {"name": "q", "type": "INT", "dependents": ["c"]},
        {"name": "c", "type": "INT", "validator": ["at_least", 1]},
    ]
    for name, value in (("good", "1"), ("low", "0"), ("bad", "x")):
        properties = {"p": "1", "q": "1", "c": value}
        yield f"definition/two-parents/{name}", _case(parents, "validate", properties)
    yield "definition/grouped/validate", _case(_GROUPED, "validate", {"x": "1"})
    trim: list[dict[str, Any]] = [{"name": "k", "default": "d"}]
    for name, text in (("null", None), ("blank", " "), ("text", " x ")):
        yield f"definition/default-given/{name}", _case(trim, "parse", {"k": text})
