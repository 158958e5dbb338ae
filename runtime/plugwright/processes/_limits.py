"""What a process that runs plugin code may take, and how it has ended, in words."""

from __future__ import annotations

import os
import signal
from contextlib import suppress


def ending(code: int) -> str:
    """A predicate for a process, by its exit code; below zero that is the signal's number."""
    if code < 0:
        return f"was ended by {signal.Signals(-code).name}"
    return f"ended with status {code}"


_ARROW_POOL = "ARROW_DEFAULT_MEMORY_POOL"


def forbid_core_dumps() -> None:
    """Have neither this process nor those that it starts write their memory out when they crash.

    Passwords are in it. A limit of one byte is too little for a file, and is what tells Linux not
    to start a program that collects dumps either, which it does in spite of any other limit
    (core(5)). Only the soft limit is set, so that ``prlimit --core`` can ask for a dump.
    """
    import resource  # noqa: PLC0415  # not on every platform

    _, hard = resource.getrlimit(resource.RLIMIT_CORE)
    soft = 1 if hard == resource.RLIM_INFINITY else min(1, hard)
    resource.setrlimit(resource.RLIMIT_CORE, (soft, hard))


def limit_memory(size: int) -> None:
    """Let this process, and those that it starts, have so many bytes of data of their own.

    Beyond that, allocations fail: with a MemoryError in Python. Only the soft limit is set, so that
    a later task of the same process may have another one. Linux counts all private memory that can
    be written; other systems may count less.

    Args:
        size: bytes; 0 leaves everything as it is.
    """
    if not size:
        return
    import resource  # noqa: PLC0415  # not on every platform

    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    soft = size if hard == resource.RLIM_INFINITY else min(size, hard)
    resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))


def limit_import(memory: int, cpu: int) -> None:
    """Let this process, which is to import plugin modules and to end, have no more than this.

    Without effect where the system has no limits.

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
    """Variables for processes with a limit: no library is to claim memory long before it uses it.

    Arrow's own pool sets a gigabyte aside at its first allocation.
    """
    return {_ARROW_POOL: os.environ.get(_ARROW_POOL, "system")}
