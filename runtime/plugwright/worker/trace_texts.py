"""Formats stack traces like Python, with a cache for records that fail alike."""

from __future__ import annotations

import traceback
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import CodeType, TracebackType

_HEAD = "Traceback (most recent call last):\n"
_CAUSE = "\nThe above exception was the direct cause of the following exception:\n\n"
_CONTEXT = "\nDuring handling of the above exception, another exception occurred:\n\n"
_PARTICULAR = (AttributeError, BaseExceptionGroup, ImportError, NameError, SyntaxError)
"""Errors for which Python prints more than class and message, such as a suggestion."""

_PLACES = 1000
_FRAMES = 50
_CHAIN = 20


class TraceTexts:
    """Formats errors like ``traceback.format_exception``, caching the expensive parts.

    Finding and formatting the source of a frame takes most of the time, and a bad record usually
    fails where the one before it did. Thread-safe.
    """

    def __init__(self) -> None:
        self._places: dict[tuple[int, int, int], tuple[CodeType, str]] = {}
        self._names: dict[type[BaseException], str] = {}

    def of(self, error: BaseException) -> str:
        """The stack trace of an error with its causes."""
        texts: list[str] = []
        for each, link in (chain := _chain(error)):
            text = self._text(each)
            if text is None:
                break
            texts += (text, link)
        else:
            if chain:
                return "".join(texts)
        return "".join(traceback.format_exception(error))

    def _text(self, error: BaseException) -> str | None:
        """The text of one error without its causes; ``None`` if Python must format the chain."""
        if isinstance(error, _PARTICULAR):
            return None
        frames, last = self._frames(error.__traceback__), self._last_lines(error)
        if frames is None or last is None:
            return None
        return f"{_HEAD}{frames}{last}" if frames else last

    def _frames(self, trace: TracebackType | None) -> str | None:
        text, left, places = "", _FRAMES, self._places
        while trace is not None:
            code = trace.tb_frame.f_code
            # By identity, which is valid while the code is kept: hashing code reads all of it.
            place = id(code), trace.tb_lasti, trace.tb_lineno
            known = places.get(place)
            if known is None:
                if len(places) >= _PLACES:
                    places = self._places = {}
                known = places[place] = code, "".join(traceback.format_tb(trace, 1))
            text += known[1]
            if (left := left - 1) < 0:
                return None
            trace = trace.tb_next
        return text

    def _last_lines(self, error: BaseException) -> str | None:
        """Class, message and notes; ``None`` if they are not plain text.

        ``format_exception_only`` would also format all causes and their sources.
        """
        try:
            text = str(error)
        except Exception:  # noqa: BLE001  # a plugin's class
            return None
        kind = type(error)
        name = self._names.get(kind) or self._named(kind)
        first = f"{name}: {text}\n" if text else f"{name}\n"
        notes = getattr(error, "__notes__", None)
        if not notes:
            return first if notes is None or isinstance(notes, list | tuple) else None
        if not isinstance(notes, list | tuple) or not all(isinstance(note, str) for note in notes):
            return None
        return first + "".join(f"{note}\n" for note in notes)

    def _named(self, kind: type[BaseException]) -> str:
        name = kind.__qualname__
        if kind.__module__ not in {"__main__", "builtins"}:
            name = f"{kind.__module__}.{name}"
        if len(self._names) >= _PLACES:
            self._names = {}
        self._names[kind] = name
        return name


def _chain(error: BaseException) -> list[tuple[BaseException, str]]:
    """An error and its causes in printing order, each with the text that links it to the next.

    Empty if the chain is too long or circular.
    """
    found = [(error, "")]
    while len(found) <= _CHAIN:
        if error.__cause__ is not None:
            error, link = error.__cause__, _CAUSE
        elif error.__context__ is not None and not error.__suppress_context__:
            error, link = error.__context__, _CONTEXT
        else:
            return found[::-1]
        found.append((error, link))
    return []
