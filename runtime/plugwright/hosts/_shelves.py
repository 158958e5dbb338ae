"""Memory that a stage host shares with its task, one area for each direction."""

from __future__ import annotations

import os
from mmap import mmap
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_SIZE = 16 << 20  # address space; what is never written to takes no memory


def new_shelves() -> list[int]:
    """Descriptors of two areas, towards the host and back; none where the system has no such."""
    if not hasattr(os, "memfd_create"):
        return []
    descriptors = [os.memfd_create("plugwright") for _ in range(2)]
    for descriptor in descriptors:
        os.ftruncate(descriptor, _SIZE)
    return descriptors


def map_shelves(descriptors: Sequence[int]) -> tuple[mmap, ...]:
    """The areas as memory, in the same order; the descriptors are closed."""
    shelves = []
    for descriptor in descriptors:
        shelves.append(mmap(descriptor, _SIZE))
        os.close(descriptor)
    return tuple(shelves)
