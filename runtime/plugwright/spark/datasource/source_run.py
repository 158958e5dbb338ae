"""Runs one source task in a query: the worker's loop, polled step by step."""

from __future__ import annotations

import logging
import time
from contextlib import ExitStack
from typing import TYPE_CHECKING, Self

from plugwright.spark.datasource._codec import record_of
from plugwright.spark.datasource._query_task import QueryTask
from plugwright.worker import HostGuarantee, SourceSettings, SourceTaskLoop

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from plugwright.record import SourceRecord
    from plugwright.spark.datasource.offsets import GivenOffsets
    from plugwright.spark.datasource.plan import ConnectorPlan
    from plugwright.worker import DeliveryCallback, OutgoingRecord, TaskListener

    Polled = list[tuple[SourceRecord, SourceRecord | None]]
    """Records as the task returned them, each with the result of the transformations."""

_ROWS = 10_000
_PAUSE_S = 0.01  # after an empty poll, for tasks that do not wait themselves

log = logging.getLogger(__name__)


class SourceRun:
    """A source task with its transformations; a context manager that always stops it.

    Args:
        plan: of its connector.
        number: of the task.
        offsets: the offsets to continue from.

    Raises:
        ConnectError: if it cannot be created.
    """

    def __init__(
        self,
        plan: ConnectorPlan,
        number: int,
        offsets: GivenOffsets,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._options = plan.options
        self._clock = clock
        self._stack = ExitStack()
        self._task = QueryTask(plan, number, self._stack)
        loop = SourceTaskLoop(
            self._task.task,
            self._task.environment,
            HostGuarantee(offsets, self._deliver),
            settings=SourceSettings(errors=plan.options.errors),
        )
        self._steps = loop.steps()

    def __enter__(self) -> Self:
        """Start the task.

        Raises:
            PluginError: if it fails.
        """
        with ExitStack() as stack:
            stack.callback(self.stop)
            self._step()
            stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def poll(self) -> Polled:
        """Poll once; returns nothing if the poll is to be retried.

        Raises:
            ConnectError: if the task fails, or a transformation does and errors are not tolerated.
        """
        self._step()
        return self._handover.take()

    def until_idle(self) -> Iterator[list[SourceRecord]]:
        """All records until the task has been idle for a while, or the limit; many at a time.

        Raises:
            ConnectError: if the task or a transformation fails.
        """
        gathered: list[SourceRecord] = []
        left = self._options.limit or None
        idle_since: float | None = None
        while left != 0:
            began = self._clock()
            polled = self.poll()[:left]
            if not polled:
                # Only polls count: the consumer of the records may take its time.
                if idle_since is None:
                    idle_since = began
                elif self._clock() - idle_since >= self._options.idle_s:
                    break
                time.sleep(_PAUSE_S)
                continue
            idle_since = None
            left = None if left is None else left - len(polled)
            gathered += kept(polled)
            if len(gathered) >= _ROWS:
                yield gathered
                gathered = []
        if gathered:
            yield gathered

    def acknowledge(self, records: Sequence[SourceRecord]) -> None:
        """Acknowledge delivered records to the task; its errors are ignored."""
        listener = self._handover.listener
        if listener.wants_records:
            for record in records:
                listener.delivered(record, None)
        listener.committed()

    def stop(self) -> None:
        """Stop the task; its errors are ignored."""
        known = self._task.error
        self._task.control.stop()
        for _ in self._steps:
            pass
        if self._task.error is not known:
            log.warning("%s: ignored: %s", self._task.identity, self._task.error)
        self._stack.close()

    def _step(self) -> None:
        next(self._steps, None)
        if self._task.error is not None:
            raise self._task.error

    def _deliver(self, listener: TaskListener) -> _QueryDelivery:
        self._handover = _QueryDelivery(listener)
        return self._handover


def kept(polled: Polled) -> list[SourceRecord]:
    """The results of the transformations, without dropped records."""
    return [made for _, made in polled if made is not None]


class _QueryDelivery:
    """The delivery of a loop whose records and offsets the query takes."""

    in_flight = False

    def __init__(self, listener: TaskListener) -> None:
        self.listener = listener
        self._polled: Polled = []

    def take(self) -> Polled:
        """Take the records since the last call."""
        polled, self._polled = self._polled, []
        return polled

    def callback(self, records: Sequence[SourceRecord]) -> DeliveryCallback:  # noqa: ARG002  # for all the same
        """A callback that does nothing: the query acknowledges records itself."""
        return _ignored

    def send(
        self, records: Sequence[SourceRecord], outgoing: Sequence[OutgoingRecord | None]
    ) -> None:
        """Keep records until they are taken."""
        made = [None if each is None else record_of(each) for each in outgoing]
        self._polled += zip(records, made, strict=False)

    def batch_sent(self) -> None:
        """Do nothing: commits do not depend on batches."""

    def tick(self) -> None:
        """Do nothing: nothing becomes due."""

    def pause(self) -> None:
        """Do nothing: a query's task is never paused."""

    def finish(self, *, failed: bool) -> None:
        """Do nothing: the query stores the offsets."""


def _ignored(error: object | None, message: object) -> None:
    """See `_QueryDelivery.callback`."""
