"""Validations of the real Kafka Connect worker, recorded: how they are kept, and what is compared.

Free wording apart, an answer is its status, the class and the groups that it names, the count of
errors, and for each setting in order: its definition, its value, whether it is visible, whether
values are recommended, and how many errors it has.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from plugwright import __version__
from plugwright.plugins import JAVA_NAMES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["RECORDED", "Case", "comparable", "kept", "recorded"]

RECORDED = Path(__file__).parents[1] / "golden" / "worker" / "validations-4.3.1.jsonl"
_JAVA_VERSION = "4.3.1"
_ATTRIBUTES = (
    "type",
    "required",
    "default_value",
    "importance",
    "group",
    "order_in_group",
    "width",
    "display_name",
)


@dataclass(frozen=True, slots=True)
class Case:
    """One request and what Java's worker has answered.

    Attributes:
        plugin: in the path of the request.
        config: its body.
        answer: what is compared of the answer.
    """

    name: str
    plugin: str
    config: Mapping[str, Any]
    answer: Any


def comparable(status: int, body: Mapping[str, Any]) -> Any:
    """What is compared of an answer, as JSON data, with our names for Java's classes."""
    if status != 200:  # the one status with a body of interest
        return {"status": status}
    return _ours(
        {
            "status": status,
            "name": body["name"],
            "errors": body["error_count"],
            "groups": body["groups"],
            "settings": [_setting(each) for each in body["configs"]],
        }
    )


def _setting(info: Mapping[str, Any]) -> list[Any]:
    value, definition = info["value"], info["definition"]
    attributes = definition and [definition[key] for key in _ATTRIBUTES]
    return [
        value["name"],
        attributes,
        value["value"],
        value["visible"],
        bool(value["recommended_values"]),
        len(value["errors"]),
    ]


def _ours(data: Any) -> Any:
    """The same with names and versions of our plugins in place of Java's."""
    text = json.dumps(data)
    for java in sorted(JAVA_NAMES, key=len, reverse=True):
        text = text.replace(f'"{java}"', f'"{JAVA_NAMES[java]}"')
    return json.loads(text.replace(f'"{_JAVA_VERSION}"', f'"{__version__}"'))


def kept(cases: Mapping[str, tuple[str, Mapping[str, Any], int, Any]]) -> Iterator[str]:
    """Lines for a recording: requests with answers as Java gave them, definitions kept once."""
    numbers: dict[str, int] = {}
    lines = []
    for name, (plugin, config, status, body) in cases.items():
        answer: dict[str, Any] = {"status": status}
        if status == 200:  # as above
            answer |= {
                "name": body["name"],
                "errors": body["error_count"],
                "groups": body["groups"],
                "settings": [_numbered(_setting(each), numbers) for each in body["configs"]],
            }
        lines.append(json.dumps([name, plugin, config, answer], separators=(",", ":")))
    yield json.dumps([json.loads(each) for each in numbers], separators=(",", ":"))
    yield from lines


def _numbered(setting: list[Any], numbers: dict[str, int]) -> list[Any]:
    if setting[1] is not None:
        text = json.dumps(setting[1])
        setting[1] = numbers.setdefault(text, len(numbers))
    return setting


def recorded() -> list[Case]:
    """Every case of the recording."""
    first, *lines = RECORDED.read_text("utf-8").splitlines()
    definitions = json.loads(first)
    return [_case(definitions, *json.loads(line)) for line in lines]


def _case(
    definitions: list[Any], name: str, plugin: str, config: Mapping[str, Any], answer: Any
) -> Case:
    for setting in answer.get("settings", ()):
        setting[1] = None if setting[1] is None else definitions[setting[1]]
    return Case(name, plugin, config, _ours(answer))
