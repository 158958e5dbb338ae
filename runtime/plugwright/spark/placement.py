"""Queries Spark's status store about the tasks of jobs."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from plugwright.spark.secured import runs_in_process
from plugwright.spark.session import master_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from pyspark.sql import SparkSession

    from plugwright.spark.messages import Hello

_LOOKED_AT = 200
_MOVED = 10_000
_AGAIN_S = 1.0
_RUNNING = "RUNNING"
_DRIVER = "driver"
_JAVA_STACK = "\n\tat "
_PYTHON_STACK = "Fatal Python error"


@dataclass(frozen=True, slots=True)
class Progress:
    """Spark's progress with a job.

    Attributes:
        waiting: number of tasks without a slot.
        failures: number of failed attempts.
    """

    waiting: int
    failures: int


class Placement:
    """Queries Spark's status store, of which pyspark exposes only a part.

    Args:
        session: the session of the jobs.
    """

    def __init__(self, session: SparkSession) -> None:
        self._session = session
        self._context: Any = session.sparkContext
        decommissions = self._context.getConf().get("spark.decommission.enabled", "false")
        self._decommissions = decommissions == "true" and not runs_in_process(self.master)

    @property
    def master(self) -> str:
        """The master as operators write it."""
        return master_of(self._session)

    def slots(self) -> int:
        """The number of tasks that can run at once on the present executors."""
        spark = self._spark()
        profile = spark.resourceProfileManager().defaultResourceProfile()
        return int(spark.maxNumConcurrentTasks(profile))

    def progress(self, tag: str) -> Progress | None:
        """The progress of the job under a tag; ``None`` if it has not started."""
        for stage in self._stages(tag):
            begun = stage.numActiveTasks() + stage.numCompletedTasks()
            return Progress(max(0, stage.numTasks() - begun), stage.numFailedTasks())
        return None

    def failures(self, tag: str) -> Mapping[int, tuple[int, str]]:
        """The number of failed attempts of each task, with Spark's last message."""
        found: dict[int, tuple[int, str]] = {}
        for task in self._attempts(tag, _LOOKED_AT):
            attempts = task.attempt() + 1
            if task.status() == "FAILED" and attempts > found.get(task.index(), (0, ""))[0]:
                found[task.index()] = attempts, _error_of(task)
        return found

    def leaving(self) -> frozenset[str]:
        """The executors that Spark is decommissioning, which get no more tasks."""
        if not self._decommissions:
            return frozenset()
        listed = self._spark().statusStore().executorList(True)
        executors = {listed.apply(n).id() for n in range(listed.size())} - {_DRIVER}
        backend = self._spark().schedulerBackend()
        return frozenset(each for each in executors if not backend.isExecutorActive(each))

    def running_on(self, tag: str, executors: Collection[str]) -> Sequence[int]:
        """The tasks of the job under a tag that run on these executors."""
        attempts = self._attempts(tag, _MOVED)
        running = (each for each in attempts if each.status() == _RUNNING)
        return [each.index() for each in running if each.executorId() in executors]

    def _attempts(self, tag: str, limit: int) -> Iterator[Any]:
        """Spark's records of attempts of tasks of the running jobs under a tag."""
        for stage in self._stages(tag):
            store = self._spark().statusStore()
            found = store.taskList(stage.stageId(), stage.currentAttemptId(), limit)
            yield from (found.apply(number) for number in range(found.size()))

    def _stages(self, tag: str) -> Iterator[Any]:
        """The stages of the running jobs under a tag; the number of other jobs does not matter."""
        tracker = self._spark().statusTracker()
        for job in tracker.getJobIdsForTag(tag):
            info = tracker.getJobInfo(job)
            if not info.isDefined() or str(info.get().status()) != _RUNNING:
                continue
            for stage in info.get().stageIds():
                found = tracker.getStageInfo(stage)
                if found.isDefined():
                    yield found.get()

    def _spark(self) -> Any:
        return self._context._jsc.sc()  # noqa: SLF001  # pyspark's only way to its JVM


def _error_of(task: Any) -> str:
    """Spark's message about a failed attempt."""
    message = task.errorMessage()  # Python cannot call Scala's getOrElse
    return failure_words(message.get()) if message.isDefined() else ""


class FailureReports:
    """Spark's messages about the failed attempts of one job.

    The answer to one query serves every task whose failure it covers, because many tasks may crash
    at once, and each message of each task is a message of the JVM.

    Args:
        ask: returns the number of failed attempts of each task, with Spark's last message.
        clock: monotonic seconds.
    """

    def __init__(
        self,
        ask: Callable[[], Mapping[int, tuple[int, str]]],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._ask = ask
        self._clock = clock
        self._lock = threading.Lock()
        self._job = ""
        self._found: Mapping[int, tuple[int, str]] = {}
        self._again_at = 0.0

    def words(self, hello: Hello) -> str:
        """Spark's message about the process before this one; empty if Spark has none."""
        with self._lock:
            if hello.job != self._job:  # it numbers its tasks and their attempts anew
                self._job, self._found, self._again_at = hello.job, {}, 0.0
            if not self._covers(hello) and self._clock() >= self._again_at:
                self._found = self._ask()
                if not self._covers(hello):
                    self._again_at = self._clock() + _AGAIN_S
            return self._found[hello.task][1] if self._covers(hello) else ""

    def _covers(self, hello: Hello) -> bool:
        return self._found.get(hello.task, (0, ""))[0] >= hello.attempt


def failure_words(message: str) -> str:
    """The readable part of Spark's message about a task: without stacks, except Python's.

    Spark repeats the message for every attempt, with the Java stack of the reporting code.
    """
    _, found, stack = message.partition(_PYTHON_STACK)
    if found:
        return (found + stack).partition(_JAVA_STACK)[0].strip()
    return message.partition(_JAVA_STACK)[0].strip()
