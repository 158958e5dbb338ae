"""Spark's scratch directories, removed with their session or once their process is gone."""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
import time
from contextlib import suppress
from pathlib import Path

SCRATCH = "spark.plugwright.scratch"
"""Spark's property that names the directory of a session."""

_PREFIX = "plugwright-spark-"
_OWNER = "owner.lock"
_KEPT_S = 3600.0
"""How long the log of a crashed Spark is kept."""


def claim_scratch() -> Path:
    """Create a directory for this process, and remove those of processes that are gone.

    It is locked for the life of the process: the lock's descriptor is never closed.
    """
    _sweep(Path(tempfile.gettempdir()))
    while True:
        scratch = Path(tempfile.mkdtemp(prefix=_PREFIX))
        owner = os.open(scratch / _OWNER, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        if _lock(owner):
            return scratch
        os.close(owner)  # another process took it for an abandoned one


def release_scratch(scratch: Path) -> None:
    """Remove the directory of a session that has ended, with Spark's log in it."""
    shutil.rmtree(scratch, ignore_errors=True)


def _sweep(directory: Path) -> None:
    for scratch in directory.glob(f"{_PREFIX}*"):
        with suppress(OSError):  # another user's, or another process is removing it too
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
