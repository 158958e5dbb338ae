"""How often the process of a task may crash, how long its restart waits, and what is said of it."""

from __future__ import annotations

import os
import signal
import time
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

from plugwright.errors import ConnectError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from plugwright.spark._spec import TaskSpec

_DOUBLINGS = 40
_NATIVE = frozenset({signal.SIGSEGV, signal.SIGABRT, signal.SIGBUS, signal.SIGFPE, signal.SIGILL})
_OUTSIDE = "between calls of the task"


@dataclass(frozen=True, slots=True)
class CrashBudget:
    """How often the process of one task may crash before the task fails for good.

    A crash is forgotten when it is older than the window, so that a task that has been well for
    that long begins anew.

    Attributes:
        restarts: how many crashes within the window are followed by a restart.
        window_s: the window, in seconds.
        backoff_s: how long the second restart waits, in seconds; the first comes at once, and each
            further one waits twice as long as the one before.
        backoff_max_s: how long a restart waits at most, in seconds.
    """

    restarts: int = 10
    window_s: float = 600.0
    backoff_s: float = 1.0
    backoff_max_s: float = 60.0

    def delay_s(self, crashes: int) -> float:
        """How long to wait after so many crashes within the window."""
        if crashes <= 1:
            return 0.0
        return min(self.backoff_max_s, self.backoff_s * 2.0 ** min(crashes - 2, _DOUBLINGS))


class CrashHistory:
    """The crashes of one task.

    Args:
        budget: how many there may be.
        clock: seconds, from any start.

    Attributes:
        is_explained: whether somebody has been told of the last one.
    """

    def __init__(self, budget: CrashBudget, clock: Callable[[], float] = time.monotonic) -> None:
        self._budget = budget
        self._clock = clock
        self._times: deque[float] = deque()
        self._dead = 0
        self._due = 0.0
        self._process = ("", "")
        self.is_explained = True

    @property
    def budget(self) -> CrashBudget:
        """What it is measured against."""
        return self._budget

    @property
    def crashes(self) -> int:
        """How many there were within the window."""
        start = self._clock() - self._budget.window_s
        while self._times and self._times[0] <= start:
            self._times.popleft()
        return len(self._times)

    @property
    def is_spent(self) -> bool:
        """Whether the budget is."""
        return self.crashes > self._budget.restarts

    @property
    def wait_s(self) -> float:
        """How long the next start has to wait from now."""
        return max(0.0, self._due - self._clock())

    def began(self, daemon: str, pid: str) -> None:
        """A process has begun, which this daemon forked."""
        self._process = (daemon, pid)

    def died(self, attempts: int) -> bool:
        """Take note that the first so many of Spark's attempts are over; whether that is news.

        The end of a process is heard of in several ways, and counts once.
        """
        fresh = attempts - self._dead
        if fresh <= 0:
            return False
        self._dead = attempts
        self._count(fresh)
        return True

    def broke(self) -> None:
        """The Spark job has ended with the process in it; the next job counts attempts from 0."""
        if self.is_explained:
            self._count(1)
        self.begin_anew()

    def begin_anew(self) -> None:
        """Another Spark job runs the task, through no fault of it."""
        self._dead = 0

    def end_of_process(self, daemon: str, exits: Mapping[str, tuple[int, str]]) -> Exit:
        """How the last process ended, as far as a daemon knows that."""
        former, pid = self._process
        if former != daemon or pid not in exits:
            return Exit()
        status, phase = exits[pid]
        return Exit(status, phase)

    def _count(self, crashes: int) -> None:
        now = self._clock()
        self._times.extend([now] * min(crashes, self._budget.restarts + 1))
        self._due = now + self._budget.delay_s(self.crashes)
        self.is_explained = False


@dataclass(frozen=True, slots=True)
class Exit:
    """What is known of the end of a process.

    Attributes:
        status: as ``waitpid`` gives it, if it is known.
        phase: which call of the task it was in.
        words: what Spark says of it.
    """

    status: int | None = None
    phase: str = ""
    words: str = ""

    @property
    def is_native(self) -> bool:
        """Whether native code failed, of which Python has written a stack to Spark."""
        return self.signal in _NATIVE

    @property
    def signal(self) -> signal.Signals | None:
        """What killed it, if a signal did."""
        if self.status is None or not os.WIFSIGNALED(self.status):
            return None
        return signal.Signals(os.WTERMSIG(self.status))

    def __str__(self) -> str:
        """One sentence without its subject and full stop."""
        if (killer := self.signal) is not None:
            how = f"was killed by {killer.name}"
        elif self.status is not None:
            how = f"exited with code {os.waitstatus_to_exitcode(self.status)}"
        elif self.words:
            return f"ended unexpectedly: {self.words}"
        else:
            how = "ended unexpectedly"
        where = f" in {self.phase}" if self.phase else f" {_OUTSIDE}"
        stack = f"\n{self.words}" if self.words else ""
        return f"{how}{where if self.status is not None else ''}{stack}"


def crash_error(spec: TaskSpec, history: CrashHistory, end: Exit) -> ConnectError:
    """What a person reads about the crash of a task's process: who, how, and what comes next."""
    plugin = f"{spec.task_class.module}.{spec.task_class.qualname}"
    budget, crashes = history.budget, history.crashes
    within = f"within {budget.window_s:g} s"
    if history.is_spent:
        next_step = (
            f"It is not started again: that was crash {crashes} {within}, and "
            f"task.crash.restarts.max allows {budget.restarts} restarts."
        )
    else:
        when = f"in {round(history.wait_s, 2):g} s" if history.wait_s else "at once"
        next_step = f"Restart {crashes} of {budget.restarts} {within} comes {when}."
    return ConnectError(
        f"the process of task {spec.connector}-{spec.task}, {plugin} {spec.version} from "
        f"{spec.location or 'the installed packages'}, {end}\n{next_step}",
        code="task.crashed",
        hint=_hint(end, spent=history.is_spent),
        facts={
            "task": f"{spec.connector}-{spec.task}",
            "plugin": plugin,
            "version": spec.version,
            "location": spec.location,
            "phase": end.phase,
            "status": end.status,
            "crashes": crashes,
            "restarts": budget.restarts,
        },
    )


def _hint(end: Exit, *, spent: bool) -> str:
    killer = end.signal
    if killer is signal.SIGKILL:
        cause = "look whether the machine or its container ran out of memory"
    elif killer is not None:
        cause = "look for native code of the plugin that fails"
    else:
        cause = "look what ends the process, in the log of Spark too"
    return f"{cause}; then restart the task" if spent else cause
