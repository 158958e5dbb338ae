"""TLS settings of Kafka Connect without effect here; the worker logs a warning for each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

_TLS = "ssl."
_LISTENERS = "listeners.https."
_JAVAS: Final = frozenset(
    {
        "ssl.engine.factory.class",
        "ssl.keymanager.algorithm",
        "ssl.protocol",
        "ssl.provider",
        "ssl.secure.random.implementation",
        "ssl.trustmanager.algorithm",
    }
)
"""The settings that select among Java's TLS implementations."""

LISTENERS_READ: Final = frozenset(
    {
        "ssl.cipher.suites",
        "ssl.client.auth",
        "ssl.enabled.protocols",
        "ssl.key.location",
        "ssl.key.password",
        "ssl.keystore.location",
        "ssl.keystore.type",
        "ssl.truststore.location",
    }
)
"""The settings that REST listeners read, with or without the prefix ``listeners.https.``."""

_SERVERS: Final = frozenset({"ssl.client.auth"})


def unread_tls_settings(properties: Mapping[str, str]) -> dict[str, str]:
    """The reason for each TLS setting of a worker that has no effect."""
    protocol = properties.get("security.protocol", "PLAINTEXT").upper()
    clients = protocol.endswith("SSL")
    places = (properties.get(key, "") for key in ("listeners", "admin.listeners"))
    listeners = any("https:" in place.lower() for place in places)
    found = {}
    for key in properties:
        name = key.removeprefix(_LISTENERS)
        if not name.startswith(_TLS):
            continue
        by_clients = clients and name == key and name not in _SERVERS
        by_listeners = listeners and name in LISTENERS_READ
        if name in _JAVAS:
            found[key] = "TLS is provided by OpenSSL, which has none of Java's implementations"
        elif not (by_clients or by_listeners):
            found[key] = _reason(protocol, listeners=listeners)
    return found


def _reason(protocol: str, *, listeners: bool) -> str:
    if listeners:
        return f"listeners do not read it, and security.protocol is {protocol}"
    return f"no listener is https, and security.protocol is {protocol}"
