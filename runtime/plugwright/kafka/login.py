"""Reports a login that Kafka refuses as an error instead of waiting forever."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from confluent_kafka import KafkaError, KafkaException, libversion

from plugwright.errors import ConfigError, ConnectError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_SASL, _TLS = KafkaError._AUTHENTICATION, KafkaError._SSL  # noqa: SLF001  # the client's own names
_PREFIXES = (
    "settings without a prefix apply to the worker's own clients; those that begin with producer., "
    "consumer. or admin. apply to tasks"
)


class LoginWatch:
    """Remembers that Kafka has refused a client until `require` is called.

    librdkafka reports a refused login in a callback, not in the waiting call, and keeps trying;
    Kafka's Java clients fail the call (`AuthenticationException`), as `require` does.

    Args:
        settings: librdkafka's settings of the watched client.

    Attributes:
        settings: the same with the callback, which the client calls from its polls.
    """

    def __init__(self, settings: Mapping[str, object]) -> None:
        self.settings = {**settings, "error_cb": self._on_error}
        self._refusal: KafkaError | None = None

    def require(self) -> None:
        """Return if Kafka has not refused the client since the last call.

        Raises:
            ConnectError: ``kafka.authentication-failed`` or ``kafka.tls-failed``.
        """
        if self._refusal is not None:
            refusal, self._refusal = self._refusal, None
            raise self._failed(refusal)

    def _on_error(self, error: KafkaError) -> None:
        # A broker that requires another certificate reports it after the handshake (TLS 1.3).
        if error.code() in {_SASL, _TLS} or _ALERT in error.str():
            self._refusal = error

    def _failed(self, refusal: KafkaError) -> ConnectError:
        client, servers = self.settings.get("client.id"), self.settings.get("bootstrap.servers")
        sasl = refusal.code() == _SASL
        what = "SASL authentication" if sasl else "The TLS handshake"
        correct = (
            "security.protocol, sasl.mechanism and sasl.jaas.config"
            if sasl
            else "security.protocol, ssl.truststore.location, ssl.keystore.location and the like"
        )
        return ConnectError(
            f"{what} of client {client} at {servers} failed: {refusal.str()}",
            code="kafka.authentication-failed" if sasl else "kafka.tls-failed",
            hint=f"correct {correct}; {_PREFIXES}",
            facts={"client.id": client, "bootstrap.servers": servers},
        )


_ALERT = "SSL alert number"
_GSSAPI = ("GSSAPI", "sasl.kerberos.")
_KERBEROS = (
    "the installed client has no Kerberos support: install librdkafka-dev {version} or later from "
    "Confluent (Debian's package is too old), libsasl2-modules-gssapi-mit and krb5-user, "
    "then the client from its source with pip install --force-reinstall --no-binary "
    "confluent-kafka confluent-kafka; or log in by SCRAM or OAUTHBEARER"
)


def _advice(refusal: str) -> str:
    without = "No provider" in refusal or "not supported" in refusal
    if without and any(word in refusal for word in _GSSAPI):
        return _KERBEROS.format(version=libversion()[0])
    return "correct or remove the setting"


def opened(kind: Callable[[dict[str, object]], Any], settings: Mapping[str, object]) -> Any:
    """A client with these settings.

    Raises:
        ConfigError: ``kafka.client-settings`` if the client refuses one of them.
    """
    try:
        return kind(dict(settings))
    except KafkaException as error:
        raise ConfigError(
            f"client {settings.get('client.id')} for Kafka at {settings.get('bootstrap.servers')} "
            f"refuses its settings: {error.args[0].str()}",
            code="kafka.client-settings",
            hint=_advice(error.args[0].str()),
            facts={"client.id": settings.get("client.id")},
        ) from error
