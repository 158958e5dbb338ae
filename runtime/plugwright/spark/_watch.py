"""Looks after tasks that Spark has not begun with, or whose processes end before they can call."""

from __future__ import annotations

import logging
import threading
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from plugwright.spark._job import ResidentJob
    from plugwright.spark._placement import Placement

log = logging.getLogger(__name__)

NO_SLOT = "spark.no-slot"
"""The code of a task that waits because Spark has no slot for it."""

_PERIOD_S = 1.0


class PlacementWatch:
    """Looks now and then; asks Spark only about jobs that miss a process, two looks in a row.

    Args:
        jobs: those that run.
        placement: what Spark says.
    """

    def __init__(self, jobs: Callable[[], Sequence[ResidentJob]], placement: Placement) -> None:
        self._jobs = jobs
        self._placement = placement
        self._missed: frozenset[str] = frozenset()
        self._failures: dict[str, int] = {}
        self._closing = threading.Event()

    def start(self) -> None:
        """Look from now on, on a thread."""
        threading.Thread(target=self._work, name="placement-watch", daemon=True).start()

    def close(self) -> None:
        """Look no more."""
        self._closing.set()

    def look(self) -> None:
        """Look once.

        Raises:
            Exception: what comes of asking Spark when it is about to stop.
        """
        jobs = self._jobs()
        missing = {job.name: job.recovery.missing() for job in jobs}
        for job in jobs:
            if job.name in self._missed and missing[job.name]:
                self._examine(job, missing[job.name])
        self._missed = frozenset(name for name, places in missing.items() if places)
        self._failures = {n: found for n, found in self._failures.items() if n in self._missed}

    def _examine(self, job: ResidentJob, missing: Sequence[int]) -> None:
        progress = self._placement.progress(job.name)
        if progress is None:
            return
        if progress.failures != self._failures.get(job.name, 0):  # another job begins at 0
            self._failures[job.name] = progress.failures
            for index, (attempts, words) in self._placement.failures(job.name).items():
                job.recovery.failed(index, attempts, words)
        wanted, slots = sum(each.wanted for each in self._jobs()), self._placement.slots()
        # Spark's figures are behind the truth by a moment: a task on its way may look waiting.
        if progress.waiting >= len(missing) and wanted > slots:
            reason = no_slot(slots, wanted, self._placement.master) + _largest(self._jobs())
            job.recovery.wait_for_slots(missing, reason)

    def _work(self) -> None:
        while not self._closing.wait(_PERIOD_S):
            try:
                self.look()
            except Exception as error:  # noqa: BLE001  # Spark stops; what comes of it is told elsewhere
                log.debug("Spark was not asked: %s", error)


def no_slot(slots: int, wanted: int, master: str) -> str:
    """Why a task waits, and what lets it begin."""
    if not slots:
        return (
            f"{NO_SLOT}: Spark has no executor yet; {wanted} tasks want a slot. See whether the "
            f"workers of {master} are there, and have the memory and the cores that "
            "spark.executor.memory and spark.executor.cores ask for."
        )
    if master.startswith("local") and not master.startswith("local-cluster"):
        remedy = f"raise the number in spark.master={master}"
    else:
        remedy = (
            "add executors, or raise spark.executor.cores beyond the cores that there are, since "
            "tasks mostly wait"
        )
    return (
        f"{NO_SLOT}: Spark has no slot for this task: it has {slots}, and {wanted} tasks want "
        f"one. It begins as soon as one comes free; for more of them, {remedy}."
    )


def _largest(jobs: Sequence[ResidentJob]) -> str:
    """Which connector has the most slots, where there are several that one could take some from."""
    held: Counter[str] = Counter()
    for job in jobs:
        held[job.connector] += job.wanted - len(job.recovery.missing())
    (connector, count), *others = held.most_common() or [("", 0)]
    if not others or not count:
        return ""
    return f" Connector {connector} has {count} of them; a lower tasks.max of it frees some."
