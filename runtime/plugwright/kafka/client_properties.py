"""Translates properties of Kafka's Java clients to librdkafka's, where they mean the same."""

from __future__ import annotations

import logging
import re
from types import MappingProxyType
from typing import TYPE_CHECKING

from plugwright.kafka._jaas import login_settings
from plugwright.kafka._stores import SETTINGS, store_settings

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

log = logging.getLogger(__name__)

OWN = frozenset(
    {
        "key.serializer",
        "value.serializer",
        "key.deserializer",
        "value.deserializer",
        "exclude.internal.topics",
        "max.poll.records",
    }
)
"""Properties that the runtime handles itself."""
_DROPPED = frozenset(
    {
        "auto.include.jmx.reporter",
        "bootstrap.controllers",
        "client.dns.lookup.timeout.ms",
        "config.providers",
        "default.api.timeout.ms",
        "interceptor.classes",
        "internal.throw.on.fetch.stable.offset.unsupported",
        "max.block.ms",
        "metadata.max.idle.ms",
        "metric.reporters",
        "metrics.num.samples",
        "metrics.recording.level",
        "metrics.sample.window.ms",
        "partitioner.adaptive.partitioning.enable",
        "partitioner.availability.timeout.ms",
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
        "sasl.oauthbearer.assertion.template.file",
        "sasl.oauthbearer.clock.skew.seconds",
        "sasl.oauthbearer.expected.audience",
        "sasl.oauthbearer.expected.issuer",
        "sasl.oauthbearer.header.urlencode",
        "sasl.oauthbearer.jwks.endpoint.refresh.ms",
        "sasl.oauthbearer.jwks.endpoint.retry.backoff.max.ms",
        "sasl.oauthbearer.jwks.endpoint.retry.backoff.ms",
        "sasl.oauthbearer.jwks.endpoint.url",
        "sasl.oauthbearer.jwt.retriever.class",
        "sasl.oauthbearer.jwt.validator.class",
        "sasl.oauthbearer.scope.claim.name",
        "security.providers",
        "share.acquire.mode",
        "socket.connection.setup.timeout.max.ms",
        "ssl.enabled.protocols",
        "ssl.engine.factory.class",
        "ssl.keymanager.algorithm",
        "ssl.protocol",
        "ssl.provider",
        "ssl.secure.random.implementation",
        "ssl.trustmanager.algorithm",
        "throw.on.fetch.stable.offset.unsupported",
        "transaction.two.phase.commit.enable",
    }
)
"""Properties that only Java clients have; each is reported by one warning."""
_RENAMED: Mapping[str, str] = MappingProxyType(
    {
        "fetch.max.wait.ms": "fetch.wait.max.ms",
        "max.request.size": "message.max.bytes",
        "sasl.oauthbearer.client.credentials.client.id": "sasl.oauthbearer.client.id",
        "sasl.oauthbearer.client.credentials.client.secret": "sasl.oauthbearer.client.secret",
        "sasl.oauthbearer.client.credentials.scope": "sasl.oauthbearer.scope",
        "ssl.keystore.certificate.chain": "ssl.certificate.pem",
        "ssl.keystore.key": "ssl.key.pem",
        "ssl.truststore.certificates": "ssl.ca.pem",
    }
)
_ELSEWHERE = SETTINGS | {"sasl.jaas.config"}
"""Settings that one error lists together, before all others."""
_DROPPED_PREFIXES = (
    "sasl.oauthbearer.clock.",
    "sasl.oauthbearer.expected.",
    "sasl.oauthbearer.header.",
    "sasl.oauthbearer.iat.",
    "sasl.oauthbearer.jti.",
    "sasl.oauthbearer.jwks.",
    "sasl.oauthbearer.jwt.",
    "sasl.oauthbearer.scope.claim.",
)
_OAUTH = "org.apache.kafka.common.security.oauthbearer."
_STANDARD: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "sasl.login.callback.handler.class": (
            f"{_OAUTH}OAuthBearerLoginCallbackHandler",
            f"{_OAUTH}secured.OAuthBearerLoginCallbackHandler",
        ),
        "sasl.oauthbearer.jwt.retriever.class": (
            f"{_OAUTH}ClientCredentialsJwtRetriever",
            f"{_OAUTH}DefaultJwtRetriever",
        ),
    }
)
"""Java classes whose function the client has built in."""
_TOKENS = "sasl.oauthbearer.token.endpoint.url"
_LEVELS = re.compile(r"compression\.(gzip|lz4|zstd)\.level")
_KIB = 1024
_SHORTEST_MS, _LONGEST_MS = 10, 300_000
_LONGEST_REFRESH_MS = 3_600_000


def own_settings(overrides: Mapping[str, str]) -> dict[str, object]:
    """The settings of a Java client in librdkafka's names.

    Unknown settings without a counterpart are kept unchanged, so that librdkafka refuses them.

    Raises:
        ConfigError: ``kafka.client-settings`` for a login that only Java clients support,
            ``kafka.store-unreadable`` for a trust or key store.
        SetupError: if a store has one of Java's formats and the package cryptography is missing.
    """
    found = store_settings(overrides)
    if "sasl.jaas.config" in overrides:
        found |= login_settings(overrides["sasl.jaas.config"])
    for key, value in overrides.items():
        if key in _ELSEWHERE or value in _STANDARD.get(key, ()):
            continue
        if key in _SPECIAL:
            found |= _SPECIAL[key](value)
        elif key in _DROPPED or key.startswith(_DROPPED_PREFIXES):
            log.warning("the client setting %s has no effect here and is ignored", key)
        elif level := _LEVELS.fullmatch(key):
            if overrides.get("compression.type") == level[1]:
                found["compression.level"] = value
        elif key not in OWN:
            found[_RENAMED.get(key, key)] = value
    if _TOKENS in overrides:
        found.setdefault("sasl.oauthbearer.method", "oidc")  # as Java does if there is a URL
    return found


def _memory(text: str) -> dict[str, object]:
    """The producer's buffer, which librdkafka measures in KiB."""
    return {"queue.buffering.max.kbytes": str(max(1, int(text) // _KIB))}


def _name_check(text: str) -> dict[str, object]:
    """The check of a broker's certificate, which Java disables with an empty string."""
    return {"ssl.endpoint.identification.algorithm": text.strip() or "none"}


def _metadata_age(text: str) -> dict[str, object]:
    """The interval of metadata refreshes: Java has one setting, the client has two."""
    found: dict[str, object] = {"metadata.max.age.ms": text}
    if text.isdecimal():
        found["topic.metadata.refresh.interval.ms"] = min(int(text), _LONGEST_REFRESH_MS)
    return found


def _buffer(name: str) -> Callable[[str], dict[str, object]]:
    """A socket buffer; for the system's default size Java uses -1 and the client 0."""
    return lambda text: {name: max(0, int(text)) if text.lstrip("-").isdecimal() else text}


def _waiting(text: str) -> dict[str, object]:
    """The time a client waits for a response, within its limits, and a broker for replicas."""
    if not text.isdecimal():
        return {"request.timeout.ms": text}
    return {"socket.timeout.ms": min(max(int(text), _SHORTEST_MS), _LONGEST_MS)}


_SPECIAL: Mapping[str, Callable[[str], dict[str, object]]] = MappingProxyType(
    {
        "buffer.memory": _memory,
        "receive.buffer.bytes": _buffer("socket.receive.buffer.bytes"),
        "send.buffer.bytes": _buffer("socket.send.buffer.bytes"),
        "request.timeout.ms": _waiting,
        "metadata.max.age.ms": _metadata_age,
        "ssl.endpoint.identification.algorithm": _name_check,
    }
)
