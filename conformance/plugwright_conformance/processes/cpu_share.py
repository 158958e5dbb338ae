"""Measures the share of a processor that code used, of what was available."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING

from plugwright_conformance.processes.quiet_time import contended_s

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["CpuShare", "Patience", "waited_s", "worked_s"]

_AT_WORK_S = 0.1
_SCHEDULER = Path("/proc/thread-self/schedstat")
_REAPED = slice(13, 15)
"""In ``stat``, after the name of the program."""


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

    What it has started counts as well, as far as it is there when somebody looks.

    Args:
        process: its number.
        seconds: how long it may take, from now on.
        work_s: seconds that what it has started may compute in addition, also if it has ended.
        clock: seconds; by default ``time.monotonic`` as it is in this process, perhaps virtual.
    """

    def __init__(
        self,
        process: int,
        seconds: float,
        *,
        work_s: float = 0.0,
        clock: Callable[[], float] | None = None,
    ) -> None:
        self._clock = clock or time.monotonic
        self._process, self._until = process, self._clock() + seconds
        self._most_s, self._worked_s, self._before_s = work_s, 0.0, 0.0
        self._queued: dict[int, float] = {}
        self._look()
        self._until -= sum(self._queued.values())  # before now
        self._before_s = self._worked_s
        self._contended_s = contended_s()

    def left_s(self) -> float:
        """Remaining seconds, negative after the limit; must be called often."""
        self._look()
        return self._until + sum(self._queued.values()) + self.work_s() - self._clock()

    def renew(self) -> None:
        """Leave out all that has computed so far, because what it was started for is done."""
        self._look()
        self._until += self.work_s()
        self._before_s = self._worked_s

    def work_s(self) -> float:
        """How long what it has started had computed at the last look, but not above the limit."""
        return min(self._worked_s - self._before_s, self._most_s)

    def contended_s(self) -> float:
        """Seconds in which anything on this machine waited for a core, within the same limit.

        None if what it has started has hardly worked. Of programs that have ended nobody knows how
        long they had waited, nor of servers that they ask, so where there are such programs a limit
        may leave these seconds out as well.
        """
        if self.work_s() < _AT_WORK_S:
            return 0.0
        return min(contended_s() - self._contended_s, self._most_s)

    def _look(self) -> None:
        started = _started_by(self._process)
        for number in (self._process, *started):
            self._queued[number] = max(self._queued.get(number, 0.0), waited_s(number))
        if self._most_s:
            there_s = sum(worked_s(number) + _reaped_s(number) for number in started)
            self._worked_s = max(self._worked_s, there_s + _reaped_s(self._process))


def waited_s(process: int) -> float:
    """How long a thread of a process was ready to run without a core: the longest of them.

    Added up, many threads that spin would wait longer than time takes. Threads that have ended
    count no more, and on systems other than Linux there is no count.
    """
    return max(map(_waited_s, _of_threads(process, "schedstat")), default=0.0)


def worked_s(process: int) -> float:
    """How long a thread of a process has run: the busiest of them, as for `waited_s`."""
    return max(map(_worked_s, _of_threads(process, "schedstat")), default=0.0)


def _reaped_s(process: int) -> float:
    """How long the processes have computed that it has started and seen the end of."""
    fields = _text_of(Path(f"/proc/{process}/stat")).rpartition(")")[2].split()
    return sum(map(int, fields[_REAPED])) / os.sysconf("SC_CLK_TCK")


def _started_by(process: int) -> list[int]:
    """The processes that one has started in any thread, and those that these have started."""
    found = " ".join(map(_text_of, _of_threads(process, "children")))
    children = [int(number) for number in found.split()]
    return [*children, *(below for child in children for below in _started_by(child))]


def _of_threads(process: int, name: str) -> list[Path]:
    """The file of this name of each thread of a process; none if that has ended."""
    try:
        with os.scandir(f"/proc/{process}/task") as threads:
            return [Path(thread.path, name) for thread in threads]
    except OSError:
        return []


def _waited_s(scheduler: Path | None = None) -> float:
    """How long a thread, by default the calling one, was ready to run and no core was free."""
    return _counted_s(scheduler or _SCHEDULER, 1)


def _worked_s(scheduler: Path) -> float:
    return _counted_s(scheduler, 0)


def _counted_s(scheduler: Path, column: int) -> float:
    try:
        return int(_text_of(scheduler).split()[column]) / 1e9
    except (ValueError, IndexError):
        return 0.0


def _text_of(file: Path) -> str:
    """What it has; nothing if its thread has ended, or the system has no such file."""
    try:
        return file.read_text("ascii")
    except OSError:
        return ""
