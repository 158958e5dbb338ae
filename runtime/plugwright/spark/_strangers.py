"""Callers of whom nothing is known yet: so many at most, and each for so long."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

_HangUp = Callable[[], None]


class Strangers:
    """Keeps those who have called and not yet said who they are.

    Args:
        limit: how many there may be.
        patience_s: how long each may take.
        grace_s: how long each has in any case. One that took longer gives way when there are too
            many, for a task host says who it is at once.
        clock: seconds that only go forward.
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
        self._since: dict[_HangUp, float] = {}  # the oldest first

    def __len__(self) -> int:
        return len(self._since)

    def came(self, hang_up: _HangUp) -> None:
        """Somebody has called, whom this hangs up on."""
        with self._lock:
            self._since[hang_up] = self._clock()

    def gone(self, hang_up: _HangUp) -> None:
        """It is a stranger no more, or has gone."""
        with self._lock:
            self._since.pop(hang_up, None)

    def has_room(self) -> bool:
        """Whether one more may come; hangs up on who took too long.

        A caller that is hung up on has its place until its thread says that it has gone.
        """
        now = self._clock()
        with self._lock:
            full = len(self._since) >= self._limit
            allowed_s = self._grace_s if full else self._patience_s
            late = [each for each, since in self._since.items() if now - since > allowed_s]
        for hang_up in late:
            hang_up()
        return not full
