"""Checks whose scenario runs in the simulator: no network, no JVM, and a process of its own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from abc import abstractmethod
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import plugwright
import plugwright_conformance
import plugwright_toolkit
from plugwright_conformance.check import Check
from plugwright_conformance.outcome import (
    Cell,
    CheckFailedError,
    Evidence,
    NotApplicableError,
    NotRunError,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plugwright_conformance.bench import Bench
    from plugwright_conformance.simulator._laboratory import Laboratory

__all__ = ["LaboratoryError", "SimulatedCheck"]

_START = "import sys; sys.path[:0] = {paths!r}; from {module} import main; main()"
_MODULE = "plugwright_conformance.simulator._entry"
_TELLTALES = ("PYTHON", "PYTEST", "PLUGWRIGHT")


class LaboratoryError(Exception):
    """The laboratory's process ended without a verdict."""


class SimulatedCheck(Check):
    """A check that makes its observations in the laboratory."""

    detached = True

    def run(self, bench: Bench) -> Evidence:
        """Have the experiment made in a fresh process, and pass its verdict on."""
        report = _in_laboratory(bench, self.id, self.budget_s)
        bench.settings.note_all(report.get("settings", {}))
        if "error" in report:
            raise LaboratoryError(report["error"])
        if "not_applicable" in report:
            raise NotApplicableError(report["not_applicable"], _cells(report))
        if "not_run" in report:
            raise NotRunError(report["not_run"])
        told = report["evidence"]
        evidence = Evidence(**{**told, "cells": _cells(told)})
        if "failed" in report:
            raise CheckFailedError(evidence=evidence, **report["failed"])
        return evidence

    @abstractmethod
    def experiment(self, laboratory: Laboratory) -> Evidence:
        """Test the claim, in the laboratory's process.

        Raises:
            CheckFailedError: if the plugin does not keep the claim.
            NotApplicableError: if the plugin does not claim the capability.
            NotRunError: if the plugin gives nothing to take hold of.
        """


def _cells(told: Mapping[str, Any]) -> Sequence[Cell]:
    return tuple(Cell(*cell) for cell in told["cells"])


def _in_laboratory(bench: Bench, check: str, budget_s: float) -> dict[str, Any]:
    request = {
        "location": str(bench.subject.root.resolve()),
        "plugin": bench.subject.descriptor.class_name,
        "workspace": str(bench.directory()),
        "seed": bench.random.getrandbits(64),
        "check": check,
        "records": bench.records,
    }
    # The plugin is to see no directory, no setting and no test of whoever certifies.
    clean = {name: value for name, value in os.environ.items() if not name.startswith(_TELLTALES)}
    ours = (plugwright, plugwright_toolkit, plugwright_conformance)
    homes = [str(Path(str(package.__file__)).parents[1]) for package in ours]
    command = [sys.executable, "-s", "-P", "-c", _START.format(paths=homes, module=_MODULE)]
    process = subprocess.Popen(  # noqa: S603  # our own module in our own interpreter
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env={**clean, "PYTHONHASHSEED": "0"},
    )
    try:
        output, trouble = process.communicate(json.dumps(request), timeout=budget_s)
    except subprocess.TimeoutExpired as error:
        raise LaboratoryError(f"not done within its budget of {budget_s:g} s") from error
    finally:
        _end(process)
    try:
        report: dict[str, Any] = json.loads(output)
    except ValueError as error:
        last = (trouble.strip().splitlines() or ["no output"])[-1]
        raise LaboratoryError(f"the laboratory gave no report: {last}") from error
    return report


def _end(process: subprocess.Popen[str]) -> None:
    """End the laboratory with everything that it has started."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
