"""Describes the herder's stage for messages about time-outs."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from plugwright.control_plane import Stage


def described(stage: Stage | None) -> list[str]:
    """One sentence about a stage, in Kafka's words, or none."""
    if stage is None:
        return []
    began = _instant(stage.started_ms)
    if stage.completed_ms is None:
        return [f"The worker is currently {stage.description}, which began at {began}"]
    times = f"which began at {began} and completed at {_instant(stage.completed_ms)}"
    return [f"The last operation the worker completed was {stage.description}, {times}"]


def _instant(epoch_ms: int) -> str:
    """A time as ``java.time.Instant`` writes it: milliseconds only if there are any."""
    moment = datetime.fromtimestamp(epoch_ms // 1000, UTC).strftime("%Y-%m-%dT%H:%M:%S")
    milliseconds = epoch_ms % 1000
    return f"{moment}.{milliseconds:03d}Z" if milliseconds else f"{moment}Z"
