"""Launches a connector's tasks on Spark.

One job, with one Spark task for each Connect task; or tasks of several connectors in shared
processes, each of which is a job.
"""

from __future__ import annotations

import logging
import threading
from contextlib import contextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from plugwright.errors import SetupError
from plugwright.spark._environment import worker_environment
from plugwright.spark._job import ResidentJob
from plugwright.spark._shared_jobs import SharedJobs
from plugwright.spark._stream_job import StreamJob
from plugwright.spark.addresses import CONTROL_PORT
from plugwright.spark.channel import Channel, ChannelServer
from plugwright.spark.executor_function import ExecutorFunction
from plugwright.spark.host import OUTPUT_SCHEMA, run_resident_tasks
from plugwright.spark.placement import FailureReports, Placement
from plugwright.spark.shared_hosts import SharedHosts
from plugwright.spark.stream_host import run_stream_task
from plugwright.spark.stream_query import StreamPlan, handover_of, reached_offsets, start_query
from plugwright.spark.task_threads import run_shared_tasks
from plugwright.spark.tickets import TICKET_PROPERTY, Tickets
from plugwright.spark.warming import warm_up
from plugwright.spark.watch import PlacementMonitor

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from pyspark.sql import DataFrame, SparkSession

    from plugwright.spark._shared_host import SharedHost
    from plugwright.spark._shipments import Shipments
    from plugwright.spark._spec import TaskSpec
    from plugwright.spark._task_table import TaskStatus
    from plugwright.spark.crashes import CrashBudget
    from plugwright.spark.driver_offsets import OffsetKeeper
    from plugwright.spark.messages import Hello
    from plugwright.spark.stream_handover import Beginning
    from plugwright.spark.stream_query import StreamSettings
    from plugwright.spark.watch import PlacedJob

log = logging.getLogger(__name__)

_POOL = "spark.scheduler.pool"
"""Spark creates a pool of this name, and schedules freed slots fairly between pools."""

_GONE = "Spark ended, and with it every task of this worker; see its log, and restart the worker"


class SparkLauncher:
    """Launches jobs in one Spark session.

    Args:
        session: runs the tasks; the caller stops it.
        budget: the number of crashes that a task survives.
        offsets: stores the offsets of specs that name no topic for them.
        shipments: sends plugin locations to executors; by default they have them already.
        tasks_per_process: most resident tasks that share a process.

    Raises:
        SetupError: if it cannot listen for its tasks.
    """

    def __init__(
        self,
        session: SparkSession,
        *,
        budget: CrashBudget | None = None,
        offsets: OffsetKeeper | None = None,
        shipments: Shipments | None = None,
        tasks_per_process: int = 1,
    ) -> None:
        self._session = session
        self._budget = budget
        self._offsets = offsets
        self._shipments = shipments
        self._tickets = Tickets()
        self._jobs: dict[str, ResidentJob] = {}
        self._streams: dict[str, StreamJob] = {}
        self._planning = threading.Lock()
        self._plans: dict[tuple[int, str], DataFrame] = {}
        conf = session.sparkContext.getConf()
        # Task hosts connect to the driver's address, as executors do.
        self._host = str(conf.get("spark.driver.host"))
        listens_at = str(conf.get("spark.driver.bindAddress", self._host))
        port = int(conf.get(CONTROL_PORT, "0"))
        self._server = ChannelServer(
            self._tickets.admits, self._converse, host=listens_at, port=port
        )
        self._placement = Placement(session)
        jobs = SharedJobs(
            session.sparkContext, self._tickets, self._run_process, self._process_ended
        )
        self._shared = SharedHosts(tasks_per_process, jobs, self._tickets.admission)
        self._shares = tasks_per_process > 1
        self._watch = PlacementMonitor(self._placed, self._placement)
        self._watch.start()

    def prepare(self, python_paths: Sequence[str]) -> None:
        """Warm up the Python workers for these paths, and wait for them."""
        for python_path in python_paths:
            with suppress(SetupError):  # the connector that needs the location reports it
                path = self._executors_path(python_path)
                with self._planning:  # the environment is captured while a plan is made
                    warm_up(self._session, path)

    def launch(
        self,
        name: str,
        specs: Sequence[TaskSpec],
        *,
        python_path: str = "",
        listener: Callable[[int, TaskStatus], None] | None = None,
    ) -> ResidentJob:
        """Launch tasks of one connector.

        Args:
            name: unique among the launcher's jobs.
            specs: the spec of each task.
            python_path: directories that the tasks' plugins are imported from, separated as in
                PYTHONPATH; each value has Python workers of its own, so plugins of different
                locations do not share modules.
            listener: called for every change of a task's state, see `ResidentJob`.
        """
        path = self._executors_path(python_path)
        job = ResidentJob(
            name,
            self._executors_specs(specs, python_path),
            partial(self._cancel, name),
            listener,
            budget=self._budget,
            explain=FailureReports(partial(self._failures, name)).words,
            offsets=self._offsets,
        )
        self._jobs[name] = job
        with _forgotten_on_error(self._jobs, name):
            if self._shares:
                self._shared.add(job, path, partial(self._over, job))
                return job
            plan = self._plan(len(specs), path)
            threading.Thread(
                target=self._run, args=(job, plan, path), name=f"job-{name}", daemon=True
            ).start()
        return job

    def launch_stream(
        self,
        name: str,
        specs: Sequence[TaskSpec],
        settings: StreamSettings,
        *,
        python_path: str = "",
        listener: Callable[[int, TaskStatus], None] | None = None,
    ) -> StreamJob:
        """Run the tasks of a sink connector in a streaming query.

        Args:
            name: unique among the launcher's jobs.
            specs: the specs of all tasks, by number.
            settings: the settings of the query.
            python_path: directories that the tasks' plugins are imported from.
            listener: called for every change of a task's state, see `StreamJob`.
        """
        specs = self._executors_specs(specs, python_path)
        path = self._executors_path(python_path)
        start = partial(self._start_query, name, specs, path, settings)
        plan = StreamPlan(
            handover_of(specs[0], settings),
            start,
            lambda beginning: reached_offsets(self._session, beginning.checkpoint),
            patience_s=specs[0].flush_timeout_s,
        )
        job = StreamJob(name, specs, plan, listener, budget=self._budget)
        self._streams[name] = job
        with _forgotten_on_error(self._streams, name):
            threading.Thread(
                target=self._stream, args=(job,), name=f"job-{name}", daemon=True
            ).start()
        return job

    def set_level(self, namespace: str, level: int) -> None:
        """Set the level of a logger and its descendants in the processes of all tasks."""
        for job in self._all():
            job.set_level(namespace, level)

    def lives(self) -> bool:
        """Whether Spark is running; queries its JVM."""
        try:
            return not self._session.sparkContext._jsc.sc().isStopped()  # noqa: SLF001  # pyspark's only way to its JVM
        except Exception:  # noqa: BLE001  # whatever it is, Spark does not answer
            return False

    def close(self) -> None:
        """Stop every job and the control channel, after handling all received messages."""
        for job in self._all():
            job.stop()
        self._watch.close()
        self._server.close()

    def _executors_path(self, python_path: str) -> str:
        return self._shipments.path(python_path) if self._shipments else python_path

    def _executors_specs(self, specs: Sequence[TaskSpec], python_path: str) -> Sequence[TaskSpec]:
        return self._shipments.specs(specs, python_path) if self._shipments else specs

    def _plan(self, tasks: int, python_path: str) -> DataFrame:
        """The plan for this many tasks; cached, because planning takes a tenth of a second."""
        with self._planning:  # the environment is captured while a plan is made
            key = tasks, python_path
            if key not in self._plans:
                self._plans[key] = self._new_plan(tasks, python_path)
            return self._plans[key]

    def _new_plan(
        self, tasks: int, python_path: str, run: Callable[..., Any] = run_resident_tasks
    ) -> DataFrame:
        host = ExecutorFunction.of(run, **self._driver())
        with worker_environment(self._session, python_path):
            return self._session.range(0, tasks, 1, tasks).mapInArrow(host, OUTPUT_SCHEMA)

    def _start_query(  # noqa: PLR0913, PLR0917  # bound at the launch, except for the last two
        self,
        name: str,
        specs: Sequence[TaskSpec],
        python_path: str,
        settings: StreamSettings,
        beginning: Beginning,
        on_batch: Callable[[DataFrame, int], None],
    ) -> Any:
        tasks = len(specs)
        host = ExecutorFunction.of(run_stream_task, **self._driver(), job=name, tasks=tasks)
        # The threads of the query inherit it.
        self._session.sparkContext.setLocalProperty(TICKET_PROPERTY, self._tickets.issue(name))
        self._session.sparkContext.setLocalProperty(_POOL, specs[0].connector)
        with self._planning, worker_environment(self._session, python_path):
            return start_query(
                self._session,
                name=name,
                spec=specs[0],
                tasks=tasks,
                settings=settings,
                beginning=beginning,
                host=host,
                on_batch=on_batch,
            )

    def _run(self, job: ResidentJob, plan: DataFrame, python_path: str) -> None:
        """Run the job; if it fails, run another one with the remaining tasks.

        Spark ends a job whose tasks fail too often for it, or when a cluster removes its executors,
        but only the crash budget decides whether a task failed. Each job has its own name, because
        processes of a former one may live on for a moment and must not be mistaken for new ones.
        """
        name, runs = job.name, 0
        context = self._session.sparkContext
        context.addJobTag(job.name)
        context.setLocalProperty(_POOL, job.connector)
        try:
            self._tickets.name_job(context, name)
            error = _outcome(plan)
            while error is not None and self.lives() and (places := job.again(error)):
                del self._jobs[name]
                self._tickets.withdraw(name)
                runs += 1
                name = f"{job.name}.{runs}"
                self._jobs[name] = job
                self._tickets.name_job(context, name)
                error = _outcome(self._plan(len(places), python_path))
            job.ended(error if self.lives() else RuntimeError(_GONE))
        except Exception as broken:  # noqa: BLE001  # a plan cannot be made in a session that ends
            job.ended(broken)
        finally:
            self._jobs.pop(name, None)
            self._tickets.withdraw(name)

    def _run_process(self, host: SharedHost) -> None:
        """Run the plan of a process that tasks share, until it ends."""
        with self._planning:
            plan = self._new_plan(1, host.path, run_shared_tasks)
        plan.collect()

    def _process_ended(self, host: SharedHost, error: Exception | None) -> None:
        if error is None or self.lives():
            self._shared.ended(host, error)
        else:
            self._shared.abandon(host, _GONE)

    def _over(self, job: ResidentJob) -> None:
        """Forget a job all of whose tasks have left the processes that they shared."""
        job.ended(None)
        self._jobs.pop(job.name, None)
        self._tickets.withdraw(job.name)

    def _cancel(self, name: str) -> None:
        """End the processes of a job."""
        if self._shares and (job := self._jobs.get(name)) is not None:
            self._shared.evict(job)
        else:
            self._session.sparkContext.cancelJobsWithTag(name)

    def _placed(self) -> Sequence[PlacedJob]:
        """What needs slots of Spark."""
        return self._shared.all() if self._shares else list(self._jobs.values())

    def _driver(self) -> dict[str, Any]:
        """The driver's address and certificate; not secret, because Spark sends it everywhere."""
        address = (self._host, self._server.address[1])
        return {"address": address, "certificate": self._server.certificate}

    def _all(self) -> Sequence[ResidentJob | StreamJob]:
        return [*self._jobs.values(), *self._streams.values()]

    def _stream(self, job: StreamJob) -> None:
        try:
            job.run()
        finally:
            self._streams.pop(job.name, None)
            self._tickets.withdraw(job.name)

    def _failures(self, name: str) -> Mapping[int, tuple[int, str]]:
        try:
            return self._placement.failures(name)
        except Exception:  # noqa: BLE001  # it would only add to what is known
            log.debug("Spark reports nothing about the tasks of %s", name)
            return {}

    def _converse(self, channel: Channel, hello: Hello) -> None:
        if (host := self._shared.find(hello.job)) is not None:
            self._shared.converse(host, hello, channel)
            return
        job = self._jobs.get(hello.job) or self._streams.get(hello.job)
        if job is not None:
            job.converse(hello.task, hello, channel)
        if self._shares and isinstance(job, ResidentJob):
            self._shared.left(job, hello.task, hello.run)


@contextmanager
def _forgotten_on_error(jobs: dict[str, Any], name: str) -> Iterator[None]:
    """Forget a job that cannot be started: nothing would ever end it."""
    try:
        yield
    except BaseException:
        del jobs[name]
        raise


def _outcome(plan: DataFrame) -> Exception | None:
    """Run a plan to its end; returns its error, if any."""
    try:
        plan.collect()
    except Exception as error:  # noqa: BLE001  # the outcome of the job, whatever it is
        return error
    return None
