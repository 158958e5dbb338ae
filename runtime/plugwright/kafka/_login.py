"""Kafka's refusal to let a client in, told as an error instead of an endless wait."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from confluent_kafka import KafkaError, KafkaException

from plugwright.errors import ConfigError, ConnectError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["LoginWatch", "opened"]

_SASL, _TLS = KafkaError._AUTHENTICATION, KafkaError._SSL  # noqa: SLF001  # the client's own names
_WHOSE = (
    "settings without a prefix are those of the worker's own clients; tasks have those that begin "
    "with producer., consumer. or admin."
)


class LoginWatch:
    """Remembers that Kafka has refused a client, until that is asked for.

    librdkafka tells a refused login only beside the calls that wait for it, and goes on trying;
    Kafka's Java clients fail the call (`AuthenticationException`), and so does whoever asks here.

    Args:
        settings: librdkafka's settings of the client that is watched.

    Attributes:
        settings: the same, for the client to tell what happens to it within its polls.
    """

    def __init__(self, settings: Mapping[str, object]) -> None:
        self.settings = {**settings, "error_cb": self._heard}
        self._refusal: KafkaError | None = None

    def require(self) -> None:
        """Go on if Kafka has not refused the client since the last call.

        Raises:
            ConnectError: ``kafka.authentication-failed`` or ``kafka.tls-failed``.
        """
        if self._refusal is not None:
            refusal, self._refusal = self._refusal, None
            raise self._failed(refusal)

    def _heard(self, error: KafkaError) -> None:
        if error.code() in {_SASL, _TLS}:
            self._refusal = error

    def _failed(self, refusal: KafkaError) -> ConnectError:
        client, servers = self.settings.get("client.id"), self.settings.get("bootstrap.servers")
        sasl = refusal.code() == _SASL
        what = "SASL authentication" if sasl else "The TLS handshake"
        correct = (
            "security.protocol, sasl.mechanism and sasl.jaas.config"
            if sasl
            else "security.protocol, ssl.truststore.location and its like"
        )
        return ConnectError(
            f"{what} of client {client} at {servers} failed: {refusal.str()}",
            code="kafka.authentication-failed" if sasl else "kafka.tls-failed",
            hint=f"correct {correct}; {_WHOSE}",
            facts={"client.id": client, "bootstrap.servers": servers},
        )


def opened(kind: Callable[[dict[str, object]], Any], settings: Mapping[str, object]) -> Any:
    """A client made with these settings.

    Raises:
        ConfigError: ``kafka.client-settings`` if the client refuses one of them.
    """
    try:
        return kind(dict(settings))
    except KafkaException as error:
        raise ConfigError(
            f"client {settings.get('client.id')} for Kafka at {settings.get('bootstrap.servers')} "
            f"does not take its settings: {error.args[0].str()}",
            code="kafka.client-settings",
            hint="correct or remove the setting; stores of Java (JKS) are to be given as PEM, with "
            "ssl.truststore.type=PEM and ssl.keystore.type=PEM",
            facts={"client.id": settings.get("client.id")},
        ) from error
