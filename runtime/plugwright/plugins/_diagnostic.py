"""What discovery has to say about a location: values, never exceptions."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class DiagnosticLevel(Enum):
    """How much a diagnostic matters."""

    NOTE = "note"
    WARNING = "warning"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding.

    Attributes:
        code: stable name of the situation, such as ``ep-syntax``.
        location: the plugin location that it is about.
        message: what was found where.
        file: path inside the location, or an empty string.
        line: line number from 1, or 0.
        hint: what to do about it.
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
    r"""Text of foreign origin with an escape for what would break a line or steer a terminal.

    >>> printable("a\tb\x1b[1m\u202e")
    'a\\tb\\x1b[1m\\u202e'
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
