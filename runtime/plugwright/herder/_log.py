"""The log that stores the worker's state: keyed entries, of which the newest per key is valid."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from typing import Protocol

Entry = tuple[str, bytes | None]
"""A key and its value; ``None`` deletes the key."""

Apply = Callable[[str, bytes | None, int], None]
"""Receives the entries of a log in order, one call at a time.

The arguments are key, value, and the time of writing in milliseconds since the epoch.
"""


class Log(Protocol):
    """The log that the worker's stores write to and read from.

    A standalone worker keeps it in memory, a distributed one in a compacted topic.
    """

    def start(self, apply: Apply) -> None:
        """Read the existing entries, then pass each new entry to ``apply``."""

    def send(self, entries: Sequence[Entry], writer: str | None = None) -> None:
        """Append entries in order and wait until they are stored.

        Args:
            entries: keys and values.
            writer: the transactional id to write under, if several workers share the log.

        Raises:
            ConnectError: if they cannot be stored.
        """

    def send_and_read(self, entries: Sequence[Entry], writer: str | None = None) -> None:
        """Append entries as `send` does, and wait until they and all before them were applied.

        Raises:
            ConnectError: if they cannot be stored, or are not read in time.
        """

    def reclaim(self, writer: str) -> None:
        """Acquire a transactional id again if its former producer can no longer write.

        Raises:
            ConnectError: if the log refuses the id.
        """

    def read_to_end(self) -> None:
        """Wait until every entry that is in the log now has been applied.

        Raises:
            ConnectError: if the end is not reached in time.
        """

    def close(self) -> None:
        """Close the log."""


class MemoryLog:
    """A log in memory, which ends with its process."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._apply: Apply | None = None

    def start(self, apply: Apply) -> None:
        """Store the reader; there is nothing to read yet."""
        self._apply = apply

    def send(self, entries: Sequence[Entry], writer: str | None = None) -> None:  # noqa: ARG002  # one process
        """Apply the entries at once."""
        with self._lock:
            for key, value in entries:
                if self._apply is not None:
                    self._apply(key, value, int(time.time() * 1000))

    def send_and_read(self, entries: Sequence[Entry], writer: str | None = None) -> None:
        """Apply the entries at once."""
        self.send(entries, writer)

    def reclaim(self, writer: str) -> None:
        """Do nothing: there is no other writer."""

    def read_to_end(self) -> None:
        """Do nothing: every sent entry has been applied."""

    def close(self) -> None:
        """Do nothing: there is nothing to close."""
