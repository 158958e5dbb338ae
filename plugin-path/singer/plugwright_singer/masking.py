"""Masks the secrets of a configuration in texts."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["Mask", "looks_secret", "secrets_in"]

_SECRET_KEY = re.compile(
    r"pass(word|wd|phrase)?$|secret|token|credential|private|api_?key|access_?key|auth"
    r"|connection_?string|dsn$|_url$",
    re.IGNORECASE,
)
_SHORTEST = 3
_HIDDEN = "[hidden]"


def looks_secret(key: str) -> bool:
    """Whether a value under this key is treated as a secret."""
    return _SECRET_KEY.search(key.replace("-", "_")) is not None


def secrets_in(config: object, *, inside: bool = False) -> Iterator[str]:
    """Every text of a Singer configuration that stands under a key which looks like a secret."""
    if isinstance(config, Mapping):
        for key, value in config.items():
            yield from secrets_in(value, inside=inside or looks_secret(str(key)))
    elif isinstance(config, list):
        for value in config:
            yield from secrets_in(value, inside=inside)
    elif inside and config is not None and not isinstance(config, bool):
        yield str(config)


class Mask:
    """Replaces secrets in what a program has written.

    Args:
        secrets: texts, of which each line is a secret, too, since programs are heard line by line;
            those of one or two characters are not secrets and stay.
    """

    def __init__(self, secrets: Iterable[str]) -> None:
        texts = {part for text in secrets for part in (text, *text.splitlines())}
        forms = {form for text in texts for form in (text, json.dumps(text)[1:-1])}
        forms = {form for form in forms if len(form) >= _SHORTEST}
        ordered = sorted(forms, key=len, reverse=True)
        self._pattern = re.compile("|".join(map(re.escape, ordered))) if ordered else None

    def excerpt(self, line: bytes, length: int) -> str:
        """The beginning of a line without secrets; cut after they are hidden, so none in part."""
        text = self.hide(line.decode("utf-8", "replace"))
        return text if len(text) <= length else f"{text[:length]}…"

    def hide(self, text: str) -> str:
        """The text without secrets."""
        return text if self._pattern is None else self._pattern.sub(_HIDDEN, text)
