"""The shares of a core that the threads of this process take."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable, Iterable


class ThreadShares:
    """The shares of a core that threads take.

    Args:
        clock: seconds.
        used: returns the seconds of processor time that a thread has used.
    """

    def __init__(
        self,
        clock: Callable[[], float] = time.monotonic,
        used: Callable[[threading.Thread], float | None] | None = None,
    ) -> None:
        self._clock = clock
        self._used = used or _processor_seconds
        self._since = clock()
        self._former: dict[threading.Thread, float] = {}

    def take(self, threads: Iterable[threading.Thread]) -> dict[threading.Thread, float]:
        """The share of each thread since the last call, if it was there."""
        now = self._clock()
        found = {thread: self._used(thread) for thread in list(threads)}
        present = {thread: used for thread, used in found.items() if used is not None}
        elapsed = max(now - self._since, 1e-9)
        shares = {
            thread: (used - self._former[thread]) / elapsed
            for thread, used in present.items()
            if thread in self._former
        }
        self._former, self._since = present, now
        return shares


def _processor_seconds(thread: threading.Thread) -> float | None:
    """``None`` once the thread has ended."""
    try:
        text = Path(f"/proc/self/task/{thread.native_id}/schedstat").read_text("ascii")
    except OSError:
        return None
    return int(text.split()[0]) / 1e9
