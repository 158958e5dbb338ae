"""The settings of a worker: whether some of them are misspelt."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright.cli import worker_misspellings
from plugwright_toolkit.checkup._finding import Condition, EnvironmentFinding

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_NAME = "settings"


def settings(worker: Mapping[str, str]) -> Sequence[EnvironmentFinding]:
    """The keys that look like a setting and are none, or nothing where the extras are missing."""
    try:
        found = worker_misspellings(worker)
    except ModuleNotFoundError:
        return []  # which the look at the extras tells
    if found:
        return [
            EnvironmentFinding(_NAME, Condition.WARN, text, "correct the key") for text in found
        ]
    return [EnvironmentFinding(_NAME, Condition.OK, f"keys: {len(worker)}, none of them misspelt")]
