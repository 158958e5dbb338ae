"""RegexRouter: renames topics by a regular expression."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from plugwright.config import ConfigDef, ConfigType, Importance, invalid_value, not_null
from plugwright.errors import DataError
from plugwright.transforms._base import R
from plugwright.transforms._builtin import BuiltinTransformation, located
from plugwright.transforms._java_regex import java_pattern
from plugwright.transforms._settings import RegexValidator

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from plugwright.source_columns import SourceColumns

_PARTS = re.compile(
    r"\\(?P<escaped>.)|\$\{(?P<name>[A-Za-z][A-Za-z0-9]*)\}|\$(?P<number>[0-9]+)|(?P<text>[^\\$]+)",
    re.DOTALL,
)


def java_replacement(
    template: str, pattern: re.Pattern[str], key: str
) -> Callable[[re.Match[str]], str]:
    """The replacement of ``Matcher.replaceFirst``, as a function for ``Pattern.sub``.

    A number takes as many digits as there are groups for; a group without match is nothing.

    Args:
        template: Java's replacement string.
        pattern: the pattern with the groups.
        key: the setting with the template, for messages.

    Raises:
        ConfigError: if it refers to a missing group, or is incomplete. Java reports this only
            at the first record that matches.
    """
    parts: list[str | int] = []
    position = 0
    while position < len(template):
        found = _PARTS.match(template, position)
        if found is None:
            raise invalid_value(key, template, _incomplete(template[position:]))
        parts.extend(_referred(found, pattern, key, template))
        position = found.end()

    def replacement(match: re.Match[str]) -> str:
        return "".join(part if isinstance(part, str) else match[part] or "" for part in parts)

    return replacement


def _referred(
    found: re.Match[str], pattern: re.Pattern[str], key: str, template: str
) -> tuple[str | int, ...]:
    if found["name"] is not None:
        if found["name"] not in pattern.groupindex:
            raise invalid_value(key, template, f"No group with name {{{found['name']}}}")
        return (pattern.groupindex[found["name"]],)
    if found["number"] is not None:
        return _numbered(found["number"], pattern, key, template)
    return (found["escaped"] or found["text"],)


def _numbered(
    digits: str, pattern: re.Pattern[str], key: str, template: str
) -> tuple[str | int, ...]:
    """The group with the longest valid number, and the remaining digits as text."""
    length = 1
    while length < len(digits) and int(digits[: length + 1]) <= pattern.groups:
        length += 1
    number = int(digits[:length])
    if number > pattern.groups:
        raise invalid_value(key, template, f"No group {number}")
    return number, digits[length:]


def _incomplete(rest: str) -> str:
    if rest.startswith("\\"):
        return "character to be escaped is missing"
    if rest == "$":
        return "Illegal group reference: group index is missing"
    return f"Illegal group reference: {rest}"


_REGEX = "regex"
_REPLACEMENT = "replacement"


class RegexRouter(BuiltinTransformation[R]):
    """Renames topics that a regular expression matches as a whole.

    As in Kafka, what is then replaced is the first match anywhere in the name: ``o|orders`` matches
    ``orders`` and replaces its ``o``.
    """

    DEFINITION = (
        ConfigDef()
        .define(
            _REGEX,
            ConfigType.STRING,
            importance=Importance.HIGH,
            documentation="A Java regular expression that the whole name of a topic must match.",
            validator=RegexValidator(),
        )
        .define(
            _REPLACEMENT,
            ConfigType.STRING,
            importance=Importance.HIGH,
            documentation="The new name; $1 and ${name} are replaced by groups of the expression.",
        )
    )

    def _take(self, settings: Mapping[str, Any]) -> None:
        self._pattern = java_pattern(settings[_REGEX], _REGEX)
        self._replacement = java_replacement(
            not_null(settings, _REPLACEMENT), self._pattern, _REPLACEMENT
        )

    def apply(self, record: R) -> R:
        """The record, for its new topic if it gets one. Hot path.

        Raises:
            DataError: if the record has no topic.
        """
        topic: str | None = record.topic
        if topic is None:
            missing = DataError("The record has no topic to rename", code="transform.no-topic")
            raise located(missing, type(self))
        if self._pattern.fullmatch(topic) is None:
            return record
        copy = record.duplicate()
        copy.topic = self._renamed(topic)
        return copy

    def apply_to_columns(self, columns: SourceColumns) -> SourceColumns:
        """The columns, for their new topic if they get one."""
        if self._pattern.fullmatch(columns.topic) is None:
            return columns
        return columns.replace(topic=self._renamed(columns.topic))

    def _renamed(self, topic: str) -> str:
        return self._pattern.sub(self._replacement, topic, count=1)
