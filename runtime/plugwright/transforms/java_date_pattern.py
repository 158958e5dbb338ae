"""Parses the patterns of Java's ``SimpleDateFormat``."""

from __future__ import annotations

import re
from typing import NamedTuple

from plugwright.config import invalid_value

_KNOWN = frozenset("GyMLdDFEuaHkKhmsSzZX")
_LOCAL_WEEKS = frozenset("YwW")
_LONGEST_ISO_ZONE = 3
_LETTERS = re.compile(r"([A-Za-z])\1*")


class Part(NamedTuple):
    """One part of a pattern.

    Attributes:
        letter: the letter of the field; empty for literal text.
        repeated: how often the letter is repeated.
        text: the literal text.
    """

    letter: str
    repeated: int
    text: str


def read_pattern(pattern: str, key: str) -> tuple[Part, ...]:
    """The parts of a pattern; quoted text and characters other than letters are literal.

    Args:
        pattern: as Java's ``SimpleDateFormat`` takes it.
        key: the setting with the pattern, for messages.

    Raises:
        ConfigError: if Java would refuse the pattern, or it depends on the locale:
            Y, w and W count weeks by the locale of the JVM.
    """
    parts: list[Part] = []
    position = 0
    while position < len(pattern):
        letters = _LETTERS.match(pattern, position)
        if letters is not None:
            parts.append(_field(pattern, key, letters.group()))
            position = letters.end()
            continue
        text, position = _literal(pattern, key, position)
        parts.append(Part("", 0, text))
    return _joined(parts)


def _field(pattern: str, key: str, letters: str) -> Part:
    letter, count = letters[0], len(letters)
    if letter in _LOCAL_WEEKS:
        raise invalid_value(
            key,
            pattern,
            f"'{letter}' counts weeks by a locale, which has no counterpart here; "
            "the calendar year is 'y'",
        )
    if letter not in _KNOWN:
        raise invalid_value(key, pattern, f"Illegal pattern character '{letter}'")
    if letter == "X" and count > _LONGEST_ISO_ZONE:
        raise invalid_value(key, pattern, f"invalid ISO 8601 format: length={count}")
    return Part(letter, count, "")


def _literal(pattern: str, key: str, start: int) -> tuple[str, int]:
    if pattern[start] != "'":
        return pattern[start], start + 1
    if pattern.startswith("''", start):
        return "'", start + 2
    text = ""
    position = start + 1
    while position < len(pattern):
        end = pattern.find("'", position)
        if end < 0:
            break
        text += pattern[position:end]
        if not pattern.startswith("''", end):
            return text, end + 1
        text += "'"
        position = end + 2
    raise invalid_value(key, pattern, "Unterminated quote")


def _joined(parts: list[Part]) -> tuple[Part, ...]:
    """The parts, with consecutive literal texts merged."""
    joined: list[Part] = []
    for part in parts:
        if joined and not part.letter and not joined[-1].letter:
            joined[-1] = Part("", 0, joined[-1].text + part.text)
        else:
            joined.append(part)
    return tuple(joined)
