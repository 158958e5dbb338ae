"""Suspends processes, so that they stay where they are."""

from __future__ import annotations

import os
import signal
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["resume", "suspend"]

_STOPPED = frozenset("TtZX")
_MOST_S = 5.0
_LOOK_S = 0.001


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
