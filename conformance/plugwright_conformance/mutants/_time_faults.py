"""Timestamps in seconds, as functions that give a location another task and endpoint driver."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright_conformance.mutants._driver_faults import give_driver
from plugwright_conformance.mutants._mutant import mutant

if TYPE_CHECKING:
    from pathlib import Path


@mutant(
    "M209",
    "timestamps are given in seconds",
    base="lines-source",
    killed_by="SRC-TYP-10",
    says="timestamp 1700000001124",
)
def read_seconds(location: Path) -> None:
    """Read lines with timestamps in seconds."""
    tell_times(location, "Source", "ReadsSecondsTask")


@mutant(
    "M209b",
    "timestamps are stored without their milliseconds",
    base="lines-sink",
    killed_by="SNK-TYP-16",
    says="timestamp 1700000000123",
)
def write_seconds(location: Path) -> None:
    """Write lines with timestamps in whole seconds."""
    tell_times(location, "Sink", "WritesSecondsTask")


def tell_times(location: Path, kind: str, task: str) -> None:
    """Have a connector of lines with timestamps, and a driver that reads them."""
    give_driver(location, f"rows_{kind.lower()}_times", "TimesEndpoint", task)
