"""What every kind of broker offers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, Self

if TYPE_CHECKING:
    from pathlib import Path
    from types import TracebackType

__all__ = ["Broker", "Progress", "quiet"]


class Broker(Protocol):
    """A Kafka that answered when it was opened; a context manager that closes it.

    Attributes:
        bootstrap_servers: what clients set as ``bootstrap.servers``.
        kind: ``external``, ``testcontainers`` or ``embedded``.
        version: the version of Kafka, ``None`` where it is not ours to know.
        log: where the broker writes its log, ``None`` if not into a file of this machine.
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
        """Stop what was started for it, and remove its data; more than once does no harm."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()


class Progress(Protocol):
    """Takes one sentence whenever something slow begins."""

    def __call__(self, sentence: str, /) -> object: ...


def quiet(sentence: str, /) -> None:
    """Tell nobody."""
