"""The Spark jobs of shared processes: one for each process, with one task."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from plugwright.spark._shared_host import SharedHost
    from plugwright.spark.tickets import Tickets

_AGAIN_S = 1.0


class SharedJobs:
    """Starts and cancels them.

    Args:
        context: Spark's context.
        tickets: the keys of all jobs.
        run: runs the plan of a process until it ends.
        ended: called when the job of a process has ended, with its error if it failed.
    """

    def __init__(
        self,
        context: Any,
        tickets: Tickets,
        run: Callable[[SharedHost], None],
        ended: Callable[[SharedHost, Exception | None], None],
    ) -> None:
        self._context = context
        self._tickets = tickets
        self._run = run
        self._ended = ended

    def start(self, host: SharedHost) -> None:
        """Start the job of a process on a thread."""
        name = f"job-{host.name}"
        threading.Thread(target=self._run_job, args=(host,), name=name, daemon=True).start()

    def cancel(self, host: SharedHost) -> None:
        """Cancel the job of a process."""
        self._context.cancelJobsWithTag(host.name)

    def _run_job(self, host: SharedHost) -> None:
        error: Exception | None = None
        try:
            self._context.addJobTag(host.name)
            self._tickets.name_job(self._context, host.name)
            self._run(host)
        except Exception as broken:  # noqa: BLE001  # whatever it is, it is the job's outcome
            error = broken
            time.sleep(_AGAIN_S)  # a job that fails at once would be repeated without a pause
        finally:
            self._tickets.withdraw(host.name)
        self._ended(host, error)
