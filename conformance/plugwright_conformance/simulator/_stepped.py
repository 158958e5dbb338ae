"""Base of task loops that a check advances step by step.

A task that is looked at in the process of the check, under the worker's own loop: retries,
acknowledgements, commits, rewinds and pauses happen as in life.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, Any

from plugwright.errors import PluginError
from plugwright.worker import TaskControl, TaskEnvironment, TaskIdentity
from plugwright_conformance.processes.cpu_share import Patience
from plugwright_conformance.simulator.task_ending import TaskEnding
from plugwright_conformance.subject.names import CONNECTOR

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from plugwright.worker import Conversion

_TURNS = 40
_BREATH_S = 0.005
_WORK_S = 30.0
"""The longest silent computation of a task's child processes, after which a wait ends."""
_WORKER = logging.getLogger("plugwright.worker")


def original(error: Exception) -> BaseException:
    """The plugin's own exception, unwrapped from the loop's."""
    return error.__cause__ or error if isinstance(error, PluginError) else error


class Quiet:
    """The number of turns, and the time, without progress that end a wait.

    Both have to be over: turns alone are over before a thread of the task had its own, and time
    alone, on a busy machine, before the task had any. Time in the queue for a core does not count,
    nor the work of programs that the task has started: some need seconds until their first word.
    Where programs work, seconds in which anything had to wait for a core do not count either.

    Args:
        turns: that have to be over; a usual number by default.
    """

    def __init__(self, turns: int | None = None) -> None:
        self._most = _TURNS if turns is None else turns
        self.heard()

    def heard(self) -> None:
        """Record progress, which restarts the limit."""
        self._turns, self._passed = 0, Patience(os.getpid(), 0.0, work_s=_WORK_S)

    def over(self, seconds: float) -> bool:
        """Whether to give up after one more turn in which nothing has happened."""
        self._turns += 1
        if threading.active_count() > 1:
            time.sleep(_BREATH_S)
        return self._turns > self._most and self._silent_s() > seconds

    def _silent_s(self) -> float:
        return -self._passed.left_s() - self._passed.contended_s()


@contextmanager
def _hushed() -> Iterator[None]:
    """Suppress warnings of the worker, which are about permitted behaviour."""
    level = _WORKER.level
    _WORKER.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        _WORKER.setLevel(level)


class SteppedTask:
    """A task whose loop advances on request.

    Args:
        task: a new instance.
        configs: its configuration.
        conversion: its converters.
        clock: monotonic seconds.
        aloud: whether the worker logs as usual, or nothing.

    Attributes:
        task: the same.
        failed_in: the call in which it has failed, such as ``poll``.
        ended: whether its loop has ended.
    """

    failed_in = ""
    ended = False
    _steps: Iterator[None]

    def __init__(
        self,
        task: object,
        configs: Mapping[str, str],
        conversion: Conversion,
        *,
        clock: Callable[[], float] = time.monotonic,
        aloud: bool = False,
    ) -> None:
        self._manner = nullcontext if aloud else _hushed
        self._conversion, self._clock = conversion, clock
        self._prepare(task, configs)

    def _prepare(self, task: object, configs: Mapping[str, str]) -> None:
        """Make a fresh task the one whose loop comes next."""
        self.task: Any = task
        plugin = f"{type(task).__module__}.{type(task).__qualname__}"
        self.ended, self._status = False, TaskEnding()
        self._environment = TaskEnvironment(
            identity=TaskIdentity(CONNECTOR, 0, plugin, "", ""),
            configs=configs,
            conversion=self._conversion,
            control=TaskControl(),
            status=self._status,
            clock=self._clock,
        )

    def step(self) -> None:
        """Let the loop go round once; the first time it starts the task.

        Raises:
            BaseException: whatever the task has raised for good.
        """
        with self._manner():
            self.ended = next(self._steps, self) is self
        if self.ended:
            self._raise_failure()

    def end(self) -> None:
        """End the loop, which stops the task.

        Raises:
            BaseException: whatever the task has raised for good.
        """
        self._environment.control.stop()
        with self._manner():
            for _ in self._steps:
                pass
        self.ended = True
        self._raise_failure()

    def _raise_failure(self) -> None:
        failure, self._status.failure = self._status.failure, None
        if failure is not None:
            facts = failure.facts if isinstance(failure, PluginError) else {}
            self.failed_in = str(facts.get("phase", ""))
            raise original(failure)
