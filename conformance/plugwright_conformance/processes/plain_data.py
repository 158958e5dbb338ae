"""Reads messages from processes with plugin code, without executing what they name.

A pickle may name any function of any module, and reading it calls that. Here it may name the
classes that the reader expects, and no others; everything else has to be plain data of Python.
"""

from __future__ import annotations

import io
import pickle
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

__all__ = ["UnexpectedError", "packed", "unpacked"]

_PLAIN: Mapping[type, Callable[[Any], Any]] = MappingProxyType(
    {str: str.__str__, bytes: bytes.__bytes__, int: int.__int__, float: float.__float__}
)


class UnexpectedError(Exception):
    """A message contains a class that is not allowed; the text names it."""


def packed(content: Any) -> bytes:
    """Serialize content; a plugin's own string and number types become plain ones."""
    out = io.BytesIO()
    _Writer(out, 5).dump(content)
    return out.getvalue()


def unpacked(words: bytes, expected: Collection[type]) -> Any:
    """Deserialize content from another process.

    Args:
        words: what `packed` made, or what somebody says it has made.
        expected: the classes whose instances may be in it.

    Raises:
        UnexpectedError: if it names anything else, or is nothing of the kind.
    """
    try:
        return _Reader(io.BytesIO(words), expected).load()
    except UnexpectedError:
        raise
    except Exception as error:
        raise UnexpectedError(f"{type(error).__name__}: {error}") from error


class _Writer(pickle.Pickler):
    def reducer_override(self, value: object) -> Any:
        """Write a text or a number as a plain one, for the reader knows no plugin's types."""
        for kind, plain in _PLAIN.items():
            if isinstance(value, kind):
                return kind, (plain(value),)
        return NotImplemented


class _Reader(pickle.Unpickler):
    def __init__(self, source: io.BytesIO, expected: Collection[type]) -> None:
        super().__init__(source)
        known = [*_PLAIN, *expected]
        self._known = {(kind.__module__, kind.__qualname__): kind for kind in known}

    def find_class(self, module: str, name: str) -> type:
        """The expected class of this name; nothing is imported."""
        if (found := self._known.get((module, name))) is None:
            raise UnexpectedError(f"{module}.{name}")
        return found
