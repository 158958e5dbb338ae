"""Checks Java, cache, ports, memory, disk space, and the kernel's confinement of plugins."""

from __future__ import annotations

import os
import shutil
import socket
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from plugwright.cache import cache_directory, make_directory
from plugwright.java import find_java
from plugwright.plugins import confinement
from plugwright_toolkit.checkup._finding import Condition, EnvironmentFinding

if TYPE_CHECKING:
    from collections.abc import Sequence

_SIGNALS_SINCE = 6
_GIB = 1 << 30
_MEMORY_WANTED = 2 * _GIB
_SPACE_WANTED = 2 * _GIB
_SPACE_NEEDED = _GIB // 8
_MEMORY_INFO = Path("/proc/meminfo")
_MEMORY_LIMIT = Path("/sys/fs/cgroup/memory.max")


def java() -> Sequence[EnvironmentFinding]:
    """Whether there is a Java that Spark and the embedded Kafka can use.

    Raises:
        SetupError: if there is none.
    """
    found = find_java()
    text = f"{found.version} at {found.home}, from {found.source}"
    return [EnvironmentFinding("java", Condition.OK, text)]


def cache() -> Sequence[EnvironmentFinding]:
    """Whether the cache directory can be written.

    Raises:
        SetupError: if it cannot even be made.
    """
    directory = make_directory(cache_directory())
    try:
        with tempfile.TemporaryFile(dir=directory) as file:
            file.write(b"x")
    except OSError as error:
        found = f"{directory} cannot be written: {error.strerror}"
        hint = "set PLUGWRIGHT_CACHE to a directory that can be written"
        return [EnvironmentFinding("cache", Condition.FAIL, found, hint)]
    return [EnvironmentFinding("cache", Condition.OK, str(directory))]


def confined(version: int | None = None) -> Sequence[EnvironmentFinding]:
    """Whether the kernel confines plugin code during discovery.

    Args:
        version: of Landlock; by default the kernel's.
    """
    name = "confinement"
    offered = confinement() if version is None else version
    if not offered:
        found = "this kernel has no Landlock: plugins can read and write while they are looked into"
        hint = "use Linux 5.13 or newer with landlock among its security modules (lsm=)"
        return [EnvironmentFinding(name, Condition.WARN, found, hint)]
    signals = "" if offered >= _SIGNALS_SINCE else "; signals are not kept in, which 6.12 does"
    found = (
        f"Landlock {offered} keeps plugins that are looked into out of home directories{signals}"
    )
    return [EnvironmentFinding(name, Condition.OK, found)]


def port(number: int) -> Sequence[EnvironmentFinding]:
    """Whether the port for the REST API is free."""
    name = "rest port"
    with socket.socket() as probe:
        # As servers do, so that connections of a server that has just ended do not count.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("", number))
        except (OSError, OverflowError) as error:
            reason = (getattr(error, "strerror", None) or str(error)).lower()
            found = f"{number} cannot be used: {reason}"
            hint = "stop what listens there, or set listeners in the worker configuration"
            return [EnvironmentFinding(name, Condition.WARN, found, hint)]
    return [EnvironmentFinding(name, Condition.OK, f"{number} is free")]


def memory(available: int | None = None) -> Sequence[EnvironmentFinding]:
    """Whether there is room for Spark and a broker.

    Args:
        available: bytes; by default what the system says.
    """
    free = _available_memory() if available is None else available
    if free is None:
        return [
            EnvironmentFinding(
                "memory", Condition.OK, "this system does not report how much is free"
            )
        ]
    found = f"{free / _GIB:.1f} GiB available"
    if free >= _MEMORY_WANTED:
        return [EnvironmentFinding("memory", Condition.OK, found)]
    hint = f"Spark and a broker want {_MEMORY_WANTED // _GIB} GiB: end other programs"
    return [EnvironmentFinding("memory", Condition.WARN, found, hint)]


def _available_memory() -> int | None:
    """Bytes that may still be used, by the system's figure or by the container's limit."""
    figures = []
    with suppress(OSError, ValueError, IndexError):
        lines = _MEMORY_INFO.read_text().splitlines()
        line = next(each for each in lines if each.startswith("MemAvailable:"))
        figures.append(int(line.split()[1]) * 1024)
    with suppress(OSError, ValueError):
        used = int(_MEMORY_LIMIT.with_name("memory.current").read_text())
        figures.append(int(_MEMORY_LIMIT.read_text()) - used)
    return min(figures) if figures else None


def temporary(free: int | None = None) -> Sequence[EnvironmentFinding]:
    """Whether there is space for temporary files.

    Args:
        free: bytes; by default what the system says.
    """
    directory = tempfile.gettempdir()
    space = shutil.disk_usage(directory).free if free is None else free
    found = f"{space / _GIB:.1f} GiB free in {directory}"
    hint = "free some space there, or set TMPDIR to a directory with more"
    if not os.access(directory, os.W_OK):
        return [
            EnvironmentFinding("temporary", Condition.FAIL, f"{directory} cannot be written", hint)
        ]
    if space >= _SPACE_WANTED:
        return [EnvironmentFinding("temporary", Condition.OK, found)]
    worse = Condition.WARN if space >= _SPACE_NEEDED else Condition.FAIL
    return [EnvironmentFinding("temporary", worse, found, hint)]
