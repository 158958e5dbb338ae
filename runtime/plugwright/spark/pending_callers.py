"""Limits connections that have not identified themselves, in number and time."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

_HangUp = Callable[[], None]


class PendingCallers:
    """Tracks the callers that have not identified themselves yet.

    Args:
        limit: maximum number of callers.
        patience_s: time that each may take.
        grace_s: minimum time for each. A caller that takes longer is disconnected when there are
            too many, because a task host identifies itself at once.
        clock: monotonic seconds.
    """

    def __init__(
        self,
        *,
        limit: int = 64,
        patience_s: float = 10.0,
        grace_s: float = 1.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._limit = limit
        self._patience_s = patience_s
        self._grace_s = grace_s
        self._clock = clock
        self._lock = threading.Lock()
        self._since: dict[_HangUp, float] = {}  # oldest first

    def __len__(self) -> int:
        return len(self._since)

    def came(self, hang_up: _HangUp) -> None:
        """Add a caller, with the function that disconnects it."""
        with self._lock:
            self._since[hang_up] = self._clock()

    def gone(self, hang_up: _HangUp) -> None:
        """Remove a caller that has identified itself or disconnected."""
        with self._lock:
            self._since.pop(hang_up, None)

    def has_room(self) -> bool:
        """Whether another caller may connect; disconnects those that take too long.

        A disconnected caller counts until its thread has reported that it is gone.
        """
        now = self._clock()
        with self._lock:
            full = len(self._since) >= self._limit
            allowed_s = self._grace_s if full else self._patience_s
            late = [each for each, since in self._since.items() if now - since > allowed_s]
        for hang_up in late:
            hang_up()
        return not full
