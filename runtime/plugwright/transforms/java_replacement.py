"""Java's replacement strings, as ``Matcher.replaceFirst`` takes them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from plugwright.config import invalid_value

if TYPE_CHECKING:
    from collections.abc import Callable

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
