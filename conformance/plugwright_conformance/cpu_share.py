"""How much of the processor a stretch of code took, of what the machine would have given it."""

from __future__ import annotations

import time
from pathlib import Path

__all__ = ["CpuShare", "waited_s"]

_SCHEDULER = Path("/proc/thread-self/schedstat")


class CpuShare:
    """Measures this process from its construction on.

    On a crowded machine code that spins gets little of the processor and looks calm. So the time
    in which the calling thread was ready and had to wait for a core, which Linux counts, is left
    out; on other systems it counts as idle.

    >>> 0 <= CpuShare().so_far() <= 1
    True
    """

    def __init__(self) -> None:
        self._began, self._cpu, self._waited = time.monotonic(), time.process_time(), _waited_s()

    def so_far(self) -> float:
        """Cores in use, on average: 0 is idle, 1 is one thread that never rests."""
        elapsed = time.monotonic() - self._began - (_waited_s() - self._waited)
        return (time.process_time() - self._cpu) / elapsed if elapsed > 0 else 0.0


def waited_s(process: int) -> float:
    """How long the threads of a process, added up, were ready to run and no core was free.

    Threads that have ended count no more, and on systems other than Linux there is no count.
    """
    return sum(map(_waited_s, Path(f"/proc/{process}/task").glob("*/schedstat")))


def _waited_s(scheduler: Path | None = None) -> float:
    """How long a thread, by default the calling one, was ready to run and no core was free."""
    try:
        return int((scheduler or _SCHEDULER).read_text("ascii").split()[1]) / 1e9
    except (OSError, ValueError, IndexError):
        return 0.0
