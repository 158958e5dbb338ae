"""One source task within a query: started, polled, stopped."""

from __future__ import annotations

import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Self

from plugwright.errors import ConnectError, RetriableError
from plugwright.spark.datasource._around import Around
from plugwright.worker import LoopSourceTaskContext

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from plugwright.record import SourceRecord
    from plugwright.spark.datasource._offsets import GivenOffsets
    from plugwright.spark.datasource._plan import ConnectorPlan

__all__ = ["SourceRun"]

_ROWS = 10_000
_PAUSE_S = 0.01  # after a poll that had nothing, for tasks that do not wait themselves


class SourceRun:
    """A source task with its transformations; a context manager that stops it, whatever happens.

    Args:
        plan: of its connector.
        number: which of the connector's tasks it is.
        offsets: what it is told of where to go on.

    Raises:
        ConnectError: if it cannot be made.
    """

    def __init__(
        self,
        plan: ConnectorPlan,
        number: int,
        offsets: GivenOffsets,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._identity = plan.identity(number)
        self._options = plan.options
        self._clock = clock
        self._config = plan.configs[number]
        self._context = LoopSourceTaskContext(self._config, offsets)
        with self._identity.calling("constructor"):
            self._task: Any = plan.task_class.load()()
        self._around = Around(plan, number)

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

    def poll(self) -> Sequence[SourceRecord]:
        """The next records as the task gives them; none after a poll that is to be repeated.

        Raises:
            PluginError: if the task fails.
        """
        try:
            with self._identity.calling("poll"):
                return self._task.poll() or ()
        except RetriableError:
            return ()

    def transformed(self, records: Sequence[SourceRecord]) -> list[SourceRecord]:
        """Records after the transformations.

        Raises:
            ConnectError: if one fails and that is not tolerated.
        """
        return self._around.transformed(records)

    def until_idle(self) -> Iterator[list[SourceRecord]]:
        """All records until the task has had none for a while, or the limit; many at a time.

        Raises:
            ConnectError: if the task or a transformation fails.
        """
        gathered: list[SourceRecord] = []
        left = self._options.limit or None
        last = self._clock()
        while left != 0 and self._clock() - last < self._options.idle_s:
            polled = self.poll()[:left]
            if not polled:
                time.sleep(_PAUSE_S)
                continue
            last = self._clock()
            left = None if left is None else left - len(polled)
            gathered += self.transformed(polled)
            if len(gathered) >= _ROWS:
                yield gathered
                gathered = []
        if gathered:
            yield gathered

    def acknowledge(self, records: Sequence[SourceRecord]) -> None:
        """Tell the task that records are where they should be.

        Raises:
            PluginError: if it fails.
        """
        with self._identity.calling("commit_record"):
            for record in records:
                self._task.commit_record(record, None)
        with self._identity.calling("commit"):
            self._task.commit()

    def stop(self) -> None:
        """Stop the task; what it raises then changes nothing."""
        with suppress(ConnectError), self._identity.calling("stop"):
            self._task.stop()
        self._around.close()
