"""Where an answer is not what Java said: everything but free wording counts."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["Difference", "differences"]

_WORDS = ("documentation", "message", "trace")
"""Fields that are sentences: whether there is one counts, not what it says."""
_COUNT = re.compile(r"contains the following (\d+) error")
_ABSENT = "(nothing)"
_BUNDLED = "io.confluent.connect.avro.AvroConverter"
"""What ours has on board, and Java's on its plugin path."""
_ADDED = ("headers.allow", "headers.content-type")
"""What an answer of ours may have where Java's has nothing: HTTP wants the methods with a 405, and
a body has a type (RFC 9110, 15.5.6 and 8.3)."""


@dataclass(frozen=True, slots=True)
class Difference:
    """One place of an answer.

    Attributes:
        place: such as ``body.configs.name.value.errors``; an element of a list that has a name is
            called by it.
        expected: what Java said.
        found: what was said instead.
    """

    place: str
    expected: Any
    found: Any

    def __str__(self) -> str:
        return f"{self.place}: expected {self.expected!r:.200}, found {self.found!r:.200}"


def differences(
    expected: Mapping[str, Any] | None, found: Mapping[str, Any] | None
) -> list[Difference]:
    """Every difference of two answers to one step."""
    return [
        each
        for each in _differ(expected, found, "")
        if not (each.place in _ADDED and each.expected == _ABSENT)
    ]


def _differ(expected: Any, found: Any, place: str) -> Iterator[Difference]:
    if isinstance(expected, dict) and isinstance(found, dict):
        yield from _differ_by_key(expected, found, place)
    elif isinstance(expected, list) and isinstance(found, list):
        if place == "body" or place.endswith(".recommended_values"):
            found = [each for each in found if not _is_bundled(each)]
        yield from _differ_in_order(expected, found, place)
    elif expected != found and not _is_wording(expected, found, place):
        yield Difference(place, expected, found)


def _differ_by_key(
    expected: Mapping[str, Any], found: Mapping[str, Any], place: str
) -> Iterator[Difference]:
    for key in [*expected, *(key for key in found if key not in expected)]:
        yield from _differ(
            expected.get(key, _ABSENT), found.get(key, _ABSENT), f"{place}.{key}".lstrip(".")
        )


def _differ_in_order(expected: list[Any], found: list[Any], place: str) -> Iterator[Difference]:
    names, others = [_name(each) for each in expected], [_name(each) for each in found]
    if place.endswith((".errors", ".groups")) or not all(
        isinstance(n, str) for n in names + others
    ):
        yield from _differ_by_place(expected, found, place)
        return
    if names != others:
        yield Difference(f"{place}[]", names, others)
    by_name = dict(zip(others, found, strict=True))
    for name, each in zip(names, expected, strict=True):
        if name in by_name:
            yield from _differ(each, by_name[name], f"{place}.{name}")


def _differ_by_place(expected: list[Any], found: list[Any], place: str) -> Iterator[Difference]:
    if place.endswith(".errors"):
        if len(expected) != len(found):
            yield Difference(place, expected, found)
    elif len(expected) != len(found):
        yield Difference(f"{place}[]", expected, found)
    else:
        for number, pair in enumerate(zip(expected, found, strict=True)):
            yield from _differ(*pair, f"{place}.{number}")


def _is_bundled(element: Any) -> bool:
    return (element.get("class") if isinstance(element, dict) else element) == _BUNDLED


def _name(element: Any) -> str | None:
    """What an element of a list is called, if it is called anything."""
    if not isinstance(element, dict):
        return None
    if isinstance(element.get("value"), dict):
        return str(element["value"].get("name"))
    if "class" in element:
        return "{class} {type} {version}".format_map({"version": None, **element})
    return element.get("name")


def _is_wording(expected: Any, found: Any, place: str) -> bool:
    """Whether both say something in words of their own, of as many errors where Java counts."""
    if place.rpartition(".")[2] in _WORDS and isinstance(expected, str) and isinstance(found, str):
        return (
            _COUNT.findall(expected) in ([], _COUNT.findall(found))
            and bool(expected) == bool(found)
            and _ABSENT not in {expected, found}
        )
    return _is_page(expected) and _is_page(found)


def _is_page(value: Any) -> bool:
    return isinstance(value, str) and value.lstrip()[:1] == "<"
