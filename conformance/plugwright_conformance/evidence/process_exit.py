"""Describes how a task's process ended unexpectedly."""

from __future__ import annotations

import os
import signal
from dataclasses import replace
from typing import TYPE_CHECKING

from plugwright.processes import ending
from plugwright.worker import CONVERTING
from plugwright_conformance.evidence.outcome import Outcome

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plugwright.spark import Exit, TaskStatus
    from plugwright_conformance.evidence.outcome import CheckResult, LiveEvent

__all__ = ["BETWEEN_CALLS", "CRASH", "MEND", "how_ended", "kill_met", "with_crashes", "within"]

BETWEEN_CALLS = ("", CONVERTING)
"""The phases in which no method of the task runs, and it holds no lock at its endpoint."""

CRASH = "crash"
"""The kind of event for a task's process that ended without being killed by a check."""

MEND = (
    "Raise a ConnectError instead of ending the process, in which others work too; if it is not "
    "your own code, look for native code that fails, or for a want of memory."
)


def within(phase: str) -> str:
    """The plugin call during which a process ended, by its last phase mark."""
    if not phase:
        return "between calls of the task"
    return f"in {phase}()" if phase.isidentifier() else f"in {phase}"


def how_ended(end: Exit) -> str:
    """Describe how a process ended."""
    if end.status is not None:
        return f"{ending(os.waitstatus_to_exitcode(end.status))} {within(end.phase)}"
    words = end.words.strip().splitlines()
    return f"ended, and it is not known how{f': {words[0]}' if words else ''}"


def kill_met(before: TaskStatus, after: TaskStatus) -> str:
    """The position in the task at which it was killed, as far as known.

    Its process records its calls into the plugin, and reports its commits periodically.

    Args:
        before: the task, when it was killed.
        after: the task, when it ran again.
    """
    end, commits = after.last_exit, before.counters.get("commits")
    known = end is not None and end.signal is signal.SIGKILL
    where = within(end.phase) if end and known else "at a place that is not known"
    if commits is None:
        return f"{where}; of its commits nothing is known"
    when = f"after its commit {commits:g} or a later one" if commits else "with no commit heard of"
    return f"{where}, {when}"


def with_crashes(result: CheckResult, events: Sequence[LiveEvent]) -> CheckResult:
    """A failure, with the ends of processes that may have led to it."""
    crashes = [event.text for event in events if event.kind == CRASH]
    if result.outcome is not Outcome.FAIL or not crashes:
        return result
    words = "".join(f"; {text}" for text in crashes)
    return replace(
        result,
        observed=f"{result.observed}{words}",
        message=f"{result.message}{words}",
        mend=f"{MEND} {result.mend}".strip(),
    )
