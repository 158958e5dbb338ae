"""Looks after a source task while its plugin keeps the loop waiting.

A ``poll`` may block for as long as it likes. Meanwhile acknowledgements arrive, offsets fall due,
and an operator asks for a pause or a stop; Kafka Connect has threads of its own for that, and so
has each task here one. One lock, the floor, says who may touch the loop's state: the loop itself
holds it all the time except while it waits in plugin code.
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
_BUSY_S = 0.02


class Floor:
    """The right to touch a loop's state."""

    def __init__(self) -> None:
        self._lock = threading.Lock()

    def take(self) -> None:
        """Wait for the floor and keep it."""
        self._lock.acquire()

    def leave(self) -> None:
        """Give the floor up."""
        self._lock.release()

    @contextmanager
    def lent(self) -> Iterator[None]:
        """Let the background have the floor meanwhile."""
        self._lock.release()
        try:
            yield
        finally:
            self._lock.acquire()

    def use(self, step: Callable[[], bool]) -> bool:
        """Take one step if the floor is free at once; what it returns, else ``False``."""
        if not self._lock.acquire(blocking=False):
            return False
        try:
            return step()
        finally:
            self._lock.release()


class Background(Protocol):
    """Somebody with a thread of their own."""

    def begin(self, floor: Floor, step: Callable[[], bool]) -> None:
        """Take a step now and then, whenever the floor is free; soon again if it says so."""

    def end(self) -> None:
        """Take no more steps."""


class Nobody:
    """For hosts that run a loop in one thread: a blocking poll keeps everything waiting."""

    def begin(self, floor: Floor, step: Callable[[], bool]) -> None:
        """Do nothing."""

    def end(self) -> None:
        """Do nothing."""


class BackgroundThread:
    """A thread of its own; idle, it wakes four times a second and when the target changes."""

    def __init__(self, control: TaskControl) -> None:
        self._control = control
        self._ended = threading.Event()
        self._thread: threading.Thread | None = None

    def begin(self, floor: Floor, step: Callable[[], bool]) -> None:
        """Start the thread."""

        def attend() -> None:
            busy = False
            while not self._ended.is_set():
                if busy or self._control.stopping:
                    time.sleep(_BUSY_S)
                else:
                    self._control.wait(_IDLE_S)
                busy = not self._ended.is_set() and floor.use(step)

        self._thread = threading.Thread(target=attend, name="task-background", daemon=True)
        self._thread.start()

    def end(self) -> None:
        """Stop the thread; the step it may be taking is waited for."""
        self._ended.set()
        if self._thread is not None:
            self._thread.join()
