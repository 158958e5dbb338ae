"""How much memory a process that runs plugin code may take."""

from __future__ import annotations

import os
import resource

__all__ = ["limit_memory", "memory_variables"]

_ARROW_POOL = "ARROW_DEFAULT_MEMORY_POOL"


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
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    soft = size if hard == resource.RLIM_INFINITY else min(size, hard)
    resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))


def memory_variables() -> dict[str, str]:
    """Variables for processes with a limit: no library is to claim memory long before it uses it.

    Arrow's own pool sets a gigabyte aside at its first allocation.
    """
    return {_ARROW_POOL: os.environ.get(_ARROW_POOL, "system")}
