"""Properties of Kafka's Java clients in the terms of librdkafka, as far as they mean the same."""

from __future__ import annotations

import logging
import re
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["own_settings"]

log = logging.getLogger(__name__)

_SILENT = frozenset(
    {
        "key.serializer",
        "value.serializer",
        "key.deserializer",
        "value.deserializer",
        "max.block.ms",
        "max.poll.records",
    }
)
"""What the runtime itself sees to."""
_DROPPED = frozenset(
    {
        "auto.include.jmx.reporter",
        "client.dns.lookup.timeout.ms",
        "config.providers",
        "default.api.timeout.ms",
        "exclude.internal.topics",
        "interceptor.classes",
        "metric.reporters",
        "metrics.num.samples",
        "metrics.recording.level",
        "metrics.sample.window.ms",
        "partitioner.class",
        "partitioner.ignore.keys",
        "sasl.client.callback.handler.class",
        "sasl.kerberos.ticket.renew.jitter",
        "sasl.kerberos.ticket.renew.window.factor",
        "sasl.login.callback.handler.class",
        "sasl.login.class",
        "sasl.login.connect.timeout.ms",
        "sasl.login.read.timeout.ms",
        "sasl.login.refresh.buffer.seconds",
        "sasl.login.refresh.min.period.seconds",
        "sasl.login.refresh.window.factor",
        "sasl.login.refresh.window.jitter",
        "sasl.login.retry.backoff.max.ms",
        "sasl.login.retry.backoff.ms",
        "security.providers",
        "send.buffer.bytes",
        "receive.buffer.bytes",
        "socket.connection.setup.timeout.max.ms",
        "ssl.enabled.protocols",
        "ssl.engine.factory.class",
        "ssl.protocol",
        "ssl.provider",
        "ssl.keymanager.algorithm",
        "ssl.trustmanager.algorithm",
        "ssl.secure.random.implementation",
        "throw.on.fetch.stable.offset.unsupported",
    }
)
"""What only the Java clients have; each is told once by a warning."""
_RENAMED: Mapping[str, str] = MappingProxyType(
    {
        "fetch.max.wait.ms": "fetch.wait.max.ms",
        "max.request.size": "message.max.bytes",
        "ssl.keystore.certificate.chain": "ssl.certificate.pem",
        "ssl.keystore.key": "ssl.key.pem",
        "ssl.truststore.certificates": "ssl.ca.pem",
    }
)
_PEM: Mapping[str, str] = MappingProxyType(
    {
        "ssl.truststore.location": "ssl.ca.location",
        "ssl.keystore.location": "ssl.certificate.location",
    }
)
"""Stores that the client can read where their type says that they are PEM."""
_TYPE, _LOCATION = "type", "location"
_LOGIN = re.compile(r"""\b(username|password)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|([^\s;]+))""")
_KIB = 1024
_LONGEST_REFRESH_MS = 3_600_000


def own_settings(overrides: Mapping[str, str]) -> dict[str, object]:
    """Settings of a Java client, as librdkafka knows them.

    What it does not know and nothing replaces is left as it is, for it to refuse.
    """
    found: dict[str, object] = {}
    for key, value in overrides.items():
        if key in _SPECIAL:
            found |= _SPECIAL[key](value)
        elif key in _PEM:
            pem = overrides.get(key.replace(_LOCATION, _TYPE), "").upper() == "PEM"
            found[_PEM[key] if pem else key] = value
        elif key in {each.replace(_LOCATION, _TYPE) for each in _PEM}:
            continue  # said with the location
        elif key in _DROPPED:
            log.warning("the client setting %s has no meaning here and is left out", key)
        elif key not in _SILENT:
            found[_RENAMED.get(key, key)] = value
    return found


def _login(text: str) -> dict[str, object]:
    """Name and password of a JAAS configuration, as PLAIN and SCRAM have them."""
    found: dict[str, object] = {}
    for match in _LOGIN.finditer(text):
        key, double, single, bare = match.groups()
        value = re.sub(r"\\(.)", r"\1", double) if double is not None else single or bare or ""
        found[f"sasl.{key}"] = value
    return found


def _memory(text: str) -> dict[str, object]:
    """The producer's buffer, which librdkafka counts in KiB."""
    return {"queue.buffering.max.kbytes": str(max(1, int(text) // _KIB))}


def _name_check(text: str) -> dict[str, object]:
    """How a broker's certificate is checked; Java turns that off by an empty text."""
    return {"ssl.endpoint.identification.algorithm": text.strip() or "none"}


def _metadata_age(text: str) -> dict[str, object]:
    """How often topics are looked for: Java has one setting where the client has two."""
    found: dict[str, object] = {"metadata.max.age.ms": text}
    if text.isdecimal():
        found["topic.metadata.refresh.interval.ms"] = min(int(text), _LONGEST_REFRESH_MS)
    return found


_SPECIAL: Mapping[str, Callable[[str], dict[str, object]]] = MappingProxyType(
    {
        "sasl.jaas.config": _login,
        "buffer.memory": _memory,
        "metadata.max.age.ms": _metadata_age,
        "ssl.endpoint.identification.algorithm": _name_check,
    }
)
