"""What one task has done so far, counted by its loop."""

from __future__ import annotations

from dataclasses import asdict, dataclass

__all__ = ["TaskCounters"]


@dataclass(slots=True)
class TaskCounters:
    """Plain running totals; the loop adds per batch, the host reads whenever it reports.

    Attributes:
        records: records handed to the producer (sources) or taken by ``put`` (sinks).
        batches: non-empty batches among them.
        commits: successful offset commits.
        commit_failures: offset commits that were given up and will be tried again.
        retries: batches that a plugin asked to see again.
    """

    records: int = 0
    batches: int = 0
    commits: int = 0
    commit_failures: int = 0
    retries: int = 0

    def snapshot(self) -> dict[str, int]:
        """The totals by name, as they are now."""
        return asdict(self)
