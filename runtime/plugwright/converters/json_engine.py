r"""Converts plain values to JSON text and back, with orjson if it is installed.

Both engines write the bytes of Java's JSON writer (Jackson): no blanks, text outside
ASCII as UTF-8, but characters beyond U+FFFF and control characters as ``\uXXXX`` in upper case.
"""

from __future__ import annotations

import re
from importlib import import_module
from json.encoder import encode_basestring
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_ESCAPE = re.compile(r"\\u[0-9a-f]{4}|\\.|[\U00010000-\U0010ffff]")
_LAST_IN_ONE_UNIT = 0xFFFF


class JsonEngine(Protocol):
    """Writes and reads JSON."""

    def raw(self, text: str) -> Any:
        """A leaf that is written as the given JSON text."""
        ...

    def dumps(self, value: Any) -> bytes:
        """The JSON text of plain values and raw leaves.

        Raises:
            ValueError: if a string has a lone surrogate.
        """
        ...

    def texts(self, strings: Sequence[str]) -> list[bytes]:
        """The JSON text of each string.

        Args:
            strings: of no subclass.

        Raises:
            ValueError: if one has a lone surrogate.
        """
        ...

    def loads(self, data: bytes) -> Any:
        """The value of a JSON text, read as fast as possible; ``json_parsing`` checks the rest.

        Raises:
            ValueError: if the text is not JSON, or this engine leaves it to the exact parser.
        """
        ...


class OrjsonEngine:
    """Uses the orjson library.

    Raises:
        ImportError: if it is not installed.
    """

    def __init__(self) -> None:
        orjson = import_module("orjson")
        self.raw = orjson.Fragment
        self.loads = orjson.loads
        self._dumps = orjson.dumps

    def dumps(self, value: Any) -> bytes:
        """The JSON text of plain values and raw leaves.

        Raises:
            ValueError: if a string has a lone surrogate.
        """
        try:
            data: bytes = self._dumps(value)
        except TypeError as error:
            raise ValueError(str(error)) from error
        # Searching for one byte is many times faster than searching for two.
        if data.isascii() and (b"\\" not in data or b"\\u" not in data):
            return data
        return _java_escapes(data.decode()).encode()

    def texts(self, strings: Sequence[str]) -> list[bytes]:
        """The JSON text of each string.

        Raises:
            ValueError: if one has a lone surrogate.
        """
        data = self.dumps(strings)
        if b'\\"' in data or not strings:
            return [self.dumps(each) for each in strings]
        # No string has a quote, so the first quote from its beginning is its end; and JSON has no
        # line breaks in strings.
        return (b'"' + data[2:-2].replace(b'","', b'"\n"') + b'"').split(b"\n")


class _Raw(str):
    """Ready JSON text."""

    __slots__ = ()


class PlainEngine:
    """Uses only the standard library; the exact parser does the reading."""

    raw = _Raw

    def dumps(self, value: Any) -> bytes:
        """The JSON text of plain values and raw leaves.

        Raises:
            ValueError: if a string has a lone surrogate.
        """
        return _java_escapes(_text(value)).encode()

    def texts(self, strings: Sequence[str]) -> list[bytes]:
        """The JSON text of each string.

        Raises:
            ValueError: if one has a lone surrogate.
        """
        return [self.dumps(each) for each in strings]

    def loads(self, data: bytes) -> Any:  # noqa: ARG002  # nothing is read here
        """Refuse: this engine has no reader.

        Raises:
            ValueError: always.
        """
        raise ValueError("left to the exact parser")


def json_engine() -> JsonEngine:
    """The fastest engine that is installed."""
    try:
        return OrjsonEngine()
    except ImportError:
        return PlainEngine()


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value if isinstance(value, _Raw) else encode_basestring(value)
    if isinstance(value, dict):
        inner = ",".join(f"{encode_basestring(key)}:{_text(item)}" for key, item in value.items())
        return f"{{{inner}}}"
    if isinstance(value, list):
        return f"[{','.join(map(_text, value))}]"
    return _LITERALS[value] if isinstance(value, bool | None) else str(value)


_LITERALS: Mapping[bool | None, str] = MappingProxyType(
    {None: "null", True: "true", False: "false"}
)


def _java_escapes(text: str) -> str:
    return _ESCAPE.sub(_java_escape, text)


def _java_escape(match: re.Match[str]) -> str:
    found = match.group()
    if len(found) == 1:
        return "".join(f"\\u{unit:04X}" for unit in _surrogates(ord(found)))
    return f"\\u{found[2:].upper()}" if found[1] == "u" else found


def _surrogates(code: int) -> tuple[int, int]:
    rest = code - _LAST_IN_ONE_UNIT - 1
    return 0xD800 + (rest >> 10), 0xDC00 + (rest & 0x3FF)
