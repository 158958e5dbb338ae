"""Resource limits of processes that run plugin code, and descriptions of how they ended."""

from __future__ import annotations

import os
import signal
from contextlib import suppress


def ending(code: int) -> str:
    """Describe the end of a process by its exit code; a negative one is a signal's number."""
    if code < 0:
        return f"was ended by {signal.Signals(-code).name}"
    return f"ended with status {code}"


_ARROW_POOL = "ARROW_DEFAULT_MEMORY_POOL"


def forbid_core_dumps() -> None:
    """Keep this process, and those that it starts, from writing core dumps.

    Core dumps contain passwords. A limit of one byte is too small for a file, and also keeps
    Linux from starting a program that collects dumps, which any other limit does not prevent
    (core(5)). Only the soft limit is set, so that ``prlimit --core`` can enable dumps.
    """
    import resource  # noqa: PLC0415  # not on every platform

    _, hard = resource.getrlimit(resource.RLIMIT_CORE)
    soft = 1 if hard == resource.RLIM_INFINITY else min(1, hard)
    resource.setrlimit(resource.RLIMIT_CORE, (soft, hard))


def limit_memory(size: int) -> None:
    """Limit the private data of this process, and of those that it starts.

    Beyond the limit, allocations fail: in Python with a MemoryError. Only the soft limit is set, so
    that a later task of the same process may have another one. Linux counts all writable private
    memory; other systems may count less.

    Args:
        size: bytes; 0 changes nothing.
    """
    if not size:
        return
    import resource  # noqa: PLC0415  # not on every platform

    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    soft = size if hard == resource.RLIM_INFINITY else min(size, hard)
    resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))


def limit_import(memory: int, cpu: int) -> None:
    """Limit the memory and processor time of this process, which imports plugin modules and ends.

    No effect if the system has no limits.

    Args:
        memory: bytes of address space.
        cpu: seconds of processor time.
    """
    with suppress(ImportError):
        import resource  # noqa: PLC0415  # not on every platform

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        resource.setrlimit(resource.RLIMIT_CPU, (cpu, cpu + 1))


def memory_variables() -> dict[str, str]:
    """Variables for processes with a memory limit, against large reservations by libraries.

    Arrow's own pool reserves a gigabyte at its first allocation.
    """
    return {_ARROW_POOL: os.environ.get(_ARROW_POOL, "system")}
