"""Monitors tasks that Spark has not started, or whose processes end before they connect."""

from __future__ import annotations

import logging
import threading
from collections import Counter
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from plugwright.spark.placement import Placement, Progress

log = logging.getLogger(__name__)

NO_SLOT = "spark.no-slot"
"""The code of a task that waits for a Spark slot."""

_PERIOD_S = 1.0
_UNUSUAL = 5
"""Failed queries in a row; fewer occur while Spark stops."""


class PlacedJob(Protocol):
    """A job whose tasks need slots of Spark."""

    @property
    def name(self) -> str:
        """Its name, which is the tag of its Spark job."""

    @property
    def connector(self) -> str:
        """The connector of its tasks."""

    @property
    def wanted(self) -> int:
        """The number of slots that it needs."""

    def missing(self) -> Sequence[int]:
        """The positions of tasks whose process has not connected."""

    def wait_for_slots(self, places: Sequence[int], reason: str) -> None:
        """Record that Spark has no slot for these tasks, and why."""

    def failed(self, index: int, attempts: int, words: str) -> None:
        """Handle failed attempts of a task that Spark reports, with its last message."""

    def leave(self, index: int) -> None:
        """Let the process of Spark's task move to another executor, unless it does already."""


class PlacementMonitor:
    """Checks at intervals; queries Spark only about jobs that lack a process twice in a row.

    Where Spark may decommission executors, it also queries each executor every time.

    Args:
        jobs: returns the running jobs.
        placement: queries Spark.
    """

    def __init__(self, jobs: Callable[[], Sequence[PlacedJob]], placement: Placement) -> None:
        self._jobs = jobs
        self._placement = placement
        self._missed: frozenset[str] = frozenset()
        self._failures: dict[str, int] = {}
        self._closing = threading.Event()

    def start(self) -> None:
        """Start checking on a thread."""
        threading.Thread(target=self._work, name="placement-watch", daemon=True).start()

    def close(self) -> None:
        """Stop checking."""
        self._closing.set()

    def look(self) -> None:
        """Check once.

        Raises:
            Exception: if Spark cannot be queried because it is about to stop.
        """
        jobs = self._jobs()
        missing = {job.name: job.missing() for job in jobs}
        waiting = [job for job in jobs if job.name in self._missed and missing[job.name]]
        if waiting:
            self._examine(waiting, jobs, missing)
        self._vacate(jobs)
        self._missed = frozenset(name for name, places in missing.items() if places)
        self._failures = {n: found for n, found in self._failures.items() if n in self._missed}

    def _vacate(self, jobs: Sequence[PlacedJob]) -> None:
        """Move tasks off executors that are being decommissioned."""
        if leaving := self._placement.leaving():
            for job in jobs:
                for index in self._placement.running_on(job.name, leaving):
                    job.leave(index)

    def _examine(
        self,
        waiting: Sequence[PlacedJob],
        jobs: Sequence[PlacedJob],
        missing: Mapping[str, Sequence[int]],
    ) -> None:
        """Query Spark about jobs; what concerns all of them is determined once."""
        wanted, slots = sum(each.wanted for each in jobs), self._placement.slots()
        lack = lack_of_slots(slots, wanted, self._placement.master)
        reason = f"{NO_SLOT}: {lack}{largest_connector(jobs, missing)}"
        for job in waiting:
            progress = self._placement.progress(job.name)
            if progress is None:
                continue
            self._take_failures(job, progress)
            # Spark's status lags for a moment: a starting task may look as if it waited.
            if progress.waiting >= len(missing[job.name]) and wanted > slots:
                job.wait_for_slots(missing[job.name], reason)

    def _take_failures(self, job: PlacedJob, progress: Progress) -> None:
        if progress.failures != self._failures.get(job.name, 0):  # another job starts at 0
            self._failures[job.name] = progress.failures
            for index, (attempts, words) in self._placement.failures(job.name).items():
                job.failed(index, attempts, words)

    def _work(self) -> None:
        failures = 0
        while not self._closing.wait(_PERIOD_S):
            try:
                self.look()
                failures = 0
            except Exception as error:  # noqa: BLE001  # Spark stops; another thread reports the result
                failures += 1
                if failures == _UNUSUAL:
                    log.warning("Spark does not answer which tasks wait or fail: %s", error)


def lack_of_slots(slots: int, wanted: int, master: str) -> str:
    """The reason why a task waits, and how to provide slots."""
    if not slots:
        return (
            f"Spark has no executor yet; {wanted} tasks need a slot. Check that the "
            f"workers of {master} are running, and have the memory and cores that "
            "spark.executor.memory and spark.executor.cores request."
        )
    if master.startswith("local") and not master.startswith("local-cluster"):
        remedy = f"raise the number in spark.master={master}"
    else:
        remedy = (
            "add executors, or raise spark.executor.cores above the number of real cores, since "
            "tasks mostly wait"
        )
    return (
        f"Spark has no slot for this task: it has {slots}, and {wanted} tasks need "
        f"one. It starts as soon as a slot is free; for more slots, {remedy}."
    )


def largest_connector(jobs: Sequence[PlacedJob], missing: Mapping[str, Sequence[int]]) -> str:
    """What the status says of the connector with the most slots, if several could give one up."""
    held: Counter[str] = Counter()
    for job in jobs:
        held[job.connector] += job.wanted - len(missing[job.name])
    (connector, count), *others = held.most_common() or [("", 0)]
    if not others or not count:
        return ""
    return f" Connector {connector} has {count} of them; lowering its tasks.max frees some."
