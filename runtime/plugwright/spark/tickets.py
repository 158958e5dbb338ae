"""Authenticates task hosts: a job has a key, and each run of a task proves it once.

The key is passed to a job's tasks as a local property, which Spark sends with each task and never
puts into a broadcast. A ticket is derived from it for one job, task, attempt and run, as Spark
numbers them; so it is of no use for any other run, nor a second time.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
import threading
from typing import TYPE_CHECKING, Any

from plugwright.spark.messages import Admission

if TYPE_CHECKING:
    from plugwright.spark.messages import Hello

JOB_PROPERTY = "plugwright.job"
"""Spark's local property with the job's name, so that many jobs can share one plan."""

TICKET_PROPERTY = "plugwright.task.secret"
"""Spark's local property with the key of a job. Spark redacts it in its event log: a setting
has the same name, and the name matches ``spark.redaction.regex``. Settings that
begin with ``spark`` would replace properties in each query."""


class Tickets:
    """The keys of the running jobs, and the runs that have used theirs."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._keys: dict[str, str] = {}
        self._newest: dict[tuple[str, int], int] = {}

    def issue(self, job: str) -> str:
        """The key of a job; the same one until it is withdrawn."""
        with self._lock:
            return self._keys.setdefault(job, secrets.token_hex(32))

    def name_job(self, context: Any, job: str) -> None:
        """Give the tasks that Spark starts for this thread the name of their job, and its key.

        Args:
            context: Spark's context.
            job: name of the job.
        """
        context.setLocalProperty(JOB_PROPERTY, job)
        context.setLocalProperty(TICKET_PROPERTY, self.issue(job))

    def admission(self, job: str, task: int, attempt: int, run: int) -> Admission:
        """The message with which a process that runs already connects for a task of a job."""
        ticket = shown(self.issue(job), job=job, task=task, attempt=attempt, run=run)
        return Admission(job, task, attempt, run, ticket)

    def withdraw(self, job: str) -> None:
        """Revoke the key of a job."""
        with self._lock:
            self._keys.pop(job, None)
            for key in [key for key in self._newest if key[0] == job]:
                del self._newest[key]

    def admits(self, hello: Hello) -> bool:
        """Whether a caller is the run that it claims to be; once for each run.

        A run older than an admitted one is too late: Spark has replaced it.
        """
        job, task, attempt, run = hello.job, hello.task, hello.attempt, hello.run
        with self._lock:
            key = self._keys.get(job)
            if key is None or not hmac.compare_digest(
                shown(key, job=job, task=task, attempt=attempt, run=run).encode(),
                hello.ticket.encode(),
            ):
                return False
            if run <= self._newest.get((job, task), -1):
                return False
            self._newest[job, task] = run
            return True


def shown(key: str, *, job: str, task: int, attempt: int, run: int) -> str:
    """The ticket of one run of a task.

    Args:
        key: of its job.
        job: name of the job.
        task: number of the task in it.
        attempt: how often Spark has started the task before.
        run: Spark's number of this attempt, which grows.
    """
    what = json.dumps([job, task, attempt, run]).encode()
    return hmac.new(key.encode(), what, hashlib.sha256).hexdigest()
