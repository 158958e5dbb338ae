"""Base class of simulated checks: no network, no JVM, a separate process."""

from __future__ import annotations

from abc import abstractmethod
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from plugwright_conformance.catalogue.check import Check
from plugwright_conformance.evidence.outcome import (
    CheckEnd,
    CheckFailedError,
    Evidence,
    NotApplicableError,
    NotRunError,
)
from plugwright_conformance.evidence.plain_result import read_cells
from plugwright_conformance.simulator.experiment_processes import (
    ExperimentProcessError,
    ExperimentProcesses,
)

if TYPE_CHECKING:
    from plugwright_conformance.catalogue.bench import Bench
    from plugwright_conformance.simulator._experiment import ExperimentFactory

__all__ = ["ExperimentProcessError", "SimulatedCheck"]


class SimulatedCheck(Check):
    """A check that makes its observations in the simulator."""

    detached = True

    def run(self, bench: Bench) -> Evidence:
        """Run the experiment in a new process, and return its verdict."""
        report = _in_experiment_process(bench, self.id, self.budget_s)
        bench.settings.note_all(report.get("settings", {}))
        if "error" in report:
            raise ExperimentProcessError(report["error"], CheckEnd(report.get("ending", "regular")))
        if "not_applicable" in report:
            raise NotApplicableError(report["not_applicable"], read_cells(report["cells"]))
        if "not_run" in report:
            raise NotRunError(report["not_run"])
        plain = report["evidence"]
        evidence = Evidence(**{**plain, "cells": read_cells(plain["cells"])})
        if "failed" in report:
            raise CheckFailedError(evidence=evidence, **report["failed"])
        return evidence

    @abstractmethod
    def experiment(self, factory: ExperimentFactory) -> Evidence:
        """Test the claim, in the experiment's process.

        Raises:
            CheckFailedError: if the plugin does not keep the claim.
            NotApplicableError: if the plugin does not claim the capability.
            NotRunError: if the plugin gives nothing to take hold of.
        """


def _in_experiment_process(bench: Bench, check: str, budget_s: float) -> dict[str, Any]:
    request = {
        "location": str(bench.subject.root.resolve()),
        "plugin": bench.subject.name,
        "workspace": str(bench.directory()),
        "seed": bench.random.getrandbits(64),
        "check": check,
        "records": bench.records,
    }
    with ExitStack() as stack:
        experiment_processes = bench.experiment_processes or stack.enter_context(
            ExperimentProcesses()
        )
        return experiment_processes.report(request, budget_s)
