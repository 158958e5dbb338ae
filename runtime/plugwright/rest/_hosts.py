"""What the header ``Host`` may hold (RFC 9110, 7.2)."""

from __future__ import annotations

import re
from ipaddress import IPv6Address
from typing import Final

_NAME: Final = re.compile(r"(?:[A-Za-z0-9._~!$&'()*+,;=-]|%[0-9A-Fa-f]{2})+")
"""The name of a host or an IPv4 address (RFC 3986, 3.2.2)."""
_BEFORE_PORT: Final = re.compile(r"(.*):\+?0*([1-9][0-9]{0,4})")
_LAST_PORT: Final = 65_535


def is_host(text: str) -> bool:
    """Whether a text is a host, with or without a port.

    As Kafka Connect's server decides: an IPv6 address needs no brackets, a colon needs a port
    behind it, and no port is 0.
    """
    if _is_ipv6(text):
        return True
    found = _BEFORE_PORT.fullmatch(text)
    if found is None:
        return _is_name(text)
    return int(found[2]) <= _LAST_PORT and _is_name(found[1])


def _is_name(text: str) -> bool:
    if text.startswith("[") and text.endswith("]"):
        return _is_ipv6(text[1:-1])
    return _NAME.fullmatch(text) is not None


def _is_ipv6(text: str) -> bool:
    if "." in text or "%" in text:  # neither an IPv4 address inside nor a zone
        return False
    try:
        IPv6Address(text)
    except ValueError:
        return False
    return True
