r"""Java ``.properties`` text, read as ``java.util.Properties.load`` reads it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from plugwright.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterator

_SPACE: Final = " \t\f"
_LINE_END: Final = re.compile(r"\r\n|\r|\n")
_KEY: Final = re.compile(r"(?:\\.|[^\\=: \t\f])*", re.DOTALL)
_SEPARATOR: Final = re.compile(r"[ \t\f]*[=:]?[ \t\f]*")
_ESCAPE: Final = re.compile(r"\\(u[0-9a-fA-F]{4}|.|$)", re.DOTALL)
_CONTROL: Final = {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}


def parse_properties(text: str) -> dict[str, str]:
    r"""The settings in the text of a properties file; of equal keys the last one counts.

    Comments start with ``#`` or ``!``; ``=``, ``:`` or blanks divide key and value; a backslash at
    the end continues a line; ``\t \n \r \f \uXXXX`` are escapes, before anything else a backslash
    vanishes.

    >>> parse_properties("a = 1\n# no\nlong\\ key:x,\\\n    y")
    {'a': '1', 'long key': 'x,y'}

    Raises:
        ConfigError: if ``\u`` is not followed by four hexadecimal digits; ``facts`` name the line.
    """
    settings: dict[str, str] = {}
    for number, line in _logical_lines(text.removeprefix("\ufeff")):
        key = _KEY.match(line)
        end = key.end() if key else 0
        separator = _SEPARATOR.match(line, end)
        rest = line[separator.end() if separator else end :]
        settings[_unescaped(line[:end], number)] = _unescaped(rest, number)
    return settings


def _logical_lines(text: str) -> Iterator[tuple[int, str]]:
    """Number and text of each setting's line, continued lines joined."""
    pending, start = "", 0
    for number, raw in enumerate(_LINE_END.split(text), 1):
        line = raw.lstrip(_SPACE)
        if not start and (not line or line[0] in "#!"):
            continue
        start = start or number
        continues = _ends_in_open_backslash(line)
        pending += line[:-1] if continues else line
        if continues:
            continue
        if pending:
            yield start, pending
        pending, start = "", 0
    if pending:
        yield start, pending


def _ends_in_open_backslash(line: str) -> bool:
    return (len(line) - len(line.rstrip("\\"))) % 2 == 1


def _unescaped(text: str, line: int) -> str:
    if "\\" not in text:
        return text

    def character(match: re.Match[str]) -> str:
        escape = match[1]
        if len(escape) > 1:
            return chr(int(escape[1:], 16))
        if escape == "u":
            raise _malformed(line)
        return _CONTROL.get(escape, escape)

    return _paired(_ESCAPE.sub(character, text))


def _paired(text: str) -> str:
    """The text with two escaped surrogates made one character; a lone one stays."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")


def _malformed(line: int) -> ConfigError:
    return ConfigError(
        f"Malformed \\uxxxx encoding in line {line}.",
        code="config.malformed-properties",
        hint="write four hexadecimal digits after \\u, or double the backslash",
        facts={"line": line},
    )
