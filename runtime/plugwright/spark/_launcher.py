"""Puts the tasks of a connector onto Spark: one job, one Spark task for each Connect task."""

from __future__ import annotations

import logging
import secrets
import threading
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from plugwright.spark._channel import Channel, ChannelServer
from plugwright.spark._host import JOB_PROPERTY, OUTPUT_SCHEMA, run_resident_tasks
from plugwright.spark._job import ResidentJob

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pyspark.sql import DataFrame, SparkSession

    from plugwright.spark._job import TaskStatus
    from plugwright.spark._spec import TaskSpec

__all__ = ["SparkLauncher"]

log = logging.getLogger(__name__)

_SITE = Path(__file__).with_name("_site")


class SparkLauncher:
    """Starts resident jobs in one Spark session.

    Args:
        session: where the tasks run; stays the caller's to stop.
        host: interface of the control channel, reachable from the executors.
    """

    def __init__(self, session: SparkSession, *, host: str = "127.0.0.1") -> None:
        self._session = session
        self._secret = secrets.token_bytes(32)
        self._jobs: dict[str, ResidentJob] = {}
        self._planning = threading.Lock()
        self._plans: dict[tuple[int, str], DataFrame] = {}
        self._server = ChannelServer(self._secret, self._converse, host=host)

    def launch(
        self,
        name: str,
        specs: Sequence[TaskSpec],
        *,
        python_path: str = "",
        listener: Callable[[int, TaskStatus], None] | None = None,
    ) -> ResidentJob:
        """Start some tasks of one connector.

        Args:
            name: unique among the launcher's jobs.
            specs: one for each task.
            python_path: directories that the tasks' plugins are imported from, separated as in
                PYTHONPATH; they key a family of Python workers of their own, so plugins of other
                locations do not share modules.
            listener: hears of every change of a task's state, see `ResidentJob`.
        """
        cancel = partial(self._session.sparkContext.cancelJobsWithTag, name)
        job = ResidentJob(name, specs, cancel, listener)
        self._jobs[name] = job
        plan = self._plan(len(specs), python_path)
        threading.Thread(
            target=self._run, args=(job, plan), name=f"job-{name}", daemon=True
        ).start()
        return job

    def close(self) -> None:
        """Stop every job and the control channel."""
        for job in list(self._jobs.values()):
            job.stop()
        self._server.close()

    def _plan(self, tasks: int, python_path: str) -> DataFrame:
        """What runs that many tasks; made once, for it takes Spark a tenth of a second."""
        with self._planning:  # the environment is captured while a plan is made
            key = tasks, python_path
            if key not in self._plans:
                self._plans[key] = self._new_plan(tasks, python_path)
            return self._plans[key]

    def _new_plan(self, tasks: int, python_path: str) -> DataFrame:
        host = partial(run_resident_tasks, address=self._server.address, secret=self._secret)
        environment = self._session.sparkContext.environment
        variables = {
            "PYTHONPATH": str(_SITE),
            "PLUGWRIGHT_LOCATIONS": python_path,
            # Arrow's allocator would start a thread, and the daemon is to fork without any.
            "JE_ARROW_MALLOC_CONF": "background_thread:false",
        }
        environment.update(variables)
        try:
            return self._session.range(0, tasks, 1, tasks).mapInArrow(host, OUTPUT_SCHEMA)
        finally:
            for variable in variables:
                del environment[variable]

    def _run(self, job: ResidentJob, plan: DataFrame) -> None:
        context = self._session.sparkContext
        context.addJobTag(job.name)
        context.setLocalProperty(JOB_PROPERTY, job.name)
        try:
            plan.collect()
        except Exception as error:  # noqa: BLE001  # the outcome of the job, whatever it is
            job.ended(error)
        else:
            job.ended(None)
        finally:
            self._jobs.pop(job.name, None)

    def _converse(self, channel: Channel) -> None:
        hello = channel.receive()
        job = self._jobs.get(str(hello.get("job")))
        if hello["type"] == "hello" and job is not None:
            job.converse(int(hello["task"]), hello, channel)
