"""Parses the entries of ``listeners`` and ``admin.listeners``."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from plugwright.errors import ConfigError

_FORM: Final = re.compile(r"(.*)://\[?([0-9a-zA-Z\-%._:]*)\]?:(-?[0-9]{1,9})/?", re.ASCII)
_HIGHEST_PORT: Final = 65535
_HINT: Final = "write for example http://localhost:8083,https://localhost:8443"


@dataclass(frozen=True, slots=True)
class Listener:
    """One address to listen on.

    Attributes:
        scheme: ``http`` or ``https``.
        host: name or address; empty for all interfaces.
        port: 0 for any free port.
    """

    scheme: str
    host: str
    port: int

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{host}:{self.port}"


def parse_listener(key: str, text: str) -> Listener:
    """Read one listener, in the form that Kafka Connect's ``RestServer`` accepts.

    Args:
        key: the setting that contains it, for the message.
        text: for example ``HTTP://myhost:8083``, ``https://[::1]:8443`` or ``http://:0``.

    Raises:
        ConfigError: if it has another form, another protocol, or a port that does not exist.
    """
    match = _FORM.fullmatch(text.strip())
    if match is None:
        problem = "Listener doesn't have the right format (protocol://hostname:port)."
        raise _wrong(key, text, problem)
    scheme, host, port = match[1].lower(), match[2], int(match[3])
    if scheme not in {"http", "https"}:
        raise _wrong(key, text, 'Listener protocol must be either "http" or "https".')
    if not 0 <= port <= _HIGHEST_PORT:
        raise _wrong(key, text, f"Listener port must be between 0 and {_HIGHEST_PORT}.")
    return Listener(scheme, host, port)


def _wrong(key: str, text: str, problem: str) -> ConfigError:
    return ConfigError(
        f"Invalid value {text} for configuration {key}: {problem}",
        hint=_HINT,
        facts={"key": key, "problems": ((key, problem),)},
    )
