"""The connector and task that a log line belongs to (KIP-449)."""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_WORKER = "worker"


@dataclass(frozen=True, slots=True)
class LogContext:
    """The connector and task of a log line; Kafka Connect's ``connector.context``.

    >>> LogContext("orders", 0).prefix
    '[orders|task-0] '
    >>> LogContext("orders").prefix
    '[orders|worker] '
    >>> LogContext("orders", 0, "offsets").prefix
    '[orders|task-0|offsets] '

    Attributes:
        connector: its name.
        task: number of its task; ``None`` for the connector itself.
        scope: the current activity: ``worker`` for running it, ``validate`` for checking a
            configuration, ``offsets`` for storing those of a source task.
    """

    connector: str
    task: int | None = None
    scope: str = _WORKER

    @property
    def prefix(self) -> str:
        """The text that Kafka Connect prints, with the blank before the message."""
        return f"[{'|'.join((self.connector, *self._about()))}] "

    def _about(self) -> Iterator[str]:
        if self.task is not None:
            yield f"task-{self.task}"
        if self.task is None or self.scope != _WORKER:
            yield self.scope


_CURRENT: ContextVar[LogContext | None] = ContextVar("plugwright_log_context", default=None)
_SCOPE: ContextVar[str] = ContextVar("plugwright_log_scope", default=_WORKER)


def current_context() -> LogContext | None:
    """The context of this thread's log lines, if it is known."""
    return _CURRENT.get()


@contextmanager
def in_context(context: LogContext | None) -> Iterator[None]:
    """Set the context of this thread's log lines until the block ends.

    Threads that are started in the block do not inherit it.
    """
    token = _CURRENT.set(context)
    try:
        yield
    finally:
        _CURRENT.reset(token)


def current_scope() -> str:
    """The activity of this thread in a task's process; ``worker`` unless it was set."""
    return _SCOPE.get()


@contextmanager
def in_scope(scope: str) -> Iterator[None]:
    """Set the activity of this thread in a task's process until the block ends."""
    token = _SCOPE.set(scope)
    try:
        yield
    finally:
        _SCOPE.reset(token)
