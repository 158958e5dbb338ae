"""Hides values that config providers supplied, wherever they occur in a text."""

from __future__ import annotations

import base64
import json
import re
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote, quote_plus

from plugwright.config._password import HIDDEN
from plugwright.errors import ConnectError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_LONG: Final = 8
_SHORT: Final = 4
_WORDS: Final = frozenset({"true", "false", "null", "none"})
_CONTEXTS: Final = (
    (r"(?<=Invalid value )", r"(?= for configuration )"),
    (r"(?<= = )", r"(?=\r?\n|$)"),
)
"""Contexts in which a short or common text is hidden: errors and logs of settings."""


class HiddenTexts:
    """Replaces texts that are likely secrets with ``[hidden]``; safe to use from all threads.

    A text of eight characters or more is replaced wherever it occurs: also in upper or lower case,
    escaped, URL-encoded and as Base64. A shorter text is replaced if it is a separate word. So are
    its lines and comma-separated elements, by their own length. A text of fewer than four
    characters, or a common one such as ``true``, is replaced only where it is named as the
    value of a setting.

    >>> hidden = HiddenTexts(["pa55-w0rd", "abcd", "7"])
    >>> hidden.hide("pa55-w0rds of abcd, not abcde, at 7")
    '[hidden]s of [hidden], not abcde, at 7'
    >>> hidden.hide("Invalid value 7 for configuration tasks.max")
    'Invalid value [hidden] for configuration tasks.max'

    Args:
        texts: the initial secrets.
    """

    def __init__(self, texts: Iterable[str] = ()) -> None:
        self._lock = threading.Lock()
        self._known: set[str] = set()
        self._pattern: re.Pattern[str] | None = None
        self.add(texts)

    def add(self, texts: Iterable[str]) -> None:
        """Hide these texts as well from now on."""
        with self._lock:
            new = set(filter(None, texts)) - self._known
            if new:
                self._known |= new
                self._pattern = _pattern(self._known)

    def hide(self, text: str) -> str:
        """The text with all secrets replaced."""
        pattern = self._pattern
        return text if pattern is None else pattern.sub(HIDDEN, text)

    @contextmanager
    def in_errors(self) -> Iterator[None]:
        """Hide secrets in every exception raised in the block, causes and notes included."""
        try:
            yield
        except Exception as error:
            for each in _chain(error):
                self._hide_in(each)
            raise

    def _hide_in(self, error: BaseException) -> None:
        error.args = tuple(self._hidden(each) for each in error.args)
        if notes := getattr(error, "__notes__", None):
            error.__notes__ = [self._hidden(note) for note in notes]
        if isinstance(error, ConnectError):
            error.hint = self.hide(error.hint)
            error.facts = {name: self._hidden(fact) for name, fact in error.facts.items()}

    def _hidden(self, value: Any) -> Any:
        if isinstance(value, str):
            return self.hide(value)
        if isinstance(value, list | tuple):
            return type(value)([self._hidden(each) for each in value])
        return value


def _chain(error: BaseException) -> Iterator[BaseException]:
    """An error with its causes and contexts, each once."""
    seen: set[int] = set()
    pending: list[BaseException | None] = [error]
    while pending:
        each = pending.pop()
        if each is not None and id(each) not in seen:
            seen.add(id(each))
            yield each
            pending += [each.__cause__, each.__context__]


def _pattern(texts: Iterable[str]) -> re.Pattern[str] | None:
    forms = {form for text in texts for form in _forms(text)}
    alternatives = [
        each for form in sorted(forms, key=_longest_first) for each in _in_contexts(form)
    ]
    return re.compile("|".join(alternatives), re.IGNORECASE) if alternatives else None


def _longest_first(form: str) -> tuple[int, str]:
    return -len(form), form


def _forms(text: str) -> Iterator[str]:
    """The forms in which a text may occur: unchanged, in parts, and encoded."""
    whole = text.strip()
    parts = [part.strip() for part in re.split(r"[\n,]", whole)]
    for plain in (text, whole, *(part for part in parts if len(part) >= _SHORT)):
        yield from (plain, repr(plain)[1:-1], json.dumps(plain)[1:-1])
        yield from (spell(plain, safe) for spell in (quote, quote_plus) for safe in ("", "/"))
        if len(plain) >= _LONG:
            yield base64.b64encode(plain.encode(errors="replace")).decode().rstrip("=")


def _in_contexts(form: str) -> Iterator[str]:
    """Patterns for the contexts in which a form is hidden."""
    if not form.strip():
        return
    literal = re.escape(form)
    if len(form) >= _LONG:
        yield literal
    elif len(form) >= _SHORT and form.lower() not in _WORDS:
        yield rf"(?<!\w){literal}(?!\w)"
    else:
        yield from (f"{before}{literal}{after}" for before, after in _CONTEXTS)
