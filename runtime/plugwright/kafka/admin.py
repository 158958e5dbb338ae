"""An admin client that stops waiting when Kafka refuses its login."""

from __future__ import annotations

import math
import time
from concurrent.futures import wait
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Self

from confluent_kafka import KafkaError, KafkaException
from confluent_kafka.admin import AdminClient

from plugwright.kafka._settings import client_settings
from plugwright.kafka.login import LoginWatch, opened

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from concurrent.futures import Future

ADMIN_ID = "plugwright-admin"
_CHECK_S = 0.1
_ATTEMPT_S = 2.0


class Admin:
    """An admin client; as a context manager, it is closed at the end of the block.

    Args:
        client_id: its client id.
        overrides: its settings, in Kafka's property names.

    Attributes:
        client: receives the requests; pass their futures to `answer`.

    Raises:
        ConfigError: if the client refuses its settings.
    """

    def __init__(
        self,
        bootstrap_servers: str,
        client_id: str = ADMIN_ID,
        *,
        overrides: Mapping[str, str] | None = None,
    ) -> None:
        self._watch = LoginWatch(client_settings(bootstrap_servers, client_id, overrides))
        self.client: AdminClient = opened(AdminClient, self._watch.settings)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        # Exceptions of requests refer to their futures through this object's frames, so without
        # this the threads of the client would live until the next garbage collection.
        del self.client

    def answer(self, future: Future[Any], left: Callable[[], float] = lambda: math.inf) -> Any:
        """Wait for the response to a request, which has its own time-out.

        Args:
            future: the response.
            left: seconds for which the caller may still wait.

        Raises:
            KafkaException: if the request failed, or the caller's time is over.
            ConnectError: as soon as Kafka has refused this client's login.
        """
        while not wait((future,), _CHECK_S).done:
            self._check_login()
            if left() <= 0:
                raise KafkaException(KafkaError(KafkaError._TIMED_OUT))  # noqa: SLF001  # the client's own name
        if future.exception() is not None:
            self._check_login()
        return future.result()

    def list_topics(self, topic: str, timeout_s: float) -> Any:
        """The metadata of the cluster and of a topic.

        Raises:
            KafkaException: if it does not answer in time.
            ConnectError: if Kafka has refused this client's login.
        """
        return topic_metadata(self.client, self._watch, topic, timeout_s)

    def refresh(self, topic: str) -> None:
        """Make the client fetch the leaders of a topic's partitions again.

        Without this it uses its cached metadata for minutes, whatever the brokers answer.

        Raises:
            ConnectError: if Kafka has refused this client's login.
        """
        with suppress(KafkaException):  # the caller's next request reports the failure
            self.list_topics(topic, _ATTEMPT_S)

    def _check_login(self) -> None:
        self.client.poll(0)
        self._watch.require()


def topic_metadata(client: Any, watch: LoginWatch, topic: str, timeout_s: float) -> Any:
    """The metadata of the cluster and of a topic, by any kind of client.

    Raises:
        KafkaException: if it does not answer in time.
        ConnectError: if Kafka has refused the client's login.
    """
    deadline = time.monotonic() + timeout_s
    while True:
        try:
            return client.list_topics(topic, min(_ATTEMPT_S, timeout_s))
        except KafkaException:
            client.poll(0)
            watch.require()
            if time.monotonic() > deadline:
                raise
