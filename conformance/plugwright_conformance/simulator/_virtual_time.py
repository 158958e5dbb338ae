"""Makes waiting free in a process of its own: time passes at once where nothing else can happen.

A task that waits while no other thread is alive can only be woken by the end of its wait, so the
end may as well come now. With other threads alive, waits are real.
"""

from __future__ import annotations

import queue
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["VirtualTime"]


class VirtualTime:
    """Replaces the sleeping and the clocks of this process, for good.

    To be installed before the plugin's code is imported, in a process that is thrown away.

    Attributes:
        passed: told how many seconds a wait has skipped.
        endless: called when the only thread there is waits without a limit: nobody will wake it.
    """

    def __init__(self) -> None:
        self.passed: Callable[[float], None] = lambda _: None
        self.endless: Callable[[], None] = lambda: None
        self._skipped = 0.0
        self._sleep, self._monotonic, self._time = time.sleep, time.monotonic, time.time
        self._wait = threading.Condition.wait

    def install(self) -> None:
        """Replace them."""

        def wait(condition: threading.Condition, timeout: float | None = None) -> bool:
            if timeout is None and threading.active_count() == 1:
                self.endless()
            if timeout is None or threading.active_count() > 1:
                with self._really_passing():
                    return self._wait(condition, timeout)
            self.skip(timeout)
            return False

        replaced: list[tuple[Any, str, Any]] = [
            (threading.Condition, "wait", wait),
            (time, "sleep", self.sleep),
            (time, "monotonic", self.monotonic),
            (time, "time", lambda: self._time() + self._skipped),
            (threading, "_time", self.monotonic),  # what timed waits reckon with
            (queue, "time", self.monotonic),  # the same for queues
        ]
        for owner, name, ours in replaced:
            setattr(owner, name, ours)

    def sleep(self, seconds: float) -> None:
        """``time.sleep``, without waiting where nobody could notice."""
        if threading.active_count() > 1:
            with self._really_passing():
                self._sleep(seconds)
        else:
            self.skip(seconds)

    def monotonic(self) -> float:
        """``time.monotonic``, with what was skipped."""
        return self._monotonic() + self._skipped

    def skip(self, seconds: float) -> None:
        """Let time pass at once."""
        self._skipped += max(seconds, 0.0)
        self.passed(max(seconds, 0.0))

    def breathe(self, seconds: float) -> float:
        """Really wait, if there are other threads that may want to do something; how long."""
        if threading.active_count() == 1:
            return 0.0
        self._sleep(seconds)
        return seconds

    @contextmanager
    def _really_passing(self) -> Iterator[None]:
        """Tell of a real wait of the main thread as well."""
        begun = self._monotonic()
        yield
        if threading.current_thread() is threading.main_thread():
            self.passed(self._monotonic() - begun)
