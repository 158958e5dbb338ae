"""Queries Spark's status store about the tasks of jobs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from plugwright.spark._session import master_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pyspark.sql import SparkSession

_LOOKED_AT = 200
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
        for stage in self._stages(tag):
            store = self._spark().statusStore()
            tasks = store.taskList(stage.stageId(), stage.currentAttemptId(), _LOOKED_AT)
            for task in (tasks.apply(n) for n in range(tasks.size())):
                attempts = task.attempt() + 1
                if task.status() == "FAILED" and attempts > found.get(task.index(), (0, ""))[0]:
                    found[task.index()] = attempts, failure_words(task.errorMessage().getOrElse(""))
        return found

    def _stages(self, tag: str) -> Iterator[Any]:
        """The running stages under a tag."""
        tracker = self._spark().statusTracker()
        active = set(tracker.getActiveStageIds())
        for job in tracker.getJobIdsForTag(tag):
            info = tracker.getJobInfo(job)
            for stage in info.get().stageIds() if info.isDefined() else ():
                found = tracker.getStageInfo(stage)
                if stage in active and found.isDefined():
                    yield found.get()

    def _spark(self) -> Any:
        return self._context._jsc.sc()  # noqa: SLF001  # pyspark's only way to its JVM


def failure_words(message: str) -> str:
    """The readable part of Spark's message about a task: without stacks, except Python's.

    Spark repeats the message for every attempt, with the Java stack of the reporting code.
    """
    _, found, stack = message.partition(_PYTHON_STACK)
    if found:
        return (found + stack).partition(_JAVA_STACK)[0].strip()
    return message.partition(_JAVA_STACK)[0].strip()
