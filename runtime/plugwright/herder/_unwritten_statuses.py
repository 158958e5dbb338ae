"""Statuses that could not be written, kept until they are."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from plugwright.herder.delayed_call import DelayedCall, start_timer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from plugwright.herder.delayed_call import TimerStart
    from plugwright.herder.status_store import Status

_AGAIN_S = 5.0


class UnwrittenStatuses:
    """The newest unwritten status of each part of a connector.

    Kafka Connect also repeats the write of a status while the error is retriable
    (``KafkaStatusBackingStore``). Parts are tasks by number, and ``None`` for the connector itself.

    Args:
        again: called on its own thread a few seconds after statuses were kept.
        start: starts a timer.
    """

    def __init__(self, again: Callable[[], None], start: TimerStart = start_timer) -> None:
        self._again = again
        self._delayed_call = DelayedCall(start)
        self._lock = threading.Lock()
        self._statuses: dict[int | None, Status] = {}
        self._closed = False

    def keep(self, statuses: Mapping[int | None, Status]) -> None:
        """Keep statuses for the next attempt; does nothing after `close`."""
        with self._lock:
            if not self._closed:
                self._statuses |= statuses
                self._delayed_call.schedule(_AGAIN_S, self._again)

    def drop(self, parts: Iterable[int | None]) -> None:
        """Drop the kept statuses of parts that have newer ones or were removed."""
        with self._lock:
            for part in parts:
                self._statuses.pop(part, None)

    def take(self) -> dict[int | None, Status]:
        """Remove and return the kept statuses."""
        with self._lock:
            taken, self._statuses = self._statuses, {}
        return taken

    def close(self) -> None:
        """Drop everything and keep nothing from now on."""
        with self._lock:
            self._closed = True
            self._statuses.clear()
        self._delayed_call.cancel()
