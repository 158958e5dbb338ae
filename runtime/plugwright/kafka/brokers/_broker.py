"""The interface of every kind of broker."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, Self

if TYPE_CHECKING:
    from pathlib import Path


class Broker(Protocol):
    """A Kafka broker that answered when it was opened; a context manager that closes it.

    Attributes:
        bootstrap_servers: the clients' ``bootstrap.servers``.
        kind: ``external``, ``testcontainers`` or ``embedded``.
        version: the version of Kafka, ``None`` if it is unknown.
        log: the broker's log file, ``None`` if it is not on this machine.
    """

    @property
    def bootstrap_servers(self) -> str: ...

    @property
    def kind(self) -> str: ...

    @property
    def version(self) -> str | None: ...

    @property
    def log(self) -> Path | None: ...

    def close(self) -> None:
        """Stop the broker if it was started here, and remove its data; may be called again."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


class RestartableBroker(Broker, Protocol):
    """A broker of one's own that can be ended and started again."""

    def restart(self, *, kill: bool = False) -> None:
        """End the broker, start it again on its port with its data, and wait until it answers.

        Args:
            kill: end it with SIGKILL instead of in order.

        Raises:
            SetupError: ``environment.kafka-start-failed`` if it does not answer again.
        """


class ProgressListener(Protocol):
    """Receives a sentence whenever a slow step begins."""

    def __call__(self, sentence: str, /) -> object: ...


def quiet(sentence: str, /) -> None:
    """Discard it."""
