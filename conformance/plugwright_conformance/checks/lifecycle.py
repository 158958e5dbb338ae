"""Checks of start, stop, idle polls, empty batches and task_configs()."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, ClassVar

from plugwright_conformance.catalogue.check import SINK_ONLY, SOURCE_ONLY, Check
from plugwright_conformance.catalogue.register import registered
from plugwright_conformance.checks._stepped_tasks import (
    config_with_work,
    fresh_task,
    running_sink,
    running_source,
    seeds,
)
from plugwright_conformance.evidence.outcome import CheckFailedError, Evidence, Level
from plugwright_conformance.processes.cpu_share import CpuShare, Patience
from plugwright_conformance.subject.call_budgets import IDLE_POLL_S
from plugwright_conformance.subject.contexts import SourceContext
from plugwright_conformance.subject.names import HOME

if TYPE_CHECKING:
    from collections.abc import Callable

    from plugwright.connector import Connector
    from plugwright_conformance.catalogue.bench import Bench

_STOPS = 3
_IDLE_CPU_SHARE = 0.2
_LIMITS = (1, 2, 3, 7, 64)


def _must_not_raise(call: Callable[[], object], what: str, scenario: str) -> None:
    try:
        call()
    except Exception as error:
        raise CheckFailedError(
            expected=f"{what} to return",
            observed=f"{type(error).__name__}: {error}",
            scenario=scenario,
        ) from error


@registered
class StopIsIdempotent(Check):
    """stop() may be called repeatedly."""

    id = "CON-LIF-02"
    level = Level.C2
    title = "stop() is idempotent"
    why = "A forced shutdown after a graceful one calls stop() again."
    mend = "Release only what is still open, and mark it as released."
    budget_s = 20.0

    def run(self, bench: Bench) -> Evidence:
        """Stop a started connector and a started task several times each."""
        with bench.endpoint() as endpoint:
            config = config_with_work(bench, endpoint)
            with bench.started_connector(config) as connector:
                worker = fresh_task(bench, config)
                worker.step()
                _must_not_raise(worker.end, "stop() number 1 of the task", "after a start")
                for who, first in ((connector, 1), (worker.task, 2)):
                    for number in range(first, _STOPS + 1):
                        what = f"stop() number {number} of {type(who).__name__}"
                        _must_not_raise(who.stop, what, "after a start")
        return Evidence(2 * _STOPS)


@registered
class StopBeforeStart(Check):
    """stop() may be called before start()."""

    id = "CON-LIF-04"
    level = Level.C2
    title = "stop() before start() does not raise"
    why = "The worker stops every task that it created, even if start() was never called."
    mend = "Set every attribute that stop() reads in the constructor."

    def run(self, bench: Bench) -> Evidence:
        """Stop a fresh connector and a fresh task."""
        connector = bench.connector()
        fresh = (connector, connector.task_class()())
        for who in fresh:
            _must_not_raise(who.stop, f"stop() of {type(who).__name__}", "before start()")
        return Evidence(len(fresh))


@registered
class IdlePollIsCalm(Check):
    """Without data, poll() neither hangs nor spins."""

    id = "CON-LIF-10"
    revision = 3
    level = Level.C2
    title = "An idle poll() returns in bounded time without spinning"
    why = "A hanging poll() blocks pause and stop; a spinning one wastes a core."
    mend = "Wait briefly for data, then return nothing."
    kinds = SOURCE_ONLY
    budget_s = 20.0
    idle_s: ClassVar[float] = 2.0

    def run(self, bench: Bench) -> Evidence:
        """Poll an empty endpoint after another task was stopped; watch time and CPU."""
        polls, slowest = 0, 0.0
        with (
            bench.endpoint() as endpoint,
            running_source(bench, config_with_work(bench, endpoint), SourceContext()) as task,
        ):
            task.step()
            while task.taken():  # what there may be, until there is nothing
                task.step()
            self._start_and_stop_another(bench)
            begun, cpu = time.monotonic(), CpuShare()
            while time.monotonic() - begun < self.idle_s:
                took = Patience(os.getpid(), 0.0)
                task.step()
                polls += 1
                slowest = max(slowest, -took.left_s())
            share = cpu.so_far()
        if slowest > IDLE_POLL_S:
            raise CheckFailedError(
                expected=f"poll() to return within {IDLE_POLL_S:g} s",
                observed=f"{slowest:.1f} s",
                scenario="no data",
            )
        if share > _IDLE_CPU_SHARE:
            raise CheckFailedError(
                expected=f"at most {_IDLE_CPU_SHARE:.0%} of a core while idle",
                observed=f"{share:.0%} of a core, {polls} polls in {self.idle_s:g} s",
                scenario="no data, after another task of the class was stopped",
                likely="poll() returns at once instead of waiting briefly, or tasks share what "
                "stop() sets",
            )
        return Evidence(polls, figures={"polls": polls, "cpu_percent": round(share * 100)})

    @staticmethod
    def _start_and_stop_another(bench: Bench) -> None:
        """Another task of the class, with an endpoint of its own."""
        with (
            bench.endpoint() as endpoint,
            running_source(bench, config_with_work(bench, endpoint), SourceContext()) as task,
        ):
            task.step()


@registered
class EmptyBatchesAreAccepted(Check):
    """An empty batch has no effect."""

    id = "CON-LIF-11"
    level = Level.C2
    title = "Empty batches are accepted"
    why = "The runtime calls put() with no records so that time-based flushing works."
    mend = "Return early if there are no records."
    kinds = SINK_ONLY

    def run(self, bench: Bench) -> Evidence:
        """Put nothing, commit nothing, and look at the endpoint."""
        with bench.endpoint() as endpoint:
            before = list(endpoint.driver.read_back())
            with running_sink(bench, bench.config(endpoint), [HOME]) as task:
                for _ in range(_STOPS):
                    _must_not_raise(task.step, "put([])", "after open()")
                _must_not_raise(task.ask, "pre_commit()", "nothing was put")
            after = list(endpoint.driver.read_back())
        if after != before:
            raise CheckFailedError(
                expected="an unchanged endpoint", observed=f"{len(after) - len(before)} more values"
            )
        return Evidence(3)


@registered
class TaskConfigsStayInBounds(Check):
    """task_configs() respects the maximum number of tasks."""

    id = "CON-PAR-01"
    revision = 2
    level = Level.C2
    title = "task_configs(n) returns at most n configurations, and at least one if there is work"
    why = "More tasks than allowed fail the connector (KIP-1004)."
    mend = "Group the work into at most max_tasks parts."

    def run(self, bench: Bench) -> Evidence:
        """Ask for several limits, also over what a source has to read."""
        with bench.endpoint() as endpoint:
            config = bench.config(endpoint)
            source = bench.subject.kind == "source"
            with bench.started_connector(config) as connector:
                self._require_bounds(connector, 0 if source else 1)
            if source:
                endpoint.driver.seed(seeds(bench, 3))
                with bench.started_connector(config) as connector:
                    self._require_bounds(connector, 1)
        return Evidence(len(_LIMITS))

    @staticmethod
    def _require_bounds(connector: Connector, least: int) -> None:
        for limit in _LIMITS:
            found = len(connector.task_configs(limit))
            if not least <= found <= limit:
                raise CheckFailedError(
                    expected=f"{least} to {limit} configurations",
                    observed=str(found),
                    scenario=f"task_configs({limit})",
                )
