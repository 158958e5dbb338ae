"""Crash budgets, restart delays and error messages for crashed task processes."""

from __future__ import annotations

import os
import signal
import time
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

from plugwright.errors import ConnectError
from plugwright.retry import doubled_delay_s

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from plugwright.spark._spec import TaskSpec

_NATIVE = frozenset({signal.SIGSEGV, signal.SIGABRT, signal.SIGBUS, signal.SIGFPE, signal.SIGILL})
_OUTSIDE = "between calls of the task"


@dataclass(frozen=True, slots=True)
class CrashBudget:
    """The number of crashes that a task survives within a time window.

    Crashes older than the window do not count.

    Attributes:
        restarts: number of crashes within the window that are followed by a restart.
        window_s: length of the window, in seconds.
        backoff_s: delay of the second restart, in seconds; the first has no delay, and each
            further one doubles it.
        backoff_max_s: maximum delay of a restart, in seconds.
    """

    restarts: int = 10
    window_s: float = 600.0
    backoff_s: float = 1.0
    backoff_max_s: float = 60.0

    def delay_s(self, crashes: int) -> float:
        """The delay after this number of crashes within the window."""
        if crashes <= 1:
            return 0.0
        return min(self.backoff_max_s, doubled_delay_s(self.backoff_s, crashes - 1))


class CrashHistory:
    """The crashes of one task.

    Args:
        budget: the number of crashes that are allowed.
        clock: seconds, from any start.

    Attributes:
        is_explained: whether the last crash has been reported.
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
        """The budget that applies."""
        return self._budget

    @property
    def crashes(self) -> int:
        """The number of crashes within the window."""
        start = self._clock() - self._budget.window_s
        while self._times and self._times[0] <= start:
            self._times.popleft()
        return len(self._times)

    @property
    def is_spent(self) -> bool:
        """Whether the budget is used up."""
        return self.crashes > self._budget.restarts

    @property
    def wait_s(self) -> float:
        """The remaining delay before the next start."""
        return max(0.0, self._due - self._clock())

    def began(self, daemon: str, pid: str) -> None:
        """Record a new process, forked from this daemon."""
        self._process = (daemon, pid)

    def died(self, attempts: int) -> bool:
        """Record that this many of Spark's attempts have ended; whether that was unknown.

        The end of a process is reported in several ways, and counts once.
        """
        fresh = attempts - self._dead
        if fresh <= 0:
            return False
        self._dead = attempts
        self._count(fresh)
        return True

    def broke(self) -> None:
        """Record a crash that ended the Spark job; the next job counts attempts from 0."""
        if self.is_explained:
            self._count(1)
        self.begin_anew()

    def begin_anew(self, attempts: int = 0) -> None:
        """Record that another process continues with the task, without a crash of its own.

        Args:
            attempts: the number of attempts that have ended by then.
        """
        self._dead = attempts

    def end_of_process(self, daemon: str, exits: Mapping[str, tuple[int, str]]) -> Exit:
        """How the last process ended, if a daemon knows."""
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
    """How a process ended, as far as known.

    Attributes:
        status: the wait status, if known.
        phase: the call of the task that was in progress.
        words: Spark's message.
    """

    status: int | None = None
    phase: str = ""
    words: str = ""

    @property
    def is_native(self) -> bool:
        """Whether native code crashed, for which Python has written a stack to Spark."""
        return self.signal in _NATIVE

    @property
    def signal(self) -> signal.Signals | None:
        """The signal that killed it, if any."""
        if self.status is None or not os.WIFSIGNALED(self.status):
            return None
        return signal.Signals(os.WTERMSIG(self.status))

    def __str__(self) -> str:
        """A clause without subject and full stop."""
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
    """The error about a crash of a task's process: which task, how it ended, and what follows."""
    plugin = f"{spec.task_class.module}.{spec.task_class.qualname}"
    budget, crashes = history.budget, history.crashes
    within = f"within {budget.window_s:g} s"
    if history.is_spent:
        next_step = (
            f"It is not restarted: that was crash {crashes} {within}, and "
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
        cause = "check whether the machine or its container ran out of memory"
    elif killer is not None:
        cause = "look for crashing native code in the plugin"
    else:
        cause = "look for the cause in the log, and in Spark's"
    return f"{cause}; then restart the task" if spent else cause
