"""InsertField and ValueToKey."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.oracle.cases.building import RICH, RICH_VALUE, data, record, sides, transform

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.oracle.cases.building import Case

__all__ = ["cases"]

_KEEP = {"replace.null.with.default": "false"}
_SMALL = {
    "type": "struct",
    "name": "Small",
    "doc": "d",
    "fields": [["a", "int8"], ["b", {"type": "int8", "optional": True, "default": 4}]],
}
_ALL = {
    "topic.field": "t",
    "partition.field": "p",
    "offset.field": "o",
    "timestamp.field": "s",
    "static.field": "f",
    "static.value": "v",
}
INSERT: dict[str, dict[str, Any]] = {
    "topic": {"topic.field": "t"},
    "topic-required": {"topic.field": "t!"},
    "topic-optional": {"topic.field": "t?"},
    "topic-odd-marks": {"topic.field": "t!?"},
    "only-mark": {"topic.field": "!"},
    "partition": {"partition.field": "p"},
    "partition-required": {"partition.field": "p!"},
    "offset": {"offset.field": "o"},
    "timestamp": {"timestamp.field": "s"},
    "timestamp-required": {"timestamp.field": "s!"},
    "static": {"static.field": "f", "static.value": "v"},
    "static-number": {"static.field": "f", "static.value": "12"},
    "static-empty": {"static.field": "f", "static.value": ""},
    "all": _ALL,
    "replace-field": {"topic.field": "a"},
    "keep-null": {"topic.field": "t", **_KEEP},
    "no-static-value": {"static.field": "f"},
    "no-static-field": {"static.value": "v"},
    "nothing": {},
}
VALUES: dict[str, tuple[Any, Any]] = {
    "struct": (_SMALL, {"a": 1}),
    "struct-optional": ({**_SMALL, "optional": True}, {"a": 1, "b": 2}),
    "map": (None, {"a": 1}),
}
TOPS: dict[str, tuple[Any, Any]] = {
    **VALUES,
    "struct-null": ({**_SMALL, "optional": True}, None),
    "tombstone": (None, None),
    "text": ("string", "a"),
    "plain-text": (None, "a"),
    "plain-list": (None, [1]),
}
TO_KEY: dict[str, dict[str, Any]] = {
    "one": {"fields": "id"},
    "two": {"fields": "name,id"},
    "nested": {"fields": "in"},
    "missing": {"fields": "id,zip"},
    "twice": {"fields": "id,id"},
    "keep-null": {"fields": "name", **_KEEP},
    "none": {},
    "empty": {"fields": ""},
    "empty-name": {"fields": "id,,name"},
}


def cases() -> Iterator[Case]:
    """Every case under its id."""
    for name, settings in INSERT.items():
        for top, content in VALUES.items():
            for kind in ("source", "sink"):
                for side, part in (("Value", "value"), ("Key", "key")):
                    if side == "Key" and (name not in {"all", "topic"} or kind == "sink"):
                        continue
                    if top == "struct-optional" and name not in {"all", "static", "replace-field"}:
                        continue
                    given = record(
                        kind=kind, partition=2, timestamp=1483425001864, **{part: data(*content)}
                    )
                    given |= {"offset": 9} if kind == "sink" else {}
                    case = transform(f"InsertField${side}", settings, given)
                    yield f"InsertField/{name}/{top}/{kind}/{part}", case
    for top, content in TOPS.items():
        yield from sides("InsertField", f"top/{top}", {"topic.field": "t"}, data(*content))
    for top in ("struct", "map"):
        for name in ("partition", "partition-required", "timestamp", "timestamp-required"):
            case = transform("InsertField$Value", INSERT[name], record(data(*VALUES[top])))
            yield f"InsertField/unknown/{name}/{top}", case
    yield from _value_to_key()


def _value_to_key() -> Iterator[Case]:
    tops: dict[str, tuple[Any, Any]] = {
        "struct": (RICH, RICH_VALUE),
        "struct-unset": (RICH, {"id": 7}),
        "map": (None, {"id": 7, "name": None, "in": {"x": 1}}),
    }
    for name, settings in TO_KEY.items():
        for top, content in tops.items():
            given = record(data(*content), data("string", "old"))
            yield f"ValueToKey/{name}/{top}", transform("ValueToKey", settings, given)
    for top, content in TOPS.items():
        yield (
            f"ValueToKey/top/{top}",
            transform("ValueToKey", {"fields": "a"}, record(data(*content))),
        )
