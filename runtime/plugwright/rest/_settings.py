"""The worker's settings for the REST API, in Kafka Connect's names."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from plugwright.config import AbstractConfig, Password, require_valid
from plugwright.errors import ConfigError
from plugwright.rest._config import REST_CONFIG
from plugwright.rest._listener import Listener, parse_listener
from plugwright.rest.header_rules import HeaderRule, parse_rules

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_LISTENERS: Final = "listeners"
_ADMIN_LISTENERS: Final = "admin.listeners"


@dataclass(frozen=True, slots=True)
class TlsSettings:
    """Certificates and what TLS may negotiate, for one set of listeners.

    Attributes:
        prefix: of the keys that these settings were read from, for messages.
    """

    prefix: str
    keystore_type: str
    keystore: str | None
    key: str | None
    key_password: Password | None
    truststore: str | None
    client_auth: str
    protocols: tuple[str, ...]
    ciphers: tuple[str, ...]

    @classmethod
    def read(cls, config: AbstractConfig, prefix: str) -> TlsSettings:
        """The settings under a prefix, or without any such the unprefixed ones, as in Kafka."""
        prefixed = any(key.startswith(prefix) for key in config.originals())
        values = config.values_with_prefix_all_or_nothing(prefix)
        defaults = REST_CONFIG.default_values

        def value(key: str) -> Any:
            return values.get(key, defaults[key])

        return cls(
            prefix=prefix if prefixed else "",
            keystore_type=value("ssl.keystore.type"),
            keystore=value("ssl.keystore.location"),
            key=value("ssl.key.location"),
            key_password=value("ssl.key.password"),
            truststore=value("ssl.truststore.location"),
            client_auth=value("ssl.client.auth"),
            protocols=tuple(value("ssl.enabled.protocols")),
            ciphers=tuple(value("ssl.cipher.suites") or ()),
        )


@dataclass(frozen=True, slots=True)
class RestSettings:
    """The settings of the API, parsed; times in seconds, sizes in bytes.

    Attributes:
        admin_listeners: ``None`` to serve ``/admin`` on ``listeners``; empty to disable
            it.
        extension_classes: class names or aliases of extensions; the worker loads them.
        console: whether there are pages for operators.
        idle_timeout_s: how long a connection may be open without a whole header of a request; that
            of Kafka Connect's server.
    """

    listeners: tuple[Listener, ...]
    admin_listeners: tuple[Listener, ...] | None
    advertised_host: str | None
    advertised_port: int | None
    advertised_listener: str | None
    allowed_origins: tuple[str, ...]
    allowed_methods: tuple[str, ...]
    header_rules: tuple[HeaderRule, ...]
    extension_classes: tuple[str, ...]
    console: bool
    topic_tracking: bool
    topic_tracking_reset: bool
    request_timeout_s: float
    request_max_bytes: int
    shutdown_timeout_s: float
    tls: TlsSettings = field(repr=False)
    admin_tls: TlsSettings = field(repr=False)
    idle_timeout_s: float = 30.0

    @classmethod
    def parse(cls, properties: Mapping[str, str]) -> RestSettings:
        """Read the API's share of the worker's properties.

        Raises:
            ConfigError: naming every setting that is missing or wrong.
        """
        require_valid(REST_CONFIG.validate(properties))
        # References were resolved when the worker's properties were read.
        config = AbstractConfig(REST_CONFIG, properties, log_values=False, providers={})
        admin = config[_ADMIN_LISTENERS]
        return cls(
            listeners=_listeners(_LISTENERS, config[_LISTENERS]),
            admin_listeners=None if admin is None else _listeners(_ADMIN_LISTENERS, admin),
            advertised_host=config["rest.advertised.host.name"] or None,
            advertised_port=config["rest.advertised.port"],
            advertised_listener=_scheme(config["rest.advertised.listener"]),
            allowed_origins=_words(config["access.control.allow.origin"]),
            allowed_methods=_words(config["access.control.allow.methods"].upper()),
            header_rules=parse_rules(config["response.http.headers.config"]),
            extension_classes=tuple(config["rest.extension.classes"]),
            console=config["console.enable"],
            topic_tracking=config["topic.tracking.enable"],
            topic_tracking_reset=config["topic.tracking.allow.reset"],
            request_timeout_s=config["rest.request.timeout.ms"] / 1000,
            request_max_bytes=config["rest.request.max.bytes"],
            shutdown_timeout_s=config["rest.shutdown.graceful.timeout.ms"] / 1000,
            tls=TlsSettings.read(config, "listeners.https."),
            admin_tls=TlsSettings.read(config, "admin.listeners.https."),
        )


def _listeners(key: str, texts: Sequence[str]) -> tuple[Listener, ...]:
    return tuple(parse_listener(key, text) for text in texts)


def _words(text: str) -> tuple[str, ...]:
    return tuple(word.strip() for word in text.split(",") if word.strip())


def _scheme(text: str | None) -> str | None:
    if text is None or text.lower() in {"http", "https"}:
        return None if text is None else text.lower()
    key = "rest.advertised.listener"
    problem = f"Invalid value {text} for configuration {key}: must be http or https"
    raise ConfigError(problem, facts={"key": key, "problems": ((key, problem),)})
