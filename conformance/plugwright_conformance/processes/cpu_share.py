"""Measures the share of a processor that code used, of what was available."""

from __future__ import annotations

import time
from pathlib import Path

__all__ = ["CpuShare", "Patience", "waited_s"]

_SCHEDULER = Path("/proc/thread-self/schedstat")


class CpuShare:
    """Measures this process from construction on.

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


class Patience:
    """A time limit that excludes time spent waiting for a core.

    What it has forked counts as well, as far as it is there when somebody looks.

    Args:
        process: its number.
        seconds: how long it may take, from now on.
    """

    def __init__(self, process: int, seconds: float) -> None:
        self._process, self._until = process, time.monotonic() + seconds
        self._seen: dict[int, float] = {}
        self._until -= self._queued_s()  # before now

    def left_s(self) -> float:
        """Remaining seconds, negative after the limit; must be called often."""
        return self._until + self._queued_s() - time.monotonic()

    def _queued_s(self) -> float:
        for number in (self._process, *_forked_by(self._process)):
            self._seen[number] = max(self._seen.get(number, 0.0), waited_s(number))
        return sum(self._seen.values())


def _forked_by(process: int) -> list[int]:
    try:
        found = Path(f"/proc/{process}/task/{process}/children").read_text("ascii")
    except OSError:
        return []
    return [int(number) for number in found.split()]


def waited_s(process: int) -> float:
    """How long a thread of a process was ready to run and no core was free: the worst off of them.

    Added up, many threads that spin would wait longer than time takes. Threads that have ended
    count no more, and on systems other than Linux there is no count.
    """
    threads = Path(f"/proc/{process}/task").glob("*/schedstat")
    try:
        return max(map(_waited_s, threads), default=0.0)
    except OSError:  # it has ended while its threads were listed
        return 0.0


def _waited_s(scheduler: Path | None = None) -> float:
    """How long a thread, by default the calling one, was ready to run and no core was free."""
    try:
        return int((scheduler or _SCHEDULER).read_text("ascii").split()[1]) / 1e9
    except (OSError, ValueError, IndexError):
        return 0.0
