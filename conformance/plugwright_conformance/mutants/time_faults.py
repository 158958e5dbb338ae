"""Timestamps in seconds: functions that replace the task and the endpoint driver of a location."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright_conformance.mutants.driver_faults import give_driver
from plugwright_conformance.mutants.mutant import mutant

if TYPE_CHECKING:
    from pathlib import Path


@mutant(
    "M209",
    "timestamps are given in seconds",
    base="lines-source",
    killed_by="SRC-TYP-10",
    failure="timestamp 1700000001124",
)
def read_seconds(location: Path) -> None:
    """Use a source that sets timestamps in seconds."""
    use_times(location, "Source", "ReadsSecondsTask")


@mutant(
    "M209b",
    "timestamps are stored without their milliseconds",
    base="lines-sink",
    killed_by="SNK-TYP-16",
    failure="timestamp 1700000000123",
)
def write_seconds(location: Path) -> None:
    """Use a sink that writes timestamps in whole seconds."""
    use_times(location, "Sink", "WritesSecondsTask")


def use_times(location: Path, kind: str, task: str) -> None:
    """Replace the task, and use a driver that reads timestamps."""
    give_driver(location, f"rows_{kind.lower()}_times", "TimesEndpoint", task)
