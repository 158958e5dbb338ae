"""The tasks of one sink connector on Structured Streaming, in a single query."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from plugwright.herder._worker_interface import TaskUpdate
from plugwright.worker import carried_on

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from plugwright.herder._worker_interface import TaskListener
    from plugwright.spark import StreamJob, TaskSpec, TaskStatus

    Launch = Callable[[str, Sequence[TaskSpec], Callable[[int, TaskStatus], None]], StreamJob]


class StreamTasks:
    """All tasks of a connector; restarting one task restarts the query.

    Args:
        launch: starts the query of a job.
    """

    def __init__(self, launch: Launch) -> None:
        self._launch = launch
        self._specs: dict[int, TaskSpec] = {}
        self._listeners: dict[int, TaskListener] = {}
        self._former: dict[int, Mapping[str, float]] = {}
        self._former_topics: Mapping[int, Collection[str]] = {}
        self._job: StreamJob | None = None
        self._paused = False

    @property
    def job(self) -> StreamJob:
        """The job of the query."""
        assert self._job is not None  # noqa: S101  # called after the start only
        return self._job

    def start(self, name: str, specs: Sequence[TaskSpec], listener: TaskListener) -> None:
        """Run these tasks, together with earlier ones that were not stopped, in a new query.

        If the tasks are paused, the query reads nothing until they are resumed.
        """
        self._end(30.0)
        self._paused = self._paused or any(spec.paused for spec in specs)
        for spec in specs:
            self._specs[spec.task] = spec
            self._listeners[spec.task] = listener
            self._former.pop(spec.task, None)
        ordered = [
            replace(self._specs[number], paused=self._paused) for number in sorted(self._specs)
        ]
        self._job = self._launch(name, ordered, self._heard)

    def pause(self) -> None:
        """Ask every task to pause."""
        self._paused = True
        if self._job is not None:
            self._job.pause()

    def resume(self) -> None:
        """Ask every task to resume."""
        self._paused = False
        if self._job is not None:
            self._job.resume()

    def stop(self, timeout_s: float, tasks: Sequence[int] | None = None) -> bool:
        """Stop tasks, or all, by force after the time-out; whether they ended by themselves.

        The remaining tasks wait for the next start.
        """
        leaving = set(self._specs if tasks is None else tasks)
        staying = [number for number in self._specs if number not in leaving]
        gracefully = self._end(timeout_s)
        for number in leaving:
            self._specs.pop(number, None)
            self._listeners.pop(number, None)
        if not staying:
            self._paused = False
        for number in staying:
            self._listeners[number](number, TaskUpdate("RESTARTING"))
        return gracefully

    def forget_topics(self, before_ms: int) -> None:
        """Forget topics last used before a time in milliseconds since the epoch."""
        if self._job is not None:
            self._job.forget_topics(before_ms)

    def topics(self) -> Mapping[int, Collection[str]]:
        """The topics that each task has used since the last reset, also after it has stopped."""
        return self._former_topics if self._job is None else self._job.topics

    def counters(self) -> Mapping[int, Mapping[str, float]]:
        """Each task's counters since its launch."""
        job = self._job
        counted = dict(job.counters) if job is not None else {}
        numbers = {*counted, *self._former}
        return {n: carried_on(self._former.get(n, {}), counted.get(n, {})) for n in numbers}

    def _heard(self, number: int, status: TaskStatus) -> None:
        listener = self._listeners.get(number)
        if listener is not None:
            listener(number, TaskUpdate(status.state, status.trace, status.topics))

    def _end(self, timeout_s: float) -> bool:
        job = self._job
        if job is None:
            return True
        gracefully = job.stop(timeout_s)
        self._former = dict(self.counters())
        self._former_topics = job.topics
        self._job = None
        return gracefully
