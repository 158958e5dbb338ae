"""Finds the processes of a cluster's executors that are on the driver's machine.

Executors of a standalone cluster on one machine are; those of other machines are not, and their
process ids mean other processes here.
"""

from __future__ import annotations

import os
import socket
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from plugwright.processes import children, command_of
from plugwright.spark.exit_table import current_phase

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import SparkSession

    from plugwright.spark._task_table import TaskStatus

_EXECUTOR = "CoarseGrainedExecutorBackend"
_DRIVER = "spark://CoarseGrainedScheduler@"


@dataclass(frozen=True, slots=True)
class Executors:
    """The executors of a session.

    Attributes:
        driver: the address that each of them is started with.
        count: how many there are.
    """

    driver: str
    count: int

    def here(self) -> Sequence[int]:
        """The processes of those on this machine that this process may signal."""
        numbers = [each.name for each in Path("/proc").iterdir() if each.name.isdecimal()]
        return [pid for pid in map(int, numbers) if self._is(pid)]

    def _is(self, pid: int) -> bool:
        try:
            program, *words = command_of(pid).split() or [""]
            found = self.driver in words and any(word.endswith(_EXECUTOR) for word in words)
            if not found or Path(program).name != "java":  # a shell may have started it
                return False
            os.kill(pid, 0)
        except OSError:
            return False
        return True


def executors_of(session: SparkSession) -> Executors:
    """The present executors of a session on a cluster."""
    context: Any = session.sparkContext
    conf = context.getConf()
    driver = f"{_DRIVER}{conf.get('spark.driver.host')}:{conf.get('spark.driver.port')}"
    infos = context._jsc.sc().statusTracker().getExecutorInfos()  # noqa: SLF001  # pyspark's only way to its JVM
    return Executors(driver, len(infos) - 1)  # one is the driver


def is_here(status: TaskStatus) -> bool:
    """Whether a task's process is on this machine, and its id means the same process here.

    A container may have the machine's name and yet count its processes itself, so the process must
    have the parent that the task knows, and have written where it is.
    """
    machine, _, parent = status.daemon.rpartition(":")
    return (
        machine == socket.gethostname()
        and any(child == status.pid for child, _ in children(int(parent)))
        and current_phase(status.pid) is not None
    )
