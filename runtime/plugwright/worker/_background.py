"""Serves a source task in the background while a call into its plugin blocks the loop.

``poll`` may block for any length of time. Meanwhile acknowledgements arrive, offsets become due,
and an operator requests a pause or a stop; Kafka Connect has separate threads for that, and here
each task has one. A single lock guards the loop's state: the loop itself holds it except while
it waits in plugin code.
"""

from __future__ import annotations

import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from plugwright.worker._control import TaskControl

_IDLE_S = 0.25
_LONG_IDLE_S = 1.0
_IDLE_STEPS = 8
_BUSY_S = 0.02


class LoopLock:
    """The lock on a loop's state."""

    def __init__(self) -> None:
        self._lock = threading.Lock()

    def take(self) -> None:
        """Acquire the lock."""
        self._lock.acquire()

    def leave(self) -> None:
        """Release the lock."""
        self._lock.release()

    @contextmanager
    def lent(self) -> Iterator[None]:
        """Release the lock for the duration, so that the background thread can use it."""
        self._lock.release()
        try:
            yield
        finally:
            self._lock.acquire()

    def use(self, step: Callable[[], bool]) -> bool:
        """Run one step if the lock is free at once; returns its result, or ``False``."""
        if not self._lock.acquire(blocking=False):
            return False
        try:
            return step()
        finally:
            self._lock.release()


class Background(Protocol):
    """Runs steps outside of the loop."""

    def begin(self, lock: LoopLock, step: Callable[[], bool]) -> None:
        """Run a step at intervals, whenever the lock is free; soon again if it returns true."""

    def end(self) -> None:
        """Run no more steps."""


class NoBackground:
    """For hosts that run a loop in one thread: a blocking poll blocks everything."""

    def begin(self, lock: LoopLock, step: Callable[[], bool]) -> None:
        """Do nothing."""

    def end(self) -> None:
        """Do nothing."""


class BackgroundThread:
    """A daemon thread; when idle, it wakes four times a second and when the target changes.

    After two idle seconds it wakes less often, because a worker may have a thousand tasks.

    Args:
        control: the target.
        longest_s: the longest time between two steps.
    """

    def __init__(self, control: TaskControl, longest_s: float = _LONG_IDLE_S) -> None:
        self._control = control
        self._longest_s = max(_IDLE_S, min(longest_s, _LONG_IDLE_S))
        self._ended = threading.Event()
        self._thread: threading.Thread | None = None

    def begin(self, lock: LoopLock, step: Callable[[], bool]) -> None:
        """Start the thread."""

        def run() -> None:
            busy, idle = False, 0
            while not self._ended.is_set():
                if busy or self._control.stopping:
                    time.sleep(_BUSY_S)
                else:
                    self._control.wait(_IDLE_S if idle < _IDLE_STEPS else self._longest_s)
                busy = not self._ended.is_set() and lock.use(step)
                idle = 0 if busy else idle + 1

        self._thread = threading.Thread(target=run, name="task-background", daemon=True)
        self._thread.start()

    def end(self) -> None:
        """Stop the thread, after waiting for a running step."""
        self._ended.set()
        if self._thread is not None:
            self._thread.join()
