"""Checks that a stopped task leaves nothing behind."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, cast

from plugwright_conformance.catalogue.check import Check
from plugwright_conformance.catalogue.register import registered
from plugwright_conformance.checks._stepped_tasks import one_life
from plugwright_conformance.checks._stopping import failed_start
from plugwright_conformance.checks.census import changed, left_over, restored, shared_state
from plugwright_conformance.evidence.outcome import CheckFailedError, Evidence, Level
from plugwright_conformance.processes.open_resources import descriptors, threads

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from plugwright.task import Task
    from plugwright_conformance.catalogue.assignment import TaskAssignment
    from plugwright_conformance.catalogue.bench import Bench

_LIVES = 3
_FAILURES = 10
_FEW = 10
_MANY = 100
"""Enough for endpoints that have more than one file, page or segment then."""


class _Keeping:
    """A bench that keeps its tasks, so that none is tidied up by being forgotten.

    Attributes:
        tasks: all that were made.
    """

    def __init__(self, bench: Bench) -> None:
        self._bench = bench
        self.tasks: list[Task] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._bench, name)

    @contextmanager
    def assignment(self, config: Mapping[str, str]) -> Iterator[TaskAssignment]:
        """The work of one task; all tasks that it was given to are kept."""
        with self._bench.assignment(config) as made:
            try:
                yield made
            finally:
                self.tasks += made.tasks


def _live_and_stop(bench: Bench, count: int = _FEW) -> None:
    """One life of connector and task, with an endpoint of its own."""
    with bench.endpoint() as endpoint:
        one_life(bench, endpoint, count)


def _require_nothing_left(
    look: Callable[[], Sequence[str]], act: Callable[[], None], times: int, what: str, scenario: str
) -> None:
    before = look()
    for _ in range(times):
        act()
    if left := left_over(before, look):
        shown = ", ".join(left[:3])
        raise CheckFailedError(
            expected=f"no {what} more than before",
            observed=f"{len(left)} more: {shown}",
            scenario=scenario,
        )


@registered
class NoThreadSurvives(Check):
    """A stopped task leaves no threads behind."""

    id = "CON-RES-01"
    revision = 2
    level = Level.C2
    title = "No thread survives stop"
    why = "A remaining thread may write after the partition has another owner."
    mend = "In stop(), signal every thread to end, and join it."
    origin = "CDT (goleak)"

    def run(self, bench: Bench) -> Evidence:
        """Count threads before and after some lives."""
        _require_nothing_left(
            threads, lambda: _live_and_stop(bench), _LIVES, "thread", f"{_LIVES} lives, stopped"
        )
        return Evidence(_LIVES)


@registered
class NoDescriptorSurvives(Check):
    """A stopped task has closed everything that it opened."""

    id = "CON-RES-02"
    revision = 3
    level = Level.C2
    title = "No socket or file descriptor survives stop"
    why = "A worker that restarts a task every hour runs out of descriptors within a month."
    mend = "Close every client and file in stop()."
    origin = "CDT; NEW"

    def run(self, bench: Bench) -> Evidence:
        """Count descriptors before and after some lives, whose tasks are still there."""
        _live_and_stop(bench, _MANY)
        keeping = _Keeping(bench)
        _require_nothing_left(
            descriptors,
            lambda: _live_and_stop(cast("Bench", keeping), _MANY),
            _LIVES,
            "descriptor",
            f"{_LIVES} lives with {_MANY} values and idle polls, stopped; the stopped tasks are "
            "still referenced",
        )
        return Evidence(_LIVES)


@registered
class FailedStartLeaksNothing(Check):
    """A failed start releases everything."""

    id = "CON-RES-08"
    level = Level.C2
    title = "A failed start leaks nothing"
    why = "A failing task is restarted for ever, and each start leaks."
    mend = "In stop(), release everything that start() acquired before it failed."
    origin = "NEW"

    def run(self, bench: Bench) -> Evidence:
        """Count threads and descriptors over ten failed starts."""

        def fail() -> None:
            with bench.endpoint() as endpoint:
                failed_start(bench, endpoint)

        scenario = f"{_FAILURES} failed starts, each stopped"
        before = threads()
        _require_nothing_left(descriptors, fail, _FAILURES, "descriptor", scenario)
        if left := left_over(before, threads):
            raise CheckFailedError(
                "no additional threads", f"{len(left)} more: {', '.join(left[:3])}", scenario
            )
        return Evidence(_FAILURES)


@registered
class ProcessStateIsLeftAlone(Check):
    """The plugin does not change process-wide state."""

    id = "CON-RES-09"
    revision = 4
    level = Level.C2
    title = "Process-wide state is not changed"
    why = "A socket timeout or decimal context set by one plugin affects all others."
    mend = "Use your own objects: a context, a session, a Random, a logger with your module's name."
    origin = "NEW"

    def run(self, bench: Bench) -> Evidence:
        """Compare what the process shares before and after a life."""
        bench.plugin_class()
        with restored():
            before = shared_state()
            _live_and_stop(bench)
            names = changed(before, shared_state())
        if names:
            raise CheckFailedError(
                expected="the process as it was",
                observed=f"{', '.join(names)} changed",
                scenario="one life of connector and task",
            )
        return Evidence(len(before))
