"""Proves that a caller speaks for a task: a job has a key, and a run of a task shows it once.

The key goes to a job's tasks as a local property, which Spark hands over with each task and never
puts into a broadcast. What a task shows is made from it for one job, one task, one attempt and one
run, as Spark numbers them; so it is of no use for any other, nor a second time.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from plugwright.spark._messages import Hello

TICKET_PROPERTY = "plugwright.task.secret"
"""Spark's local property with the key of a job. Spark hides it in its event log, because a setting
has the same name, and because of what that name says (``spark.redaction.regex``). Settings that
begin with ``spark`` would take the place of properties in each query."""


class Tickets:
    """The keys of the jobs that run, and which runs have used theirs."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._keys: dict[str, str] = {}
        self._newest: dict[tuple[str, int], int] = {}

    def issue(self, job: str) -> str:
        """The key of a job; the same one until it is withdrawn."""
        with self._lock:
            return self._keys.setdefault(job, secrets.token_hex(32))

    def withdraw(self, job: str) -> None:
        """Nobody speaks for the tasks of this job any more."""
        with self._lock:
            self._keys.pop(job, None)
            for key in [key for key in self._newest if key[0] == job]:
                del self._newest[key]

    def admits(self, hello: Hello) -> bool:
        """Whether a caller is the run of a task that it says it is; once for each run.

        A run that is older than one that was admitted comes too late: Spark has replaced it.
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
    """What one run of a task shows.

    Args:
        key: of its job.
        job: name of the job.
        task: number of the task in it.
        attempt: how often Spark has started the task before.
        run: Spark's number of this very start, which grows.
    """
    what = json.dumps([job, task, attempt, run]).encode()
    return hmac.new(key.encode(), what, hashlib.sha256).hexdigest()
