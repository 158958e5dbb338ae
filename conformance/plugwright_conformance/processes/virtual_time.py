"""Virtual time for a process: waits return at once if nothing else can happen.

A task that waits while no other thread is alive can only be woken by the end of its wait, so the
end may as well come now. With several threads the same holds as soon as all of them wait: the wait
that ends first ends now. As long as any of them does anything else, waits are real. An event loop
waits as a thread does, unless it waits for something from outside.
"""

from __future__ import annotations

import math
import queue
import selectors
import subprocess
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from plugwright_conformance.processes.event_loops import selecting

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

__all__ = ["VirtualTime", "real_s"]

_LOOK_S = 0.02
"""How often a waiting thread looks whether the others, who were busy, wait by now."""
_LOOKS = 10
"""After so many, the others may wait as well, in a call that is not replaced."""
_SELECTOR = selectors.DefaultSelector


def real_s() -> float:
    """Seconds of the system's clock, which goes on as it is where `time.monotonic` is virtual."""
    return time.clock_gettime(time.CLOCK_MONOTONIC)


@dataclass(slots=True)
class _Waiter:
    """A waiting thread.

    Attributes:
        lock: is held until the wait ends.
        until: moment at which it ends by itself.
        is_over: whether something else has ended it that its thread has not noticed yet.
        expired: whether it has ended by itself.
    """

    lock: Any
    until: float
    is_over: Callable[[], bool]
    expired: bool = False


class VirtualTime:
    """Replaces sleeping and the clocks of this process permanently.

    To be installed before the plugin's code is imported, in a process that is thrown away.

    Attributes:
        passed: called with the seconds that a wait has skipped.
        endless: called when the only thread there is waits without a limit, so nothing can wake it.
        due: called when all threads wait, and now and then while they wait in real time; does
            what others do meanwhile, which may end a wait.
        waited_s: how long the main thread has really waited, because others did something else.
    """

    def __init__(self) -> None:
        self.passed: Callable[[float], None] = lambda _: None
        self.endless: Callable[[], None] = lambda: None
        self.due: Callable[[], None] = lambda: None
        self.waited_s = 0.0
        self._skipped = self._back = 0.0
        self._sleep, self._monotonic, self._time = time.sleep, time.monotonic, time.time
        self._waiters: dict[int, _Waiter] = {}
        self._mutex = threading.RLock()
        self._looks = 0

    def install(self) -> None:
        """Replace them."""
        replaced: list[tuple[Any, str, Any]] = [
            (threading.Condition, "wait", _waiting(self, threading.Condition.wait)),
            (threading.Condition, "notify", _notifying(self, threading.Condition.notify)),
            (time, "sleep", self.sleep),
            (time, "monotonic", self.monotonic),
            (time, "time", lambda: self._time() + self._skipped - self._back),
            (threading, "_time", self.monotonic),  # what timed waits reckon with
            (queue, "time", self.monotonic),  # the same for queues
            (_SELECTOR, "select", selecting(self.block, _SELECTOR.select)),  # of event loops
            (subprocess, "time", SimpleNamespace(**vars(time))),  # others do not hurry with us
        ]
        for owner, name, new in replaced:
            setattr(owner, name, new)

    def sleep(self, seconds: float) -> None:
        """``time.sleep`` in virtual time."""
        if threading.active_count() > 1:
            self.block(_held_lock(), seconds)
        else:
            self.due()
            self.skip(seconds)

    def monotonic(self) -> float:
        """``time.monotonic``, with what was skipped."""
        return self._monotonic() + self._skipped

    def skip(self, seconds: float) -> None:
        """Let time pass at once."""
        self._skipped += max(seconds, 0.0)
        self.passed(max(seconds, 0.0))

    def set_back(self, seconds: float) -> None:
        """Set ``time.time`` back, as who corrects a clock does; ``time.monotonic`` goes on."""
        self._back += seconds

    def breathe(self, seconds: float) -> float:
        """Wait if there are other threads that may want to do something; how long."""
        if threading.active_count() == 1:
            return 0.0
        self.sleep(seconds)
        return seconds

    def block(
        self, lock: Any, timeout: float | None, is_over: Callable[[], bool] = lambda: False
    ) -> bool:
        """Wait for a held lock to be released; ``False`` if the time is over first.

        Args:
            lock: what to wait for.
            timeout: seconds, or ``None`` for no limit.
            is_over: whether something has happened that ends the wait as well.
        """
        until = math.inf if timeout is None else self.monotonic() + timeout
        me = _Waiter(lock, until, is_over)
        with self._mutex:
            self._waiters[id(lock)] = me
        try:
            while True:
                self._end_first_wait()
                with self._really_passing():
                    released = lock.acquire(True, max(min(until - self.monotonic(), _LOOK_S), 0))
                if released or self.monotonic() >= until:
                    return released and not me.expired
                self._looks += 1
        finally:
            self.release([lock])

    def outlast(self, lock: Any) -> bool:
        """Let happen what is due; whether that has released a lock that the only thread awaits."""
        self.due()
        return bool(lock.acquire(blocking=False))

    def release(self, locks: Iterable[Any]) -> None:
        """Count who waits for these as awake, even before it has the floor."""
        with self._mutex:
            for lock in locks:
                self._waiters.pop(id(lock), None)

    def _end_first_wait(self) -> None:
        """If all threads wait, advance to the end of the first wait."""
        with self._mutex:
            if self._looks >= _LOOKS or len(self._waiters) == threading.active_count():
                self._looks = 0
                self.due()
            waiters = self._waiters.values()
            if len(waiters) < threading.active_count() or any(w.is_over() for w in waiters):
                return
            first = min(waiters, key=lambda waiter: waiter.until)
            if first.until == math.inf:
                return
            self.skip(first.until - self.monotonic())
            if self._waiters.pop(id(first.lock), None) is not None:  # nothing that fell due woke it
                first.expired = True
                first.lock.release()

    @contextmanager
    def _really_passing(self) -> Iterator[None]:
        """Record a real wait of the main thread as well."""
        begun = self._monotonic()
        yield
        if threading.current_thread() is threading.main_thread():
            waited_s = self._monotonic() - begun
            self.waited_s += waited_s
            self.passed(waited_s)


def _waiting(virtual: VirtualTime, really: Callable[..., bool]) -> Callable[..., bool]:
    """``Condition.wait`` in virtual time."""

    def wait(self: Any, timeout: float | None = None) -> bool:
        alone = threading.active_count() == 1
        if not alone and not self._is_owned():
            raise RuntimeError("cannot wait on un-acquired lock")
        lock, notified = _held_lock(), False
        self._waiters.append(lock)
        saved = self._release_save()
        try:
            notified = virtual.outlast(lock) if alone else virtual.block(lock, timeout)
        finally:
            self._acquire_restore(saved)
            if not notified and lock in self._waiters:
                self._waiters.remove(lock)
        if notified or not alone:
            return notified
        if timeout is not None:
            virtual.skip(timeout)
            return False
        virtual.endless()
        return really(self)

    return wait


def _notifying(virtual: VirtualTime, really: Callable[..., None]) -> Callable[..., None]:
    """``Condition.notify``, which also records that waits have ended."""

    def notify(self: Any, n: int = 1) -> None:
        virtual.release(list(self._waiters)[:n])
        really(self, n)

    return notify


def _held_lock() -> Any:
    lock = threading.Lock()
    lock.acquire()
    return lock
