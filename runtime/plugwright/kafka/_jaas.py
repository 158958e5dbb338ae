"""Translates the login of a Java client, ``sasl.jaas.config``, to librdkafka's settings."""

from __future__ import annotations

import logging
import re
from types import MappingProxyType
from typing import TYPE_CHECKING

from plugwright.errors import ConfigError
from plugwright.kafka._stores import trusted

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Options = Mapping[str, str]

log = logging.getLogger(__name__)

_KEY = "sasl.jaas.config"
_OPTION = re.compile(r"""([\w.\-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|([^\s;]+))""")
_MODULE = re.compile(r"\s*([\w.$]+)")
_OAUTH: Mapping[str, str] = MappingProxyType(
    {"clientId": "client.id", "clientSecret": "client.secret", "scope": "scope"}
)
_KERBEROS: Mapping[str, str] = MappingProxyType(
    {"keyTab": "keytab", "principal": "principal", "serviceName": "service.name"}
)
_EXTENSION = "extension_"
_SUBJECT = "unsecuredLoginStringClaim_sub"
_KNOWN = frozenset(
    {
        *_OAUTH,
        *_KERBEROS,
        _SUBJECT,
        "username",
        "password",
        "tokenauth",
        "useKeyTab",
        "storeKey",
        "doNotPrompt",
        "ssl.truststore.location",
        "ssl.truststore.password",
        "ssl.truststore.type",
    }
)


def login_settings(text: str) -> dict[str, object]:
    """The settings of a JAAS configuration for PLAIN, SCRAM, OAUTHBEARER and GSSAPI.

    Raises:
        ConfigError: ``kafka.client-settings`` if its login module has another mechanism, or needs
            a feature that only Java clients have.
    """
    module = _MODULE.match(text)
    name = module.group(1).rpartition(".")[2] if module else ""
    if name not in _MODULES:
        raise ConfigError(
            f"{_KEY} has the login module {name or 'nothing'}, supported: {', '.join(_MODULES)}",
            code="kafka.client-settings",
            hint="write: org.apache.kafka.common.security.plain.PlainLoginModule required "
            'username="…" password="…"; or one of the others',
            facts={"key": _KEY},
        )
    options = _options(text)
    for key in options.keys() - _KNOWN:
        if not key.startswith(_EXTENSION):
            log.warning("option %s of sasl.jaas.config has no effect here and is ignored", key)
    return _MODULES[name](options)


def _options(text: str) -> dict[str, str]:
    found = {}
    for match in _OPTION.finditer(text):
        key, double, single, bare = match.groups()
        value = re.sub(r"\\(.)", r"\1", double) if double is not None else single or bare or ""
        found[key] = value
    return found


def _password(options: Options) -> dict[str, object]:
    if options.get("tokenauth", "").lower() == "true":
        raise ConfigError(
            f"{_KEY} requests a login by delegation token (tokenauth), which is not supported",
            code="kafka.client-settings",
            hint="log in with a user name and password",
            facts={"key": _KEY},
        )
    return {f"sasl.{key}": options[key] for key in ("username", "password") if key in options}


def _bearer(options: Options) -> dict[str, object]:
    found: dict[str, object] = {
        f"sasl.oauthbearer.{name}": options[key] for key, name in _OAUTH.items() if key in options
    }
    extensions = [
        f"{key.removeprefix(_EXTENSION)}={value}"
        for key, value in options.items()
        if key.startswith(_EXTENSION)
    ]
    if extensions:
        found["sasl.oauthbearer.extensions"] = ",".join(extensions)
    if _SUBJECT in options:
        found["enable.sasl.oauthbearer.unsecure.jwt"] = "true"
        found["sasl.oauthbearer.config"] = f"principal={options[_SUBJECT]}"
    return found | trusted(options, "https.ca")


def _ticket(options: Options) -> dict[str, object]:
    return {
        f"sasl.kerberos.{name}": options[key] for key, name in _KERBEROS.items() if key in options
    }


_MODULES: Mapping[str, Callable[[Options], dict[str, object]]] = MappingProxyType(
    {
        "PlainLoginModule": _password,
        "ScramLoginModule": _password,
        "OAuthBearerLoginModule": _bearer,
        "Krb5LoginModule": _ticket,
    }
)
