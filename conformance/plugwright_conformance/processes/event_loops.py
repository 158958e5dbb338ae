"""Event loops in virtual time: those of `asyncio`, and whatever else waits in a selector."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable
    from selectors import BaseSelector

    _Select = Callable[[Any, float | None], list[Any]]

__all__ = ["selecting", "wakes_event_loop"]


def wakes_event_loop(owner: Any) -> bool:
    """Whether a socket is one of a pair without names, as those that wake an event loop.

    No service is at its other end: those of this machine have a path.
    """
    if not isinstance(owner, socket.socket) or owner.family != socket.AF_UNIX:
        return False
    try:
        return not owner.getsockname() and not owner.getpeername()
    except OSError:  # not connected yet
        return False


def selecting(
    block: Callable[[Any, float | None, Callable[[], bool]], bool],
    really: _Select,
) -> _Select:
    """``select`` in virtual time.

    A loop that waits for nothing from outside can only be woken by another thread or by the end of
    its wait. Any other wait is real, as nobody can know when an answer comes.

    Args:
        block: waits in virtual time, as `VirtualTime.block` does.
        really: the method of the selectors that waits in real time.
    """

    def select(self: BaseSelector, timeout: float | None = None) -> list[Any]:
        ready = really(self, 0)
        if ready or (timeout is not None and timeout <= 0):
            return ready
        if _awaits_others(self):
            return really(self, timeout)
        wait = _Wait(self, really)
        block(wait, timeout, wait.is_over)
        return really(self, 0)

    return select


class _Wait:
    """A wait in a selector, with the methods of a lock that is held until it ends."""

    def __init__(self, selector: BaseSelector, really: _Select) -> None:
        self._selector = selector
        self._really = really
        self._released = False

    def is_over(self) -> bool:
        """Whether something is ready."""
        return bool(self._really(self._selector, 0))

    def acquire(self, blocking: bool = True, timeout: float = 0.0) -> bool:
        """Wait; whether it has ended before the timeout."""
        ready = self._really(self._selector, timeout if blocking else 0.0)
        return self._released or bool(ready)

    def release(self) -> None:
        """End it."""
        self._released = True


def _awaits_others(selector: BaseSelector) -> bool:
    return not all(_wakes(key.fd) for key in selector.get_map().values())


def _wakes(descriptor: int) -> bool:
    try:
        found = socket.socket(fileno=descriptor)
    except OSError:  # a pipe
        return False
    try:
        return wakes_event_loop(found)
    finally:
        found.detach()
