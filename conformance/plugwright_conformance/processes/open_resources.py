"""Lists the threads, descriptors and child processes of this process."""

from __future__ import annotations

import gc
import os
import threading
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from plugwright import processes
from plugwright_conformance.processes.cpu_share import Patience

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["children", "descriptors", "held", "more_than", "threads"]

_OF_PYTHON = ("multiprocessing.resource_tracker", "multiprocessing.forkserver")
"""Processes that Python starts for others, and keeps."""

_GOING_S = 2.0
_LOOK_S = 0.02


def threads() -> Sequence[str]:
    """Every living thread by name and number, so that two of one name are two."""
    return [f"{thread.name} ({thread.ident})" for thread in threading.enumerate()]


def descriptors() -> Sequence[str]:
    """Every open descriptor by what it leads to."""
    found = []
    for entry in Path("/proc/self/fd").iterdir():
        with suppress(OSError):
            found.append(f"{os.readlink(entry)}")  # noqa: PTH115  # what a socket leads to is no path
    return [target for target in found if not target.startswith("/proc/")]


def children() -> list[str]:
    """The processes that this one has started and not buried, by number and command."""
    return [
        f"{pid} {command or '(ended, and not waited for)'}"
        for pid, command in processes.children()
        if not any(name in command for name in _OF_PYTHON)
    ]


def held() -> Mapping[str, Sequence[str]]:
    """All of it, by what it is."""
    gc.collect()
    return {"threads": threads(), "descriptors": descriptors(), "processes": children()}


def more_than(before: Mapping[str, Sequence[str]]) -> dict[str, int]:
    """How many more of each are held now; threads and processes about to end are waited for."""
    for thread in threading.enumerate():
        if f"{thread.name} ({thread.ident})" not in before["threads"]:
            thread.join(_GOING_S)
    patience = Patience(os.getpid(), _GOING_S)
    while _more(children(), before["processes"]) and patience.left_s() > 0:
        time.sleep(_LOOK_S)
    return {what: _more(now, before[what]) for what, now in held().items()}


def _more(now: Sequence[str], before: Sequence[str]) -> int:
    return sum((Counter(now) - Counter(before)).values())
