"""What the driver knows of one task."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["ENDED", "TaskStatus"]

ENDED = frozenset({"STOPPED", "FAILED"})
"""The states that no task leaves by itself."""


@dataclass(frozen=True, slots=True)
class TaskStatus:
    """What the driver knows of one task.

    Attributes:
        state: UNASSIGNED, RUNNING, PAUSED, RESTARTING, STOPPED or FAILED.
        attempt: how often Spark has started it again after its process died.
        pid: process id of its host, or 0.
        trace: what it failed with, or why it waits.
        counters: its running totals, since its last start.
        topics: the topics that it has used since then.
    """

    state: str = "UNASSIGNED"
    attempt: int = 0
    pid: int = 0
    trace: str = ""
    counters: Mapping[str, int] = field(default_factory=dict)
    topics: tuple[str, ...] = ()
