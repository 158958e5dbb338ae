"""The reports of a pytest run: those of a certification, without badge and certificate."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, ClassVar

from plugwright_conformance.report import WRITERS, JsonReport, read_json, write_reports
from plugwright_conformance.report.results import RunResults

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    import pytest

__all__ = ["PytestReports", "PytestRun", "packed"]

_FIELD = "plugwright_conformance"
_BADGE = ".svg"


@dataclass(frozen=True, slots=True)
class PytestRun(RunResults):
    """The results of a pytest run, which plugins of the project may have influenced."""

    why_no_level: ClassVar[str] = (
        "a pytest run awards no level; use plugwright certify for a level and a certificate"
    )


def packed(run: RunResults) -> str:
    """The run of one check as text, for the transfer from a worker of pytest-xdist."""
    return JsonReport().render(run).decode()


class PytestReports:
    """Collects results and writes the reports when the session ends.

    Args:
        directory: gets a folder for each connector.
        command: the command line of pytest.
    """

    def __init__(self, directory: Path, command: Sequence[str]) -> None:
        self._directory, self._command = directory, command
        self._runs: dict[tuple[str, str], dict[str, RunResults]] = {}
        self._written: list[Path] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Add the result of a check from the report of its test."""
        if text := getattr(report, _FIELD, ""):
            run = read_json(text)
            found = self._runs.setdefault((run.plugin.location, run.plugin.plugin_class), {})
            found[run.results[0].label] = run

    def pytest_sessionfinish(self) -> None:
        """Write one folder for each connector."""
        folders = self._folders()
        for key, found in self._runs.items():
            directory = self._directory / folders[key]
            writers = [writer for writer in WRITERS if not writer.file_name.endswith(_BADGE)]
            write_reports(_merged(list(found.values()), self._command), directory, writers)
            self._written.append(directory)

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Print the paths of the reports."""
        for directory in self._written:
            terminalreporter.write_line(f"conformance report: {directory / 'report.html'}")

    def _folders(self) -> dict[tuple[str, str], str]:
        """The folder name of each connector, as in ``plugwright certify``."""
        names = {key: _last(key[0]) for key in self._runs}
        shared = list(names.values())
        return {
            key: name if shared.count(name) == 1 else f"{name}-{_last(key[1].replace('.', '/'))}"
            for key, name in names.items()
        }


def _last(path: str) -> str:
    return path.rstrip("/").rpartition("/")[2]


def _merged(runs: Sequence[RunResults], command: Iterable[str]) -> PytestRun:
    """One run of all checks, in catalogue order."""
    first = runs[0]
    by_label = {run.results[0].label: run.results[0] for run in runs}
    labels = [name for name in first.registry if name in by_label]
    facts = {name: text for run in runs for name, text in run.environment.items()}
    whole = {field.name: getattr(first, field.name) for field in fields(RunResults)}
    changed = {
        "environment": {**facts, "run": "pytest, not a certification"},
        "started": min(run.started for run in runs),
        "duration_s": round(sum(run.duration_s for run in runs), 3),
        "command": shlex.join(command),
        "results": tuple(by_label[name] for name in labels),
        "selection": () if len(labels) == len(first.registry) else tuple(labels),
        "waivers": tuple(dict.fromkeys(waiver for run in runs for waiver in run.waivers)),
    }
    return PytestRun(**{**whole, **changed})
