"""Keeps what a benchmark has made beforehand out of its measurement."""

from __future__ import annotations

import gc
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["set_aside"]


@contextmanager
def set_aside() -> Iterator[None]:
    """Leave what exists by now out of garbage collections, which would look through all of it."""
    gc.collect()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()
