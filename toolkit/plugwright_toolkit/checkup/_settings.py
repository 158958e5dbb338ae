"""Checks the settings of a worker for misspellings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright.cli import worker_misspellings
from plugwright_toolkit.checkup._finding import Condition, EnvironmentFinding

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_NAME = "settings"


def settings(worker: Mapping[str, str]) -> Sequence[EnvironmentFinding]:
    """The keys that resemble a setting but are not one; empty if the extras are missing."""
    try:
        found = worker_misspellings(worker)
    except ModuleNotFoundError:
        return []  # the check of the extras reports that
    if found:
        return [
            EnvironmentFinding(_NAME, Condition.WARN, text, "correct the key") for text in found
        ]
    return [EnvironmentFinding(_NAME, Condition.OK, f"keys: {len(worker)}, none of them misspelt")]
