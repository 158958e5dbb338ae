"""Definition of the worker's settings for the REST API."""

from __future__ import annotations

from plugwright.config import ConfigDef, ConfigType, Importance, Range, ValidList, ValidString
from plugwright.errors import ConfigError


class _AtLeastOneListener:
    """Validates a non-empty list of listeners, with Kafka's messages."""

    def __call__(self, name: str, value: object) -> None:
        if isinstance(value, list) and value and all(str(item).strip() for item in value):
            return
        if value:
            problem = "Empty URL found when parsing listeners list."
        else:
            example = "http://localhost:8080,https://localhost:8443"
            problem = f"Invalid value for listeners, at least one URL is expected, ex: {example}."
        raise ConfigError(problem, facts={"key": name, "problems": ((name, problem),)})

    def __str__(self) -> str:
        return "List of comma-separated URLs, ex: http://localhost:8080,https://localhost:8443."


REST_CONFIG = (
    ConfigDef()
    .define(
        "listeners",
        ConfigType.LIST,
        "http://:8083",
        Importance.LOW,
        "Addresses that the API listens on, http or https, separated by commas. An empty host "
        "means all interfaces, port 0 any free port.",
        validator=_AtLeastOneListener(),
    )
    .define(
        "admin.listeners",
        ConfigType.LIST,
        None,
        Importance.LOW,
        "Addresses for the endpoints under /admin. Not set: the same as listeners; empty: "
        "these endpoints are off.",
        validator=ValidList.any_non_duplicate_values(empty_allowed=True, null_allowed=True),
    )
    .define(
        "rest.advertised.host.name",
        ConfigType.STRING,
        None,
        Importance.LOW,
        "Host name under which other workers reach this one.",
    )
    .define(
        "rest.advertised.port",
        ConfigType.INT,
        None,
        Importance.LOW,
        "Port under which other workers reach this one.",
    )
    .define(
        "rest.advertised.listener",
        ConfigType.STRING,
        None,
        Importance.LOW,
        "Protocol, http or https, by which other workers reach this one.",
    )
    .define(
        "access.control.allow.origin",
        ConfigType.STRING,
        "",
        Importance.LOW,
        "Origins whose pages may call the API, separated by commas; * matches any text. "
        "Empty: none but the API's own.",
    )
    .define(
        "access.control.allow.methods",
        ConfigType.STRING,
        "",
        Importance.LOW,
        "Methods that pages of other origins may use. Empty: GET, POST and HEAD.",
    )
    .define(
        "response.http.headers.config",
        ConfigType.STRING,
        "",
        Importance.LOW,
        "Headers for every answer: '[action] [name]:[value]', separated by commas; the action "
        "is set, add, setDate or addDate.",
    )
    .define(
        "rest.extension.classes",
        ConfigType.LIST,
        "",
        Importance.LOW,
        "Plugins that extend the API, called in this order.",
        validator=ValidList.any_non_duplicate_values(empty_allowed=True, null_allowed=False),
    )
    .define(
        "console.enable",
        ConfigType.BOOLEAN,
        True,
        Importance.LOW,
        "Whether listeners serve pages for operators under /console.",
    )
    .define(
        "topic.tracking.enable",
        ConfigType.BOOLEAN,
        True,
        Importance.LOW,
        "Whether the topics that connectors use are recorded and shown.",
    )
    .define(
        "topic.tracking.allow.reset",
        ConfigType.BOOLEAN,
        True,
        Importance.LOW,
        "Whether the record of topics may be reset.",
    )
    .define(
        "rest.request.timeout.ms",
        ConfigType.LONG,
        90_000,
        Importance.LOW,
        "Time-out of a request.",
        validator=Range.at_least(1),
    )
    .define(
        "rest.request.max.bytes",
        ConfigType.INT,
        4 * 1024 * 1024,
        Importance.LOW,
        "The largest body that a request may have.",
        validator=Range.at_least(1024),
    )
    .define(
        "rest.shutdown.graceful.timeout.ms",
        ConfigType.LONG,
        60_000,
        Importance.LOW,
        "Time that requests may take to finish when the worker stops.",
        validator=Range.at_least(0),
    )
    .define(
        "ssl.keystore.type",
        ConfigType.STRING,
        "PEM",
        Importance.LOW,
        "Form of the key store: PEM.",
    )
    .define(
        "ssl.keystore.location",
        ConfigType.STRING,
        None,
        Importance.HIGH,
        "PEM file with the certificate chain and, unless ssl.key.location is set, the key.",
    )
    .define(
        "ssl.key.location",
        ConfigType.STRING,
        None,
        Importance.LOW,
        "PEM file with the private key, where it is not in the key store.",
    )
    .define(
        "ssl.key.password",
        ConfigType.PASSWORD,
        None,
        Importance.HIGH,
        "Password of the private key.",
    )
    .define(
        "ssl.truststore.location",
        ConfigType.STRING,
        None,
        Importance.HIGH,
        "PEM file with the certificate authorities of clients and of other workers.",
    )
    .define(
        "ssl.client.auth",
        ConfigType.STRING,
        "none",
        Importance.LOW,
        "Whether clients show a certificate: required, requested or none.",
        validator=ValidString.in_("required", "requested", "none"),
    )
    .define(
        "ssl.enabled.protocols",
        ConfigType.LIST,
        "TLSv1.2,TLSv1.3",
        Importance.LOW,
        "Versions of TLS that are offered.",
        validator=ValidList.in_("TLSv1.2", "TLSv1.3", empty_allowed=False),
    )
    .define(
        "ssl.cipher.suites",
        ConfigType.LIST,
        None,
        Importance.LOW,
        "Cipher suites for TLS 1.2, in OpenSSL's names; not set: OpenSSL's own choice.",
    )
)
"""Definition of the settings; those that begin with ``ssl.`` may have a listener's prefix."""
