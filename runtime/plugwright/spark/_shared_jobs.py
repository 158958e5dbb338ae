"""The Spark jobs of shared processes: one for each process, with one task."""

from __future__ import annotations

import threading
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from plugwright.spark._host import JOB_PROPERTY
from plugwright.spark._tickets import TICKET_PROPERTY, shown

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import DataFrame

    from plugwright.spark._messages import Admission
    from plugwright.spark._shared_host import SharedHost
    from plugwright.spark._tickets import Tickets

_AGAIN_S = 1.0


class SharedJobs:
    """Starts and cancels them.

    Args:
        context: Spark's context.
        tickets: the keys of all jobs.
        plan: returns the plan of a process with an import path.
        lives: whether Spark is running.
    """

    def __init__(
        self,
        context: Any,
        tickets: Tickets,
        plan: Callable[[str], DataFrame],
        lives: Callable[[], bool],
    ) -> None:
        self._context = context
        self._tickets = tickets
        self._plan = plan
        self._lives = lives

    def start(self, host: SharedHost) -> None:
        """Start the job of a process on a thread."""
        threading.Thread(
            target=self._run, args=(host,), name=f"job-{host.name}", daemon=True
        ).start()

    def cancel(self, host: SharedHost) -> None:
        """Cancel the job of a process."""
        self._context.cancelJobsWithTag(host.name)

    def ticket(self, admission: Admission) -> Admission:
        """The admission with the ticket of its job."""
        ticket = shown(
            self._tickets.issue(admission.job),
            job=admission.job,
            task=admission.task,
            attempt=admission.attempt,
            run=admission.run,
        )
        return replace(admission, ticket=ticket)

    def _run(self, host: SharedHost) -> None:
        error: Exception | None = None
        try:
            self._context.addJobTag(host.name)
            self._context.setLocalProperty(JOB_PROPERTY, host.name)
            self._context.setLocalProperty(TICKET_PROPERTY, self._tickets.issue(host.name))
            self._plan(host.path).collect()
        except Exception as broken:  # noqa: BLE001  # whatever it is, it is the job's outcome
            error = broken
        finally:
            self._tickets.withdraw(host.name)
        if error is not None and self._lives():
            time.sleep(_AGAIN_S)  # a job that fails at once would be repeated without a pause
        host.ended(error, spark_lives=self._lives())
