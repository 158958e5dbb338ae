"""Checks of what many restarts leave behind."""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from typing import TYPE_CHECKING

from plugwright_conformance.catalogue.register import registered
from plugwright_conformance.checks._stepped_tasks import (
    one_life,
    running_sink,
    running_source,
    seeds,
)
from plugwright_conformance.checks.census import left_over
from plugwright_conformance.evidence.outcome import CheckFailedError, Evidence, Level
from plugwright_conformance.processes.open_resources import children, descriptors, threads
from plugwright_conformance.processes.temporary import kept_in
from plugwright_conformance.simulator import SimulatedCheck
from plugwright_conformance.subject.contexts import SourceContext, sink_records
from plugwright_conformance.subject.names import HOME

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plugwright_conformance.catalogue.bench import Bench
    from plugwright_conformance.simulator import ExperimentFactory

_LIVES = 2
_SETTLED, _CYCLES = 5, 50


@registered
class NothingElseSurvives(SimulatedCheck):
    """A stopped task leaves no child process and no temporary file behind."""

    id = "CON-RES-03"
    level = Level.C2
    wave = 2
    title = "No child process or temporary file survives stop"
    why = (
        "Child processes and temporary files of every restart add up until the machine has "
        "none left."
    )
    mend = "In stop(), end and wait for child processes, and remove temporary files."
    origin = "NEW"

    def experiment(self, factory: ExperimentFactory) -> Evidence:
        """Count processes and temporary files before and after some lives."""
        bench, moved = factory.bench, 0
        with kept_in(bench.directory()) as scratch:
            for _ in range(_LIVES):
                with bench.endpoint() as endpoint:
                    before, there = children(), {*scratch.rglob("*")}
                    moved += one_life(bench, endpoint)
                    helpers = left_over(before, children)
                    files = sorted({*scratch.rglob("*")} - there)
                for helper in helpers:
                    with suppress(ProcessLookupError):
                        os.kill(int(helper.split()[0]), signal.SIGKILL)
                self._require_none([*helpers, *map(str, files)])
        return Evidence(moved)

    @staticmethod
    def _require_none(left: Sequence[str]) -> None:
        if left:
            raise CheckFailedError(
                expected="no additional processes and temporary files",
                observed=f"{len(left)} more: {', '.join(left[:3])}",
                scenario="one life of connector and task, stopped",
            )


@registered
class RestartsAreStable(SimulatedCheck):
    """Threads and descriptors do not accumulate over many restarts."""

    id = "CON-RES-07"
    level = Level.C3
    wave = 2
    title = "50 start/stop cycles leave nothing behind"
    why = "A failing task may restart for weeks; occasional leaks add up."
    mend = "In stop(), close everything that start(), poll() or put() opened, every time."
    origin = "pubsub#204"
    budget_s = 180.0

    def experiment(self, factory: ExperimentFactory) -> Evidence:
        """Compare threads and descriptors after 5 lives with those after 50."""
        bench = factory.bench
        for _ in range(_SETTLED):
            self._live(bench)
        before = {"thread": threads(), "descriptor": descriptors()}
        for _ in range(_SETTLED, _CYCLES):
            self._live(bench)
        for what, look in (("thread", threads), ("descriptor", descriptors)):
            if left := left_over(before[what], look):
                raise CheckFailedError(
                    expected=f"as many {what}s as after {_SETTLED} lives",
                    observed=f"{len(left)} more than after {_SETTLED}: {', '.join(left[:3])}",
                    scenario=f"{_CYCLES} lives of connector and task, each stopped",
                )
        return Evidence(_CYCLES)

    @staticmethod
    def _live(bench: Bench) -> None:
        """A short life with a little to do."""
        with bench.endpoint() as endpoint:
            config = bench.config(endpoint)
            if bench.subject.kind == "source":
                endpoint.driver.seed(seeds(bench, 3))
                with running_source(bench, config, SourceContext()) as source:
                    source.step()
            else:
                with running_sink(bench, config, [HOME]) as sink:
                    sink.put(sink_records(bench.ledger().enter(1), HOME))
                    sink.ask()
