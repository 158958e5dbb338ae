"""One connector on Spark against the live broker, with operations to wait, kill and stop."""

from __future__ import annotations

import os
import signal
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from plugwright_conformance.evidence.outcome import CheckFailedError, NotRunError
from plugwright_conformance.evidence.process_exit import CRASH, how_ended, kill_met
from plugwright_conformance.processes.quiet_time import QuietTime
from plugwright_conformance.processes.suspension import resume, suspend, suspend_in_call
from plugwright_conformance.subject.engines import RESIDENT, STREAM

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from plugwright.herder import EmbeddedHerder
    from plugwright.spark import ResidentJob, StreamJob, TaskStatus

__all__ = ["Kill", "LiveConnector"]

_STATE_S = 30.0
_LOOK_S = 0.5
_TRIES = 100
_SETTLED_S = 0.05
_ELSEWHERE = (
    "not measured: the process of task {number} is on {place}, and is none that the suite can kill "
    "from here"
)


@dataclass(frozen=True, slots=True)
class Kill:
    """The result of killing a task's process.

    Attributes:
        back_after_s: seconds until the task ran again.
        met: where it was, as far as that is known.
    """

    back_after_s: float
    met: str


@dataclass
class LiveConnector:
    """One connector running on Spark against the live broker.

    Signals are only sent to processes of which `_is_here` says that they are on this machine: the
    number of a process elsewhere may be another's here.
    """

    name: str
    job: ResidentJob | StreamJob
    _herder: EmbeddedHerder
    _note: Callable[..., None]
    _engine: str = RESIDENT
    _is_here: Callable[[TaskStatus], bool] = lambda _: True
    _killed: set[int] = field(default_factory=set)

    @property
    def records(self) -> int:
        """Records that the tasks say they have moved since they last started."""
        return sum(int(status.counters.get("records", 0)) for status in self.job.statuses)

    def await_running(self) -> None:
        """Wait until every task runs.

        Raises:
            CheckFailedError: if a task fails or does not come up in time.
        """
        self.await_tasks(lambda tasks: all(t.state == "RUNNING" for t in tasks), "all RUNNING")

    def await_tasks(self, condition: Callable[[Sequence[TaskStatus]], bool], expected: str) -> None:
        """Wait for the tasks to reach a state.

        Raises:
            CheckFailedError: if a task fails or the state is not reached in time.
            NotRunError: if the machine is too busy to tell, or Spark has no slot for a task.
        """
        from plugwright.spark import NO_SLOT  # noqa: PLC0415  # an extra

        tasks: Sequence[TaskStatus] = ()

        def settled(now: Sequence[TaskStatus]) -> bool:
            nonlocal tasks  # what was waited for may be over when it is looked at again
            tasks = now
            return condition(now) or any(t.state == "FAILED" for t in now)

        limit = QuietTime(_STATE_S)
        while not self.job.wait_for(settled, _LOOK_S) and not limit.is_over():
            pass
        if not condition(tasks):
            states = ", ".join(task.state for task in tasks)
            trace = next((task.trace for task in tasks if task.trace), "")
            if trace.startswith(NO_SLOT):
                raise NotRunError(f"not measured: {trace}")
            raise CheckFailedError(
                expected=f"tasks {expected}",
                observed=f"{states}{': ' + trace if trace else ''}",
                scenario="on Spark against a live broker",
            )

    def kill_task(self, number: int = 0, within: Collection[str] = ()) -> Kill:
        """Kill -9 the Python process of a task, and wait until the task runs again.

        Args:
            number: of the task.
            within: on the resident engine, the calls during which to kill it; "" means between
                calls. A task that is never seen in one of them is killed anywhere.

        Raises:
            CheckFailedError: if it does not come back.
            NotRunError: if its process is on another machine.
        """
        before = self._held(number) if self._engine == STREAM else self._caught(number, within)
        started = time.monotonic()
        os.kill(before.pid, signal.SIGKILL)
        self._killed.add(number)

        def is_back(task: TaskStatus) -> bool:
            if self._engine == STREAM:  # attempts are counted batch by batch
                return task.pid not in {0, before.pid} and task.state == "RUNNING"
            return task.attempt > before.attempt and task.state == "RUNNING"

        try:
            self.await_tasks(lambda tasks: is_back(tasks[number]), "RUNNING again after kill -9")
        finally:
            met = kill_met(before, self.job.statuses[number])
            self._note("kill", f"kill -9 of task {number} of {self.name} {met}", started)
        self._note("back", f"task {number} of {self.name} runs again")
        return Kill(time.monotonic() - started, met)

    def _caught(self, number: int, within: Collection[str]) -> TaskStatus:
        if within:
            suspend_in_call(lambda: self._pids_here(number), within)
        return self._reached(number)

    def _pids_here(self, number: int) -> Sequence[int]:
        task = self.job.statuses[number]
        return [task.pid] if task.pid and self._is_here(task) else []

    def _reached(self, number: int) -> TaskStatus:
        """A task in a process that may be signalled.

        Raises:
            NotRunError: if its process is on another machine.
        """
        while True:
            task = self.job.statuses[number]
            if not task.pid:  # it is being restarted
                self.await_tasks(lambda tasks: bool(tasks[number].pid), "in a process")
            elif self._is_here(task):
                return task
            else:
                time.sleep(_SETTLED_S)  # it may just have ended
                if self.job.statuses[number].pid == task.pid:
                    raise NotRunError(_ELSEWHERE.format(number=number, place=_machine(task)))

    def _held(self, number: int) -> TaskStatus:
        """A task of a stream whose process has a batch, and was stopped in it.

        Between two batches there is no process to kill, and one that is idle takes nothing along.
        """
        for _ in range(_TRIES):
            self.await_tasks(lambda tasks: bool(tasks[number].pid), "at work on a batch")
            found = self.job.statuses[number]
            if not found.pid:
                continue
            if not self._is_here(found):
                found = self._reached(number)
            suspended = suspend([found.pid])
            time.sleep(_SETTLED_S)
            if self.job.statuses[number].pid == found.pid:
                return found
            resume(suspended)
        raise CheckFailedError("a batch that takes a moment", f"{_TRIES} that were over at once")

    def abort_transactions(self) -> None:
        """Abort the open transactions of a source's tasks, which cannot commit any more."""
        self._herder.fence_zombies(self.name)
        self._note("kill", f"the transactions of {self.name} are aborted")

    def note_crashes(self) -> None:
        """Record, per task, the last end of its process that the check did not cause."""
        for number, task in enumerate(self.job.statuses):
            end = task.last_exit
            if end is None or (number in self._killed and end.signal is signal.SIGKILL):
                continue
            self._note(CRASH, f"the process of task {number} of {self.name} {how_ended(end)}")

    def stop(self) -> None:
        """Stop the connector cleanly.

        Raises:
            CheckFailedError: if it does not stop by itself, or a task has failed.
        """
        gracefully = self._herder.stop_connector(self.name)
        failed = [status for status in self.job.statuses if status.state == "FAILED"]
        if failed:
            raise CheckFailedError(
                expected="tasks that end without an error", observed=failed[0].trace
            )
        if not gracefully:
            raise CheckFailedError(
                expected="tasks that stop when asked",
                observed="tasks that had to be killed",
                likely="poll() or put() does not return",
            )


def _machine(task: TaskStatus) -> str:
    return task.daemon.rpartition(":")[0] or "a machine that is not known"
