"""Telling that a location is in use, so that nobody changes it meanwhile."""

from __future__ import annotations

import fcntl
import hashlib
import os
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from plugwright.cache import cache_directory, make_directory

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from plugwright.plugins._location import Location

__all__ = ["hold", "in_use_lock", "lock_file"]


def lock_file(origin: Path, suffix: str) -> Path:
    """A file that stands for a location on this machine, for locks of one kind."""
    key = hashlib.sha256(os.fsencode(origin.resolve())).hexdigest()
    return make_directory(cache_directory() / "locks") / f"{key}.{suffix}"


def in_use_lock(origin: Path) -> Path:
    """The file on which a process that uses a location holds a shared lock (``flock``)."""
    return lock_file(origin, "in-use")


@contextmanager
def hold(locations: Iterable[Location]) -> Iterator[None]:
    """Tell that locations are in use until the block ends, or the process.

    Whoever wants to change one, such as ``connect-plugin-path sync-manifests``, sees it. A location
    that is being changed at this moment is used all the same: files are replaced as a whole.
    """
    with ExitStack() as stack:
        for location in locations:
            file = stack.enter_context(in_use_lock(location.origin).open("w"))
            try:
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                continue
        yield
