"""A cursor in a Java pattern, and the characters that escapes represent."""

from __future__ import annotations

import re

_SIMPLE = {"t": "\t", "n": "\n", "r": "\r", "f": "\f", "a": "\a", "e": "\x1b"}
_CODES = (
    (re.compile(r"x([0-9a-fA-F]{2})"), 16),
    (re.compile(r"x\{([0-9a-fA-F]{1,8})\}"), 16),
    (re.compile(r"u([0-9a-fA-F]{4})"), 16),
    (re.compile(r"0([0-3][0-7]{2}|[0-7]{1,2})"), 8),
)
_CONTROL = re.compile(r"c(.)", re.DOTALL)
_CONTROL_BIT = 64


class UntranslatableError(Exception):
    """The untranslatable part of a pattern, and its position."""


class Cursor:
    """A position in a pattern that advances as parts are taken."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._position = 0

    @property
    def at_end(self) -> bool:
        """Whether the end is reached."""
        return self._position >= len(self._text)

    def peek(self) -> str:
        """The next character, or an empty string at the end."""
        return self._text[self._position : self._position + 1]

    def next(self) -> str:
        """Take the next character.

        Raises:
            UntranslatableError: at the end.
        """
        if self.at_end:
            raise self.refusal("Unexpected end of the expression")
        self._position += 1
        return self._text[self._position - 1]

    def take(self, expected: re.Pattern[str]) -> re.Match[str] | None:
        """Take the match of an expression at this position, or return ``None``."""
        found = expected.match(self._text, self._position)
        if found is not None:
            self._position = found.end()
        return found

    def ahead(self, text: str) -> bool:
        """Whether a text follows."""
        return self._text.startswith(text, self._position)

    def until(self, end: str) -> str:
        """Take everything up to and including a text, or the rest if it does not occur."""
        text, _, _ = self._text[self._position :].partition(end)
        self._position = min(len(self._text), self._position + len(text) + len(end))
        return text

    def refusal(self, construct: str) -> UntranslatableError:
        """The error for a construct at this position."""
        return UntranslatableError(f"{construct} near index {max(0, self._position - 1)}")


def read_character(cursor: Cursor) -> str:
    """The character that the escape before the cursor represents.

    Raises:
        UntranslatableError: if Java has no such escape, or it is not a single character.
    """
    for expected, base in _CODES:
        found = cursor.take(expected)
        if found is not None:
            return _character(cursor, int(found.group(1), base))
    control = cursor.take(_CONTROL)
    if control is not None:
        return _character(cursor, ord(control.group(1)) ^ _CONTROL_BIT)
    letter = cursor.next()
    if letter in _SIMPLE:
        return _SIMPLE[letter]
    if letter.isascii() and letter.isalnum():
        raise cursor.refusal(f"Illegal or unsupported escape sequence \\{letter}")
    return letter


def _character(cursor: Cursor, code: int) -> str:
    try:
        return chr(code)
    except (ValueError, OverflowError):
        raise cursor.refusal("Hexadecimal codepoint is too big") from None
