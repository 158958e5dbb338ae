"""The operator's response headers: ``response.http.headers.config``."""

from __future__ import annotations

import csv
import re
import time
from dataclasses import dataclass
from email.utils import formatdate
from typing import TYPE_CHECKING, Final

from plugwright.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

_ACTIONS: Final = ("set", "add", "setDate", "addDate")
_DATES: Final = ("setDate", "addDate")
_NAME: Final = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")
_VALUE: Final = re.compile(r"[\t\x20-\x7e]*")
_KEY: Final = "response.http.headers.config"


@dataclass(frozen=True, slots=True)
class HeaderRule:
    """A rule for one response header.

    Attributes:
        action: ``set`` replaces a header of that name, ``add`` stands beside it; ``setDate`` and
            ``addDate`` write the present time plus ``value`` milliseconds.
    """

    action: str
    name: str
    value: str

    @property
    def replaces(self) -> bool:
        """Whether existing headers of that name are removed."""
        return self.action.startswith("set")

    def text(self, now: float) -> str:
        """The header's value at a time, in seconds since the epoch."""
        if self.action in _DATES:
            return formatdate(now + int(self.value) / 1000, usegmt=True)
        return self.value


def parse_rules(config: str | None) -> tuple[HeaderRule, ...]:
    """Parse rules ``[action] [name]:[value]``, separated by commas, quoted if they contain one.

    Raises:
        ConfigError: at the first rule that has another form, in Kafka's words.
    """
    if not config or not config.strip():
        return ()
    rows = csv.reader([config.replace("\n", " ")], skipinitialspace=True)
    return tuple(_rule(text) for row in rows for text in row)


def apply_rules(
    rules: Iterable[HeaderRule],
    headers: list[tuple[bytes, bytes]],
    clock: Callable[[], float] = time.time,
) -> list[tuple[bytes, bytes]]:
    """Apply the rules to the headers of a response, in order."""
    for rule in rules:
        name = rule.name.lower().encode()
        if rule.replaces:
            headers = [pair for pair in headers if pair[0].lower() != name]
        headers = [*headers, (name, rule.text(clock()).encode())]
    return headers


def _rule(text: str) -> HeaderRule:
    action, _, header = re.sub(r"\s+", " ", text.strip()).partition(" ")
    if not header:
        expected = "Expected: '[action] [header name]:[header value]'"
        raise _wrong(f"Invalid format of header config '{text}'. {expected}")
    known = next((known for known in _ACTIONS if known.lower() == action.lower()), None)
    if known is None:
        expected = f"Expected one of [{', '.join(_ACTIONS)}]"
        raise _wrong(f"Invalid header config action: '{action}'. {expected}")
    name, _, value = header.partition(":")
    if not value.strip() or ":" in value:
        raise _wrong(
            f"Invalid format of header name and header value pair '{header}'. "
            "Expected: '[header name]:[header value]'"
        )
    return HeaderRule(known, _checked_name(name.strip()), _checked_value(known, value.strip()))


def _checked_name(name: str) -> str:
    if " " in name or not name:
        reason = "The '[header name]' cannot contain whitespace"
        raise _wrong(f"Invalid header name '{name}'. {reason}")
    if not _NAME.fullmatch(name):
        reason = "The '[header name]' can only contain the characters of an HTTP token"
        raise _wrong(f"Invalid header name '{name}'. {reason}")
    return name


def _checked_value(action: str, value: str) -> str:
    if action in _DATES and not re.fullmatch(r"-?[0-9]{1,15}", value):
        raise _wrong(f"Invalid header value '{value}'. {action} expects milliseconds from now")
    if not _VALUE.fullmatch(value):
        reason = "The '[header value]' can only contain printable ASCII characters"
        raise _wrong(f"Invalid header value '{value}'. {reason}")
    return value


def _wrong(message: str) -> ConfigError:
    return ConfigError(
        message,
        hint='write for example: set X-Frame-Options: DENY, "add Vary: Origin, Accept"',
        facts={"key": _KEY, "problems": ((_KEY, message),)},
    )
