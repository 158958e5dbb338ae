"""Shared memory between a stage host and its task, one buffer per direction."""

from __future__ import annotations

import os
from mmap import mmap
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_SIZE = 16 << 20  # address space; unwritten pages take no memory


def new_shared_buffers() -> list[int]:
    """Descriptors of two buffers, to the host and back; empty if the system does not support it."""
    if not hasattr(os, "memfd_create"):
        return []
    descriptors = [os.memfd_create("plugwright") for _ in range(2)]
    for descriptor in descriptors:
        os.ftruncate(descriptor, _SIZE)
    return descriptors


def map_shared_buffers(descriptors: Sequence[int]) -> tuple[mmap, ...]:
    """Map the buffers, in the same order, and close the descriptors."""
    buffers = []
    for descriptor in descriptors:
        buffers.append(mmap(descriptor, _SIZE))
        os.close(descriptor)
    return tuple(buffers)
