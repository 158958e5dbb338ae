"""One sink task within a query: given a Spark partition's rows, and done when they are durable."""

from __future__ import annotations

import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Self

from plugwright.errors import ConnectError, RetriableError
from plugwright.record import TopicPartition
from plugwright.spark.datasource._around import Around
from plugwright.spark.datasource._sink_context import RowsSinkContext
from plugwright.task import BatchIdentity, IdempotentSinkTask

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from plugwright.record import SinkRecord
    from plugwright.spark.datasource._plan import ConnectorPlan

__all__ = ["SinkRun"]

_MOST = 500  # records a put, as a consumer's max.poll.records
_RETRY_S = 1.0  # as a worker's


class SinkRun:
    """A sink task with its transformations; a context manager that stops it, whatever happens.

    Args:
        plan: of its connector.
        identity: of the batch that it is given.
        clock: seconds that only go forward.
        sleep: waits for so many seconds.

    Raises:
        ConnectError: if it cannot be made.
    """

    def __init__(
        self,
        plan: ConnectorPlan,
        identity: BatchIdentity,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        number = identity.partition % len(plan.configs)
        self._identity = plan.identity(number)
        self._batch = identity
        self._patience_s = plan.options.put_s
        self._clock = clock
        self._sleep = sleep
        self._config = plan.configs[number]
        with self._identity.calling("constructor"):
            self._task: Any = plan.task_class.load()()
        self._around = Around(plan, number)
        self._context = RowsSinkContext(
            self._config, self._around.handler, plan.task_class.class_name
        )
        self._delivered: dict[TopicPartition, int] = {}
        self._idempotent = isinstance(self._task, IdempotentSinkTask)

    def __enter__(self) -> Self:
        """Start the task.

        Raises:
            PluginError: if it fails.
        """
        try:
            with self._identity.calling("initialize"):
                self._task.initialize(self._context)
            with self._identity.calling("start"):
                self._task.start(self._config)
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def begin(self, partitions: Sequence[TopicPartition]) -> bool:
        """Assign the first partitions; whether the batch is wanted.

        Only an idempotent task that has written it before does not want it.

        Raises:
            PluginError: if the task fails.
        """
        self._open(partitions)
        if not self._idempotent:
            return True
        with self._identity.calling("begin_batch"):
            return bool(self._task.begin_batch(self._batch))

    def put(self, records: Sequence[SinkRecord]) -> None:
        """Deliver records, at most 500 at a time; waits as long as the task asks for that.

        Raises:
            ConnectError: if the task or a transformation fails; ``rows.sink-unavailable`` if it
                goes on asking for a retry.
        """
        for first in range(0, len(records), _MOST):
            part = records[first : first + _MOST]
            reached = {TopicPartition(r.topic, r.kafka_partition): r.kafka_offset + 1 for r in part}
            self._open([p for p in reached if p not in self._delivered])
            self._await_resume()
            if changed := self._around.transformed(part):
                self._put(changed)
            self._delivered |= reached
            if self._context.take_commit_request() and not self._idempotent:
                self._commit()

    def finish(self) -> None:
        """Return when all records are durable, by the word of the task's ``pre_commit``.

        Raises:
            ConnectError: if it fails; ``rows.not-durable`` if it does not say so in time.
        """
        self._retried(self._all_durable, "pre_commit", "rows.not-durable", "to make them durable")
        with self._identity.calling("close"):
            self._task.close(list(self._delivered))

    def stop(self) -> None:
        """Stop the task; what it raises then changes nothing."""
        with suppress(ConnectError, RetriableError), self._identity.calling("stop"):
            self._task.stop()
        self._around.close()

    def _open(self, partitions: Sequence[TopicPartition]) -> None:
        if partitions:
            self._context.assign(partitions)
            self._delivered |= dict.fromkeys(partitions, 0)
            with self._identity.calling("open"):
                self._task.open(list(partitions))

    def _put(self, records: Sequence[SinkRecord]) -> None:
        def attempt() -> bool:
            with self._identity.calling("put"):
                self._task.put(list(records))
            return True

        self._retried(attempt, "put", "rows.sink-unavailable", "to take them")

    def _await_resume(self) -> None:
        def attempt() -> bool:
            if self._context.paused:
                with self._identity.calling("put"):
                    self._task.put([])
            return not self._context.paused

        self._retried(attempt, "put", "rows.sink-unavailable", "to resume")

    def _commit(self) -> bool:
        with self._identity.calling("pre_commit"):
            answer = self._task.pre_commit(dict(self._delivered))
        return all((answer or {}).get(p, -1) >= to for p, to in self._delivered.items())

    def _all_durable(self) -> bool:
        if self._commit():
            return True
        if not self._idempotent:  # time passes for the task only when it is called
            with self._identity.calling("put"):
                self._task.put([])
        return False

    def _retried(self, attempt: Callable[[], bool], phase: str, code: str, what: str) -> None:
        """Try until it works, with the waits that the task asks for."""
        deadline = self._clock() + self._patience_s
        while True:
            failure: RetriableError | None = None
            try:
                if attempt():
                    return
            except RetriableError as error:
                failure = error
            if self._clock() >= deadline:
                why = f": {failure}" if failure else ""
                raise ConnectError(
                    f"{self._identity.plugin} {self._identity.version} had {self._patience_s:g} s "
                    f"{what}, the records of one batch, and has not{why}",
                    code=code,
                    hint=(failure.hint if failure else "")
                    or "mend what it writes to, or raise rows.put.timeout.ms",
                    facts={"plugin": self._identity.plugin, "phase": phase},
                ) from failure
            self._sleep(self._context.take_timeout(_RETRY_S))
