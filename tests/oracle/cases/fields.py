"""ExtractField with its path syntax, HoistField and ReplaceField."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.oracle.cases.building import POINT, RICH, RICH_VALUE, data, record, sides, transform

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.oracle.cases.building import Case

__all__ = ["cases"]

_KEEP = {"replace.null.with.default": "false"}
_TOPS: dict[str, tuple[Any, Any]] = {
    "struct": (RICH, RICH_VALUE),
    "struct-unset": (RICH, {"id": 7}),
    "struct-null": ({**RICH, "optional": True}, None),
    "map": (None, {"id": 7, "name": None, "in": {"x": 1}, "at": {"$date": 1000}}),
    "map-empty": (None, {}),
    "tombstone": (None, None),
    "text": ("string", "a"),
    "plain-text": (None, "a"),
    "schema-map": ({"type": "map", "keys": "string", "values": "int32"}, {"id": 1}),
}
_NESTED = {
    "type": "struct",
    "fields": [
        ["a", {**POINT, "optional": True}],
        ["a.x", "int32?"],
        ["b`", "int32?"],
        ["", "int32?"],
    ],
}
_PATHS = (
    "a",
    "a.x",
    "a.y",
    "a.z",
    "`a.x`",
    "`a`.x",
    "a.`x`",
    "a..x",
    ".a",
    "a.",
    "",
    ".",
    "`a",
    "a`b`",
    "b`",
    "b\\`",
    "`b\\``",
    "``",
    "x.y",
    "a.x.q",
)
EXTRACT: dict[str, dict[str, Any]] = {
    "id": {"field": "id"},
    "name": {"field": "name"},
    "name-keep": {"field": "name", **_KEEP},
    "nested": {"field": "in"},
    "missing": {"field": "zip"},
    "v2": {"field": "in.x", "field.syntax.version": "V2"},
    "v2-missing": {"field": "in.q", "field.syntax.version": "V2"},
    "v2-through-text": {"field": "name.x", "field.syntax.version": "V2"},
}
EXTRACT_BAD: dict[str, dict[str, Any]] = {
    "none": {},
    "version-lower": {"field": "id", "field.syntax.version": "v2"},
    "version-unknown": {"field": "id", "field.syntax.version": "V3"},
    "version-null": {"field": "id", "field.syntax.version": None},
    "blank": {"field": " "},
}
REPLACE: dict[str, dict[str, Any]] = {
    "none": {},
    "exclude": {"exclude": "name,at"},
    "include": {"include": "id,name"},
    "both": {"include": "id,name", "exclude": "name"},
    "rename": {"renames": "id:key,name:label"},
    "rename-swap": {"renames": "id:name,name:id"},
    "rename-onto": {"include": "id,name", "renames": "id:name"},
    "rename-excluded": {"exclude": "id", "renames": "id:key"},
    "include-new-name": {"include": "key", "renames": "id:key"},
    "missing": {"exclude": "zip", "renames": "zap:zop"},
    "all-out": {"exclude": "id,name,at,in"},
    "keep-null": {"include": "name", **_KEEP},
}
REPLACE_BAD: dict[str, dict[str, Any]] = {
    "rename-one": {"renames": "id"},
    "rename-three": {"renames": "a:b:c"},
    "rename-empty-new": {"renames": "id:"},
    "rename-empty-old": {"renames": ":id"},
    "rename-to-one": {"renames": "id:z,name:z"},
    "rename-twice": {"renames": "id:a,id:b"},
    "rename-spaces": {"renames": " id : key "},
    "blacklist": {"blacklist": "id"},
}


def cases() -> Iterator[Case]:
    """Every case under its id."""
    yield from _extract()
    yield from _hoist()
    yield from _replace()


def _extract() -> Iterator[Case]:
    for name, settings in EXTRACT.items():
        for top, content in _TOPS.items():
            case = transform("ExtractField$Value", settings, record(data(*content)))
            yield f"ExtractField/{name}/{top}", case
    yield from sides("ExtractField", "sides", {"field": "id"}, data(RICH, RICH_VALUE))
    for name, settings in EXTRACT_BAD.items():
        yield (
            f"ExtractField/bad/{name}",
            transform("ExtractField$Value", settings, record(data(RICH, RICH_VALUE))),
        )
    nested = {"a": {"x": 1}, "a.x": 2, "b`": 3, "": 4}
    for number, path in enumerate(_PATHS):
        for version in ("V1", "V2"):
            settings = {"field": path, "field.syntax.version": version}
            for kind, schema in (("struct", _NESTED), ("map", None)):
                # A struct may not have a field without name in Python.
                value = {key: item for key, item in nested.items() if key} if schema else nested
                used = {**_NESTED, "fields": _NESTED["fields"][:-1]} if schema else None
                key = f"ExtractField/path/{number:02}/{version}/{kind}"
                yield key, transform("ExtractField$Value", settings, record(data(used, value)))


def _hoist() -> Iterator[Case]:
    for top, content in _TOPS.items():
        yield from sides("HoistField", top, {"field": "wrapped"}, data(*content))
    for name, settings in {"none": {}, "blank": {"field": ""}, "dots": {"field": "a.b"}}.items():
        yield (
            f"HoistField/bad/{name}",
            transform("HoistField$Value", settings, record(data("int8", 1))),
        )
    yield "HoistField/null-without-schema", transform("HoistField$Value", {"field": "f"}, record())
    array = data({"type": "array", "items": "int8"}, [1])
    yield "HoistField/array", transform("HoistField$Value", {"field": "f"}, record(array))


def _replace() -> Iterator[Case]:
    for name, settings in REPLACE.items():
        for top in ("struct", "struct-unset", "map"):
            case = transform("ReplaceField$Value", settings, record(data(*_TOPS[top])))
            yield f"ReplaceField/{name}/{top}", case
    for top, content in _TOPS.items():
        yield from sides("ReplaceField", f"top/{top}", {"exclude": "name"}, data(*content))
    for name, settings in REPLACE_BAD.items():
        for top in ("struct", "map"):
            case = transform("ReplaceField$Value", settings, record(data(*_TOPS[top])))
            yield f"ReplaceField/bad/{name}/{top}", case
