"""Findings of discovery about locations: values, never exceptions."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class DiagnosticLevel(Enum):
    """The severity of a diagnostic."""

    NOTE = "note"
    WARNING = "warning"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding.

    Attributes:
        code: stable identifier, such as ``ep-syntax``.
        location: the plugin location concerned.
        message: the finding.
        file: path inside the location, or an empty string.
        line: line number from 1, or 0.
        hint: a remedy.
    """

    level: DiagnosticLevel
    code: str
    location: str
    message: str
    file: str = ""
    line: int = 0
    hint: str = ""

    def __str__(self) -> str:
        place = self.location + (f"/{self.file}" if self.file else "")
        place += f":{self.line}" if self.line else ""
        return printable(f"{self.code}: {place}: {self.message}")


def printable(text: str) -> str:
    r"""Escape characters in foreign text that would break a line or control a terminal.

    >>> printable("a\tb\x1b[1m\u202e")
    'a\\tb\\x1b[1m\\u202e'
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
