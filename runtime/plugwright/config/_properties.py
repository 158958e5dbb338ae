r"""Java ``.properties`` text, read and written as ``java.util.Properties`` does."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from plugwright.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_SPACE: Final = " \t\f"
_LINE_END: Final = re.compile(r"\r\n|\r|\n")
_KEY: Final = re.compile(r"(?:\\.|[^\\=: \t\f])*", re.DOTALL)
_SEPARATOR: Final = re.compile(r"[ \t\f]*[=:]?[ \t\f]*")
_ESCAPE: Final = re.compile(r"\\(u[0-9a-fA-F]{4}|.|$)", re.DOTALL)
_CONTROL: Final = {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}


def parse_properties(text: str) -> dict[str, str]:
    r"""The settings in the text of a properties file; the last of several equal keys counts.

    Comments start with ``#`` or ``!``; ``=``, ``:`` or blanks separate key and value; a backslash
    at the end continues a line; ``\t \n \r \f \uXXXX`` are escapes; a backslash before any other
    character is dropped.

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


def properties_text(settings: Mapping[str, str]) -> str:
    r"""Settings as text that `parse_properties` and Java can read, sorted by name.

    >>> properties_text({"long key": " a\nb"})
    'long\\ key=\\ a\\nb\n'
    """
    lines = (f"{_escaped(key, '=: !#')}={_escaped(settings[key])}\n" for key in sorted(settings))
    return "".join(lines)


def _escaped(text: str, special: str = "") -> str:
    written = text.replace("\\", "\\\\")
    for letter, raw in _CONTROL.items():
        written = written.replace(raw, f"\\{letter}")
    for each in special:
        written = written.replace(each, f"\\{each}")
    return f"\\{written}" if written[:1] == " " else written


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
    """The text with each pair of escaped surrogates as one character; a lone one stays."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")


def _malformed(line: int) -> ConfigError:
    return ConfigError(
        f"Malformed \\uxxxx encoding in line {line}.",
        code="config.malformed-properties",
        hint="write four hexadecimal digits after \\u, or double the backslash",
        facts={"line": line},
    )
