"""Limits how many lines a process may log, and counts the lines that were dropped."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

_PER_SECOND = 500.0
_AT_ONCE = 5_000.0
_NOTICE_S = 1.0


class LineLimit:
    """Passes a limited number of lines a second, and reports how many it dropped.

    No thread runs while all lines pass.

    Args:
        report: called with a sentence about dropped lines, a second after the first one, on a
            thread of its own.
        per_second: lines that pass in the long run.
        at_once: lines that may pass in a burst.
        clock: seconds that only go forward.
    """

    def __init__(
        self,
        report: Callable[[str], None],
        *,
        per_second: float = _PER_SECOND,
        at_once: float = _AT_ONCE,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._report = report
        self._per_second = per_second
        self._at_once = at_once
        self._clock = clock
        self._lock = threading.Lock()
        self._room = at_once
        self._seen = clock()
        self._left_out = 0
        self._notice: threading.Timer | None = None

    def admits(self) -> bool:
        """Whether one more line may pass."""
        with self._lock:
            now = self._clock()
            self._room = min(self._at_once, self._room + (now - self._seen) * self._per_second)
            self._seen = now
            if self._room >= 1.0:
                self._room -= 1.0
                return True
            self._left_out += 1
            self._announce()
            return False

    def settle(self) -> None:
        """Report now how many lines were dropped, if any were."""
        with self._lock:
            count, self._left_out = self._left_out, 0
            notice, self._notice = self._notice, None
        if notice is not None:
            notice.cancel()
        if count:
            lines = "1 log line was" if count == 1 else f"{count} log lines were"
            self._report(f"{lines} dropped: the limit is {self._per_second:g} a second")

    def _announce(self) -> None:
        if self._notice is None:
            self._notice = threading.Timer(_NOTICE_S, self.settle)
            self._notice.daemon = True
            self._notice.start()
