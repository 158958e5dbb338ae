"""What the processes of workers hold at a moment."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.e2e.workers import WorkerProcess

__all__ = ["Resources"]


@dataclass(frozen=True, slots=True)
class Resources:
    """Totals over workers and all that they started; memory in MiB, as each process has it."""

    processes: int
    descriptors: int
    threads: int
    memory: int
    scratch: int

    @classmethod
    def of(cls, workers: Sequence[WorkerProcess]) -> Resources:
        """Count now."""
        pids = [pid for worker in workers for pid in worker.processes()]
        scratch = [each for worker in workers for each in worker.directory.glob("plugwright-*")]
        return cls(
            len(pids),
            sum(_entries(pid, "fd") for pid in pids),
            sum(_entries(pid, "task") for pid in pids),
            sum(_memory(pid) for pid in pids) // 1024,
            len(scratch),
        )

    def __str__(self) -> str:
        return ", ".join(f"{name} {value}" for name, value in asdict(self).items())


def _entries(pid: int, directory: str) -> int:
    with suppress(OSError):
        return len(list(Path(f"/proc/{pid}/{directory}").iterdir()))
    return 0


def _memory(pid: int) -> int:
    """KiB of its own, with its share of what it shares."""
    with suppress(OSError, StopIteration):
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text("utf-8").splitlines()
        return int(next(line for line in lines if line.startswith("Pss:")).split()[1])
    return 0
