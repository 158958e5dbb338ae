"""Threads that run one at a time in virtual time, so that a run is a function of its seed.

A fiber goes on until it waits. Then a seeded choice among those that can go on is next. Time passes
only when no fiber can go on: then the next timer goes off at once.
"""

from __future__ import annotations

import heapq
import random
import threading
import time
from collections import deque
from types import SimpleNamespace

from greenlet import GreenletExit, getcurrent, greenlet

_EPOCH_S = 1_700_000_000.0
_GIVES_WAY = 0.02


class StuckError(Exception):
    """No fiber can go on, and no timer is left."""


class Fiber:
    """A thread of the simulation, with the interface of `threading.Thread`."""

    def __init__(self, fibers, target=None, args=(), *, name="", daemon=None):
        self._fibers = fibers
        self._work = (target, args)
        self.name, self.daemon = name, daemon
        self.ended = False
        self.begun = False
        self.waits = False
        self.seat = None
        self._joining = []

    def start(self):
        """Be among those that can go on."""
        self.begun = True
        self._fibers.begin(self)

    def run(self):
        """Do the work; an error of it is kept for the one who asks for the end of the run."""
        target, args = self._work
        try:
            target(*args)
        except Exception as error:  # noqa: BLE001  # the run fails with it
            self._fibers.errors.append(error)
        self.ended = True
        joining, self._joining = self._joining, []
        for each in joining:
            self._fibers.wake(each)

    def join(self, timeout=None):
        """Wait for the end."""
        if not self.ended:
            me = self._fibers.current
            self._joining.append(me)
            self._fibers.wait(timeout)
            if me in self._joining:
                self._joining.remove(me)

    def is_alive(self):
        """Whether it has begun and not ended."""
        return self.begun and not self.ended


class Fibers:
    """The fibers of one run, and its time.

    Args:
        seed: of every choice.

    Attributes:
        now: seconds since the begin of the run.
        random: of the seed.
        errors: what fibers raised.
        switches: how often another fiber went on.
    """

    def __init__(self, seed):
        self.random = random.Random(seed)  # noqa: S311  # it is to be repeatable
        self.now, self.errors, self.switches = 0.0, [], 0
        self.current = None
        self._ready, self._timers, self._count = [], [], 0
        self._seats, self._idle, self._next_of = [], [], {}
        self._over = False

    def run(self, main):
        """Run ``main`` as the first fiber; returns its result. The others end with it."""
        found = Future(self)
        self._hub = getcurrent()

        def first():
            try:
                found.set_result(main())
            except Exception as error:  # noqa: BLE001  # of the caller
                found.set_exception(error)

        leading = Fiber(self, first, name="main")
        leading.start()
        try:
            while not leading.ended:
                self.current = self._next()
                self.switches += 1
                self.current.seat.switch()
        finally:
            self._over = True
            for seat in self._seats:
                seat.throw()
        return found.result()

    def begin(self, fiber):
        """Let a fiber take part."""
        if self._idle:
            fiber.seat = self._idle.pop()
        else:
            # All of them start from the hub: those that start from each other pile up their stacks.
            fiber.seat = greenlet(self._serve, self._hub)
            self._seats.append(fiber.seat)
        self._next_of[fiber.seat] = fiber
        self._ready.append(fiber)

    def wake(self, fiber):
        """Let a waiting fiber go on."""
        if fiber.waits:
            fiber.waits = False
            self._ready.append(fiber)

    def wait(self, timeout=None):
        """Wait until woken, or for some time; whether it was woken."""
        me = self.current
        me.waits = True
        if timeout is not None:
            expired = [False]

            def expire():
                if me.waits:
                    expired[0] = True
                    self.wake(me)

            timer = self.later(timeout, expire)
        self._give_way()
        if timeout is None:
            return True
        timer.action = None
        return not expired[0]

    def sleep(self, seconds):
        """Let time pass."""
        self.wait(max(seconds, 0.0))

    def later(self, seconds, action):
        """Call a function that does not wait after some time; its ``action`` may be taken away."""
        self._count += 1
        timer = SimpleNamespace(action=action)
        heapq.heappush(self._timers, (self.now + max(seconds, 0.0), self._count, timer))
        return timer

    def give_way(self):
        """Let others go first, now and then."""
        if self._ready and self.random.random() < _GIVES_WAY:
            self._ready.append(self.current)
            self._give_way()

    def _serve(self):
        """Run one fiber after another."""
        seat = getcurrent()
        while True:
            self._next_of.pop(seat).run()
            self._idle.append(seat)
            self._give_way()

    def _give_way(self):
        if self._over:
            raise GreenletExit
        self._hub.switch()

    def _next(self):
        ready = self._ready
        while not ready:
            if not self._timers:
                raise StuckError("every fiber waits, and no timer is left")
            at, _, timer = heapq.heappop(self._timers)
            if timer.action is not None:
                self.now = max(self.now, at)
                timer.action()
        chosen = int(self.random.random() * len(ready))
        ready[chosen], ready[-1] = ready[-1], ready[chosen]
        return ready.pop()


class Lock:
    """`threading.Lock`, and `threading.RLock` if it may be taken again."""

    def __init__(self, fibers, *, again=False):
        self._fibers, self._again = fibers, again
        self._owner, self._depth = None, 0
        self._queue = deque()

    def acquire(self, blocking=True, timeout=-1):
        """Take it."""
        fibers = self._fibers
        me = fibers.current
        if self._again and self._owner is me:
            self._depth += 1
            return True
        if self._owner is not None:
            if not blocking:
                return False
            self._queue.append(me)
            if not fibers.wait(None if timeout < 0 else timeout) and self._owner is not me:
                self._queue.remove(me)
                return False
            return True  # handed over with depth 1
        fibers.give_way()
        if self._owner is not None:  # meanwhile
            return self.acquire(blocking, timeout)
        self._owner, self._depth = me, 1
        return True

    def release(self):
        """Hand it to the one who has waited longest."""
        if self._owner is not self._fibers.current:
            raise RuntimeError("released by another fiber")
        self._depth -= 1
        if not self._depth:
            self._hand_over()

    def locked(self):
        """Whether anybody has it."""
        return self._owner is not None

    def owned(self):
        """Whether the present fiber has it."""
        return self._owner is self._fibers.current

    def let_go(self):
        """Release it however often it was taken; how often that was."""
        depth, self._depth = self._depth, 0
        self._hand_over()
        return depth

    def take_back(self, depth):
        """The opposite of `let_go`."""
        self.acquire()
        self._depth = depth

    def _hand_over(self):
        self._owner = None
        if self._queue:
            self._owner, self._depth = self._queue.popleft(), 1
            self._fibers.wake(self._owner)

    def __enter__(self):
        return self.acquire()

    def __exit__(self, *_):
        self.release()


class Condition:
    """`threading.Condition`."""

    def __init__(self, fibers, lock=None):
        self._fibers = fibers
        self._lock = lock or Lock(fibers, again=True)
        self._waiting = deque()
        self.acquire, self.release = self._lock.acquire, self._lock.release

    def wait(self, timeout=None):
        """Wait to be notified."""
        if not self._lock.owned():
            raise RuntimeError("cannot wait on un-acquired lock")
        me = self._fibers.current
        self._waiting.append(me)
        depth = self._lock.let_go()
        woken = self._fibers.wait(timeout)
        if not woken and me in self._waiting:
            self._waiting.remove(me)
        self._lock.take_back(depth)
        return woken

    def wait_for(self, predicate, timeout=None):
        """Wait until something is so."""
        until = None if timeout is None else self._fibers.now + timeout
        while not (found := predicate()):
            left = None if until is None else until - self._fibers.now
            if left is not None and left <= 0:
                break
            self.wait(left)
        return found

    def notify(self, n=1):
        """Wake some."""
        for _ in range(min(n, len(self._waiting))):
            self._fibers.wake(self._waiting.popleft())

    def notify_all(self):
        """Wake all."""
        self.notify(len(self._waiting))

    def __enter__(self):
        return self._lock.acquire()

    def __exit__(self, *_):
        self._lock.release()


class Event:
    """`threading.Event`."""

    def __init__(self, fibers):
        self._fibers, self._set, self._waiting = fibers, False, []

    def is_set(self):
        """Whether it is."""
        return self._set

    def set(self):
        """Wake all who wait."""
        self._set = True
        waiting, self._waiting = self._waiting, []
        for each in waiting:
            self._fibers.wake(each)

    def clear(self):
        """Let others wait again."""
        self._set = False

    def wait(self, timeout=None):
        """Wait for it."""
        if not self._set:
            me = self._fibers.current
            self._waiting.append(me)
            self._fibers.wait(timeout)
            if me in self._waiting:
                self._waiting.remove(me)
        return self._set


class Timer:
    """`threading.Timer`."""

    def __init__(self, fibers, seconds, work):
        self._fibers, self._seconds, self._work = fibers, seconds, work
        self.daemon = True

    def start(self):
        """Call it in a fiber of its own, as it may wait."""
        self._timer = self._fibers.later(self._seconds, self._fall_due)

    def cancel(self):
        """Do not."""
        self._timer.action = None

    def _fall_due(self):
        Fiber(self._fibers, self._work, name="timer").start()


class Future:
    """`concurrent.futures.Future`, as far as it is used."""

    def __init__(self, fibers):
        self._done, self._found = Event(fibers), (None, None)

    def set_result(self, result):
        """Be done."""
        self._found = result, None
        self._done.set()

    def set_exception(self, error):
        """Have failed."""
        self._found = None, error
        self._done.set()

    def result(self, timeout=None):
        """Wait for the result."""
        self._done.wait(timeout)
        result, error = self._found
        if error is not None:
            raise error
        return result


class Pool:
    """`concurrent.futures.ThreadPoolExecutor`, as far as it is used."""

    def __init__(self, fibers, workers):
        self._fibers, self._workers = fibers, workers

    def map(self, work, items):
        """The results in order, of so many calls at a time."""
        waiting = deque((Future(self._fibers), item) for item in items)
        futures = [future for future, _ in waiting]

        def serve():
            while waiting:
                future, item = waiting.popleft()
                try:
                    future.set_result(work(item))
                except Exception as error:  # noqa: BLE001  # the caller gets it
                    future.set_exception(error)

        for _ in range(min(self._workers, len(futures))):
            Fiber(self._fibers, serve, name="pool").start()
        return (future.result() for future in futures)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        """Its user has asked for all results."""


def threading_of(fibers):
    """What stands for the module `threading`."""

    def bound(kind, **more):
        return lambda *args, **kwargs: kind(fibers, *args, **kwargs, **more)

    return SimpleNamespace(
        Thread=bound(Fiber),
        Lock=bound(Lock),
        RLock=bound(Lock, again=True),
        Condition=bound(Condition),
        Event=bound(Event),
        Timer=bound(Timer),
        TIMEOUT_MAX=threading.TIMEOUT_MAX,
        current_thread=lambda: fibers.current,
        get_ident=lambda: id(fibers.current),
        local=threading.local,
    )


def time_of(fibers):
    """What stands for the module `time`; threads of earlier tests see the real one."""
    simulated = threading.get_ident()

    def unless_real(virtual, real):
        def function(*args):
            return (virtual if threading.get_ident() == simulated else real)(*args)

        return function

    names = {**vars(time)}
    names |= {
        "monotonic": unless_real(lambda: fibers.now, time.monotonic),
        "time": unless_real(lambda: _EPOCH_S + fibers.now, time.time),
        "sleep": unless_real(fibers.sleep, time.sleep),
    }
    return SimpleNamespace(**names)
