"""The stack of another thread, for messages about calls that do not return."""

from __future__ import annotations

import gc
import sys
import traceback
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["thread_stack"]

_FRAMES = 10


def thread_stack(thread: int | None) -> str:
    """The innermost calls of a thread, the last one last; empty if it has ended.

    Args:
        thread: its identifier, `threading.get_ident`; ``None`` for one that has not started.
    """
    with _without_collection():
        frame = sys._current_frames().get(thread or 0)  # noqa: SLF001  # the documented way to look at another thread
    return "" if frame is None else "".join(traceback.format_stack(frame, limit=_FRAMES)).rstrip()


@contextmanager
def _without_collection() -> Iterator[None]:
    """Collect no garbage meanwhile.

    Up to Python 3.12.0, a collection within `sys._current_frames` that ends a `threading.local`
    waits for ever for a lock that its own thread holds (python/cpython#106883).
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
