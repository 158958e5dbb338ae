"""The task that a thread works for, where several tasks share a process."""

from __future__ import annotations

import logging
import threading
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_HANDLER: ContextVar[logging.Handler | None] = ContextVar("plugwright_task_handler", default=None)


@contextmanager
def task_log(handler: logging.Handler) -> Iterator[None]:
    """Give a handler the log records of this thread and of those that it starts, in this block."""
    token = _HANDLER.set(handler)
    try:
        yield
    finally:
        _HANDLER.reset(token)
        handler.close()


class TaskRouting(logging.Handler):
    """Gives a record to the task whose thread has logged it.

    Args:
        other: takes the records of threads without a task.
    """

    def __init__(self, other: logging.Handler) -> None:
        super().__init__()
        self._other = other

    def createLock(self) -> None:  # noqa: N802  # of the standard library
        """Have none: the handlers behind this one have their own."""
        self.lock = None

    def emit(self, record: logging.LogRecord) -> None:
        """Pass a record on."""
        (_HANDLER.get() or self._other).handle(record)

    def close(self) -> None:
        """Close the handler for the process."""
        self._other.close()
        super().close()


@contextmanager
def inherited_context() -> Iterator[None]:
    """Give each new thread the context variables of the one that starts it, until the block ends.

    So lines of a plugin's own threads are those of its task. Python 3.14 has an option for it,
    ``thread_inherit_context``.
    """
    start = threading.Thread.start

    def start_in_context(thread: threading.Thread) -> None:
        context, run = copy_context(), thread.run
        thread.run = lambda: context.run(run)  # type: ignore[method-assign]  # of this object only
        start(thread)

    threading.Thread.start = start_in_context  # type: ignore[method-assign,assignment]  # see above
    try:
        yield
    finally:
        threading.Thread.start = start  # type: ignore[method-assign]
