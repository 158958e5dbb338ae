"""Monitors one task from a separate thread, because a task that hangs cannot report it.

A call into the plugin at start-up has a time limit; any other one may take any time, as in
Kafka Connect, but a warning is logged. If no thread of the process can run, a timer
of Python's ends it, which needs no thread.
"""

from __future__ import annotations

import faulthandler
import logging
import os
import threading
import time
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple, Self

from plugwright.errors import PluginError
from plugwright.origin import name_origin
from plugwright.thread_stack import thread_stack

if TYPE_CHECKING:
    from collections.abc import Callable

    from plugwright.spark._spec import TaskSpec

log = logging.getLogger(__name__)

STARTUP = frozenset(
    {
        "constructor",
        "configuration of its converters",
        "configuration of its transformations",
        "initialize",
        "start",
    }
)
_STDERR = 2
_LOOK_S = 1.0
_LOOK_AT_STOP_S = 0.1
_BUSY_S = 0.25
_RENEW_S = 5.0


class _Call(NamedTuple):
    phase: str
    since: float


class Watchdog:
    """Tracks the calls into the plugin that are in progress, by thread.

    Args:
        spec: the task, with its limits.
        fail: receives the error of a task that is given up; the process ends after that.
        busy: receives, once the task should stop, the activity that keeps it from it.
        end: ends the process.
        clock: monotonic seconds.

    Must be created on the thread that runs the task.
    """

    def __init__(
        self,
        spec: TaskSpec,
        fail: Callable[[Exception], None],
        busy: Callable[[str], None],
        end: Callable[[], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._spec = spec
        self._fail = fail
        self._busy = busy
        self._end = end
        self._clock = clock
        self._calls: dict[int, _Call] = {}
        self._warned: set[_Call] = set()
        self._reported_polls = False
        self._asked: float | None = None
        self._reported_busy = ""
        self._ended = False
        self._starts = True
        self._news = threading.Event()
        self._runner = threading.get_ident()
        self._thread = threading.Thread(target=self._watch, name="task-watchdog", daemon=True)
        self._renewed = -_RENEW_S
        self._stderr = _STDERR

    def __enter__(self) -> Self:
        # Output from now on may be written by a thread here, which does not work in a process in
        # which no thread can run.
        self._stderr = os.dup(_STDERR)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended = True
        self._news.set()
        self._thread.join(_LOOK_S)
        faulthandler.cancel_dump_traceback_later()
        if not self._thread.is_alive():
            os.close(self._stderr)

    def enter(self, phase: str) -> None:
        """Record the plugin call of this thread, or "" for none."""
        if phase:
            self._starts = phase in STARTUP
            self._calls[threading.get_ident()] = _Call(phase, self._clock())
        else:
            self._calls.pop(threading.get_ident(), None)

    def stopping(self) -> None:
        """Record that the task was asked to stop."""
        self._asked = self._clock()
        self._news.set()

    def look(self) -> None:
        """Check every call that is in progress, once."""
        now = self._clock()
        for thread, call in list(self._calls.items()):
            took = now - call.since
            limit = self._spec.startup_timeout_s
            if call.phase in STARTUP and limit and took > limit:
                self._give_up(thread, call, limit)
            elif self._is_worth_a_warning(call, took):
                self._warn(thread, call, took)
        if self._asked is not None and now - self._asked > _BUSY_S:
            self._tell_busy(now)

    def _watch(self) -> None:
        while not self._ended:
            with suppress(MemoryError, RuntimeError):  # the plugin's; it may pass
                self._renew_timer()
                self.look()
            self._news.wait(self._pause_s())
            self._news.clear()

    def _pause_s(self) -> float:
        """The time until the next look: short while calls have a limit, or the task should stop."""
        if self._asked is not None:
            return _LOOK_AT_STOP_S
        return _LOOK_S if self._starts else _RENEW_S

    def _renew_timer(self) -> None:
        """Postpone the end of the process, which comes if no thread can run for too long."""
        now, limit = self._clock(), self._spec.call_warning_s
        if limit and now - self._renewed >= _RENEW_S:
            faulthandler.dump_traceback_later(limit + _RENEW_S, exit=True, file=self._stderr)
            self._renewed = now

    def _give_up(self, thread: int, call: _Call, limit: float) -> None:
        error = PluginError(
            f"{self._spec.plugin} {self._spec.version} failed in {call.phase}: it did not return "
            f"within {limit:g} s",
            code="plugin.task-timeout",
            hint="fix what it waits for, or raise task.startup.timeout.ms; then restart the task",
            facts={
                "task": f"{self._spec.connector}-{self._spec.task}",
                "plugin": self._spec.plugin,
                "version": self._spec.version,
                "location": self._spec.location,
                "phase": call.phase,
            },
        )
        name_origin(error, self._spec.origin(call.phase))
        error.add_note(f"current stack:\n{thread_stack(thread)}")
        self._fail(error)
        self._end()

    def _is_worth_a_warning(self, call: _Call, took: float) -> bool:
        if not self._spec.call_warning_s or took < self._spec.call_warning_s:
            return False
        if call.phase == "poll":  # may block for as long as there are no records
            fresh, self._reported_polls = not self._reported_polls, True
            return fresh
        fresh = call not in self._warned
        self._warned = {call} if fresh else self._warned
        return fresh

    def _warn(self, thread: int, call: _Call, took: float) -> None:
        log.warning(
            "task %s-%d has been in %s for %.0f s: %s; current stack:\n%s",
            self._spec.connector,
            self._spec.task,
            call.phase,
            took,
            self._spec.origin(call.phase),
            thread_stack(thread),
        )

    def _tell_busy(self, now: float) -> None:
        """Report what keeps the task from stopping, whenever that changes."""
        thread, phase = self._runner, "none: the runtime is at work"
        for caller, call in list(self._calls.items()):
            if now - call.since > _BUSY_S:
                thread, phase = caller, call.phase
        if phase != self._reported_busy:
            self._reported_busy = phase
            self._busy(f"{self._spec.origin(phase)}\ncurrent stack:\n{thread_stack(thread)}")
