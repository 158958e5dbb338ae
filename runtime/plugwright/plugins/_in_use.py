"""Marks locations as in use, so that they are not changed meanwhile."""

from __future__ import annotations

import fcntl
import hashlib
import os
import time
from contextlib import ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING

from plugwright.cache import cache_directory, make_directory

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from plugwright.plugins._location import Location

_MOMENT_S = 0.2
_PAUSE_S = 0.005


def lock_file(origin: Path, suffix: str) -> Path:
    """A lock file for a location on this machine, for one kind of lock."""
    key = hashlib.sha256(os.fsencode(os.path.realpath(origin))).hexdigest()
    return make_directory(cache_directory() / "locks") / f"{key}.{suffix}"


def in_use_lock(origin: Path) -> Path:
    """The file on which a process holds a shared lock (``flock``) while it uses a location."""
    return lock_file(origin, "in-use")


@contextmanager
def hold(locations: Iterable[Location]) -> Iterator[None]:
    """Mark locations as in use until the block or the process ends.

    Commands that change a location, such as ``connect-plugin-path sync-manifests``, check the mark.
    A location that is being changed at this moment is used nevertheless: files are replaced as a
    whole. No mark remains afterwards, even of processes that were killed.
    """
    _sweep()
    with ExitStack() as stack:
        for location in locations:
            path = in_use_lock(location.origin)
            descriptor = _held(path)
            if descriptor is not None:
                stack.callback(_give_back, path, descriptor)
        yield


def _held(path: Path) -> int | None:
    """A descriptor with a shared lock; ``None`` while a location is being changed.

    Other processes hold an exclusive lock only briefly, to check whether the file is still needed.
    """
    deadline = time.monotonic() + _MOMENT_S
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        locked = _lock(descriptor, fcntl.LOCK_SH)
        if locked and _is_at(descriptor, path):
            return descriptor
        os.close(descriptor)
        if not locked:
            if time.monotonic() > deadline:
                return None
            time.sleep(_PAUSE_S)


def _give_back(path: Path, descriptor: int) -> None:
    """Release a lock, and remove the file unless other processes hold it."""
    try:
        if _lock(descriptor, fcntl.LOCK_EX) and _is_at(descriptor, path):
            path.unlink()
    finally:
        os.close(descriptor)


def _sweep() -> None:
    """Remove the files of processes that have ended."""
    for path in (cache_directory() / "locks").glob("*.in-use"):
        with suppress(FileNotFoundError):
            _give_back(path, os.open(path, os.O_RDWR | os.O_CLOEXEC))


def _lock(descriptor: int, kind: int) -> bool:
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _is_at(descriptor: int, path: Path) -> bool:
    """Whether a path still leads to the file of a descriptor."""
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except FileNotFoundError:
        return False
