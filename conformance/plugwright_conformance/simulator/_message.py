"""A stored record as a Kafka client shows it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from plugwright_conformance.simulator._log import Stored

_CREATE_TIME = 1


class SimulatedMessage:
    """One message with the accessors that the worker uses."""

    __slots__ = ("_stored",)

    def __init__(self, stored: Stored) -> None:
        self._stored = stored

    def topic(self) -> str:
        """Topic of the record."""
        return self._stored.topic

    def partition(self) -> int:
        """Partition of the record."""
        return self._stored.partition

    def offset(self) -> int:
        """Offset of the record."""
        return self._stored.offset

    def key(self) -> bytes | None:
        """Serialized key."""
        return self._stored.key

    def value(self) -> bytes | None:
        """Serialized value."""
        return self._stored.value

    def timestamp(self) -> tuple[int, int]:
        """Timestamp type and milliseconds."""
        return (_CREATE_TIME, self._stored.timestamp)

    def headers(self) -> list[tuple[str, bytes | None]] | None:
        """Serialized headers in order, or ``None``."""
        return list(self._stored.headers) or None
