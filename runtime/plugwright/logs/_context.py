"""Which connector, and which task of it, a log line is about (KIP-449)."""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["LogContext", "current_context", "in_context"]


@dataclass(frozen=True, slots=True)
class LogContext:
    """What Kafka Connect calls ``connector.context``.

    >>> LogContext("orders", 0).prefix
    '[orders|task-0] '
    >>> LogContext("orders").prefix
    '[orders|worker] '

    Attributes:
        connector: its name.
        task: number of its task; ``None`` for the connector itself.
        scope: what is done about the connector itself: ``worker`` for running it, ``validate`` for
            checking a configuration.
    """

    connector: str
    task: int | None = None
    scope: str = "worker"

    @property
    def prefix(self) -> str:
        """How Kafka Connect prints it, with the blank before the message."""
        about = self.scope if self.task is None else f"task-{self.task}"
        return f"[{self.connector}|{about}] "


_CURRENT: ContextVar[LogContext | None] = ContextVar("plugwright_log_context", default=None)


def current_context() -> LogContext | None:
    """What the lines of this thread are about, if that is known."""
    return _CURRENT.get()


@contextmanager
def in_context(context: LogContext | None) -> Iterator[None]:
    """Say what the lines of this thread are about until the block ends.

    Threads that are started meanwhile do not take it over.
    """
    token = _CURRENT.set(context)
    try:
        yield
    finally:
        _CURRENT.reset(token)
