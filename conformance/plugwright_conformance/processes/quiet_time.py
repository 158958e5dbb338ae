"""Time limits that do not run while the machine is busy."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

from plugwright_conformance.evidence.outcome import NotRunError

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["QuietTime", "contended_s"]

_PRESSURE = Path("/proc/pressure/cpu")
_MOST = 8.0


def contended_s(file: Path = _PRESSURE) -> float:
    """How long, since the machine started, something was ready to run and had no core.

    Linux counts it (``Documentation/accounting/psi.rst``, the total of the line ``some``); where
    there is no count it is 0.
    """
    try:
        some = file.read_text("ascii").partition("\n")[0]
        return int(some.rpartition("total=")[2]) / 1e6
    except (OSError, ValueError):
        return 0.0


class QuietTime:
    """Counts only seconds in which no process waited for a core.

    If something takes too long although no thread waits for a core, it is not the machine's fault.
    This is for what runs in processes of Spark and Kafka, which are many and not ours; where one
    process is waited for, `Patience` counts the queue of that process alone.

    Args:
        limit_s: seconds of quiet.
        contended: returns the seconds of contention so far.
    """

    def __init__(self, limit_s: float, contended: Callable[[], float] = contended_s) -> None:
        self.limit_s, self._contended = limit_s, contended
        self.restart()

    def restart(self) -> None:
        """Count from now on."""
        self._begun, self._before = time.monotonic(), self._contended()

    def is_over(self) -> bool:
        """Whether the limit is reached.

        Raises:
            NotRunError: if eight times the limit has passed on a machine that was seldom quiet.
        """
        elapsed = time.monotonic() - self._begun
        busy = min(self._contended() - self._before, elapsed)
        if elapsed - busy >= self.limit_s:
            return True
        if elapsed >= _MOST * self.limit_s:
            raise NotRunError(
                f"the machine was too busy: in {busy:.0f} of {elapsed:.0f} s something waited for"
                " a core; run the check again on a quieter one"
            )
        return False
