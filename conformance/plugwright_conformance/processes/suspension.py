"""Suspends processes, so that they stay where they are."""

from __future__ import annotations

import os
import signal
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

__all__ = ["resume", "suspend", "suspend_in_call"]

_STOPPED = frozenset("TtZX")
_MOST_S = 5.0
_LOOK_S = 0.001
_ATTEMPTS = 200
_PAUSE_S = 0.003


def suspend(pids: Iterable[int]) -> list[int]:
    """Suspend processes, parents first, and wait until each of their threads stands still.

    Returns:
        Those that were there.
    """
    suspended = []
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGSTOP)
            suspended.append(pid)
    until = time.monotonic() + _MOST_S  # for a thread in a system call that does not end
    for pid in suspended:
        while not _stands_still(pid) and time.monotonic() < until:
            time.sleep(_LOOK_S)
    return suspended


def suspend_in_call(
    pids: Callable[[], Iterable[int]], calls: Collection[str]
) -> tuple[list[int], bool]:
    """Suspend processes at a moment when one of them, a task's, is in one of some plugin calls.

    Args:
        pids: lists the processes, at each attempt.
        calls: such as ``put``; "" means between calls.

    Returns:
        The suspended processes, and whether a task is in one of the calls. If none is at any
        attempt, they are suspended wherever they are.
    """
    from plugwright.spark import current_phase  # noqa: PLC0415  # an extra

    for _ in range(_ATTEMPTS):
        suspended = suspend(pids())
        if any(current_phase(pid) in calls for pid in suspended):
            return suspended, True
        resume(suspended)
        time.sleep(_PAUSE_S)
    return suspend(pids()), False


def resume(pids: Iterable[int]) -> None:
    """Let suspended processes go on; those that have ended are ignored."""
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGCONT)


def _stands_still(pid: int) -> bool:
    return all(_state(file) in _STOPPED for file in Path(f"/proc/{pid}/task").glob("*/stat"))


def _state(stat: Path) -> str:
    try:
        return stat.read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()[0]
    except OSError:
        return "X"  # the thread has ended
