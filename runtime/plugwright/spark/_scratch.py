"""Spark's scratch directories: each goes with its session, or once its process is gone."""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
import time
from contextlib import suppress
from pathlib import Path

SCRATCH = "spark.plugwright.scratch"
"""Spark's property that says which directory is its session's."""

_PREFIX = "plugwright-spark-"
_OWNER = "owner.lock"
_KEPT_S = 3600.0
"""How long the log of a Spark that has died can be read."""


def claim_scratch() -> Path:
    """A fresh directory of this process; what processes left behind that are gone is removed.

    It is locked for as long as the process lives: nobody closes the lock's descriptor.
    """
    _sweep(Path(tempfile.gettempdir()))
    while True:
        scratch = Path(tempfile.mkdtemp(prefix=_PREFIX))
        owner = os.open(scratch / _OWNER, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        if _lock(owner):
            return scratch
        os.close(owner)  # another process has taken it for an old one


def release_scratch(scratch: Path) -> None:
    """Remove a directory whose session has ended, with Spark's log in it."""
    shutil.rmtree(scratch, ignore_errors=True)


def _sweep(directory: Path) -> None:
    for scratch in directory.glob(f"{_PREFIX}*"):
        with suppress(OSError):  # another user's, or another process removes it as well
            if time.time() - scratch.stat().st_mtime > _KEPT_S and _is_left(scratch):
                shutil.rmtree(scratch, ignore_errors=True)


def _is_left(scratch: Path) -> bool:
    owner = os.open(scratch / _OWNER, os.O_RDWR | os.O_CLOEXEC)
    try:
        return _lock(owner)
    finally:
        os.close(owner)


def _lock(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
