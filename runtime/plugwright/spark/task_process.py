"""The process that a task runs in: its log, its limits, and its end."""

from __future__ import annotations

import logging
import os
import signal
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

from plugwright.logs import RelayHandler, captured_output, restore_levels
from plugwright.processes import limit_memory
from plugwright.spark.channel import ChannelClosedError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager

    from plugwright.spark._spec import TaskSpec
    from plugwright.spark.channel import Channel
    from plugwright.spark.messages import Assignment


class TaskProcess(Protocol):
    """The process of a task, which other tasks may share."""

    def running(
        self, channel: Channel, given: Assignment, spec: TaskSpec
    ) -> AbstractContextManager[Callable[[str], None]]:
        """Send the task's log to the driver, and limit its memory, until the block ends.

        The block receives the function that records the task's phases, in case the process crashes.
        """

    def end(self) -> None:
        """End the process, because the task cannot be unwound safely."""


class OwnProcess:
    """A process with one task at a time.

    Args:
        enter: records a phase, in case the process crashes.
    """

    def __init__(self, enter: Callable[[str], None]) -> None:
        self._enter = enter

    @contextmanager
    def running(
        self, channel: Channel, given: Assignment, spec: TaskSpec
    ) -> Iterator[Callable[[str], None]]:
        """Send log records and printed output to the driver, until the block ends."""
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # only plugin code could interrupt a task
        limit_memory(spec.memory_limit)
        restore_levels(given.levels)
        with logging_to(RelayHandler(channel.send, ChannelClosedError)), captured_output():
            yield self._enter

    def end(self) -> None:
        """End it at once."""
        os._exit(1)


@contextmanager
def logging_to(handler: logging.Handler) -> Iterator[None]:
    """Give a handler all log records of this process until the block ends.

    Other handlers of the process, which serves Spark before and after, are disabled meanwhile.
    """
    root = logging.getLogger()
    before, root.handlers = root.handlers, [handler]
    try:
        yield
    finally:
        root.handlers = before
        handler.close()
