"""What the processes of workers hold at a moment."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tests.e2e.workers import WorkerProcess

__all__ = ["Resources"]

_PLANNERS = "pyspark.daemon pyspark.sql.worker."


@dataclass(frozen=True, slots=True)
class Resources:
    """Totals over workers and all that they started; memory in MiB, as each process has it.

    Attributes:
        programs: the number of processes by what they run.
    """

    processes: int
    descriptors: int
    threads: int
    memory: int
    scratch: int
    programs: Mapping[str, int]

    @classmethod
    def of(cls, workers: Sequence[WorkerProcess]) -> Resources:
        """Count now."""
        found = [worker.processes() for worker in workers]
        pids = [pid for each in found for pid in each]
        scratch = [each for worker in workers for each in worker.directory.glob("plugwright-*")]
        return cls(
            len(pids),
            sum(_entries(pid, "fd") for pid in pids),
            sum(_entries(pid, "task") for pid in pids),
            sum(_memory(pid) for pid in pids) // 1024,
            len(scratch),
            dict(Counter(_program(command) for each in found for command in each.values())),
        )

    @property
    def own_processes(self) -> int:
        """Without those that Spark keeps for good once it has planned a stream, three a JVM."""
        return sum(n for name, n in self.programs.items() if not name.startswith(_PLANNERS))

    def __str__(self) -> str:
        return ", ".join(f"{name} {value}" for name, value in asdict(self).items())


def _program(command: str) -> str:
    """The module, code or program that a command line runs, without its place."""
    words = command.split()
    for mark in ("-m", "-c"):
        if mark in words[:-1]:
            return " ".join(words[words.index(mark) + 1 :])[:60]
    return Path(words[0]).name if words else ""


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
