"""The log that the worker's state lives in: keyed entries, the newest of each key counts."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Protocol

Entry = tuple[str, bytes | None]
"""A key and its value; ``None`` forgets the key."""

Apply = Callable[[str, bytes | None], None]
"""Takes the entries of a log in their order, one call at a time."""


class Log(Protocol):
    """What the worker's stores write to and read from.

    A standalone worker's lives in memory, a distributed one's in a compacted topic.
    """

    def start(self, apply: Apply) -> None:
        """Read everything there is, then go on giving new entries to ``apply``."""

    def send(self, entries: Sequence[Entry], writer: str | None = None) -> None:
        """Append entries in order and wait until they are safe.

        Args:
            entries: keys and values.
            writer: under which transactional id, where several workers share the log.

        Raises:
            ConnectError: if they are not safe.
        """

    def reclaim(self, writer: str) -> None:
        """Take a transactional id again if what was written with under it can write no more.

        Raises:
            ConnectError: if the log does not give it.
        """

    def read_to_end(self) -> None:
        """Wait until everything that is in the log by now was applied.

        Raises:
            ConnectError: if the end is not reached in time.
        """

    def close(self) -> None:
        """Release the log."""


class MemoryLog:
    """A log that ends with its process."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._apply: Apply | None = None

    def start(self, apply: Apply) -> None:
        """Take the reader; there is nothing to read yet."""
        self._apply = apply

    def send(self, entries: Sequence[Entry], writer: str | None = None) -> None:  # noqa: ARG002  # one process
        """Apply the entries at once."""
        with self._lock:
            for key, value in entries:
                if self._apply is not None:
                    self._apply(key, value)

    def reclaim(self, writer: str) -> None:
        """Return: nobody else writes here."""

    def read_to_end(self) -> None:
        """Return: whatever was sent has been applied."""

    def close(self) -> None:
        """Return: there is nothing to release."""
