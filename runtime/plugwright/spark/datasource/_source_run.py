"""One source task within a query: the worker's loop, whose records are asked for step by step."""

from __future__ import annotations

import logging
import time
from contextlib import ExitStack
from typing import TYPE_CHECKING, Self

from plugwright.spark.datasource._around import Around
from plugwright.spark.datasource._codec import record_of
from plugwright.worker import SourceSettings, SourceTaskLoop

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from plugwright.record import SourceRecord
    from plugwright.spark.datasource._offsets import GivenOffsets
    from plugwright.spark.datasource._plan import ConnectorPlan
    from plugwright.worker import DeliveryCallback, OutgoingRecord, TaskListener

    Polled = list[tuple[SourceRecord, SourceRecord | None]]
    """Records as the task gave them, each with what the transformations made of it."""

_ROWS = 10_000
_PAUSE_S = 0.01  # after a poll that had nothing, for tasks that do not wait themselves

log = logging.getLogger(__name__)


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
        self._options = plan.options
        self._clock = clock
        self._stack = ExitStack()
        self._around = Around(plan, number, self._stack)
        loop = SourceTaskLoop(
            self._around.task,
            offsets=offsets,
            deliver=self._deliver,
            settings=SourceSettings(errors=plan.options.errors),
            **self._around.seams,
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
        """What the next poll brings; nothing after a poll that is to be repeated.

        Raises:
            ConnectError: if the task fails, or a transformation does and that is not tolerated.
        """
        self._step()
        return self._handover.take()

    def until_idle(self) -> Iterator[list[SourceRecord]]:
        """All records until the task has had none for a while, or the limit; many at a time.

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
                # Only polls count: the reader of the records may take its time.
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
        """Tell the task that records are where they should be; its errors change nothing."""
        listener = self._handover.listener
        if listener.wants_records:
            for record in records:
                listener.delivered(record, None)
        listener.committed()

    def stop(self) -> None:
        """Stop the task; what it raises then changes nothing."""
        known = self._around.error
        self._around.control.stop()
        for _ in self._steps:
            pass
        if self._around.error is not known:
            log.warning("%s: ignored: %s", self._around.identity, self._around.error)
        self._stack.close()

    def _step(self) -> None:
        next(self._steps, None)
        if self._around.error is not None:
            raise self._around.error

    def _deliver(self, listener: TaskListener) -> _Handover:
        self._handover = _Handover(listener)
        return self._handover


def kept(polled: Polled) -> list[SourceRecord]:
    """What the transformations have made of records, without those that were left out."""
    return [made for _, made in polled if made is not None]


class _Handover:
    """The delivery of a loop whose records are taken by a query, which also keeps the offsets."""

    in_flight = False

    def __init__(self, listener: TaskListener) -> None:
        self.listener = listener
        self._polled: Polled = []

    def take(self) -> Polled:
        """What has come since the last call."""
        polled, self._polled = self._polled, []
        return polled

    def callback(self, records: Sequence[SourceRecord]) -> DeliveryCallback:  # noqa: ARG002  # for all the same
        """Nothing calls back: the query says what it has."""
        return _ignored

    def send(
        self, records: Sequence[SourceRecord], outgoing: Sequence[OutgoingRecord | None]
    ) -> None:
        """Keep records until they are taken."""
        made = [None if each is None else record_of(each) for each in outgoing]
        self._polled += zip(records, made, strict=False)

    def batch_sent(self) -> None:
        """Nothing depends on batches."""

    def tick(self) -> None:
        """Nothing falls due."""

    def pause(self) -> None:
        """Nobody pauses a query's task."""

    def finish(self, *, failed: bool) -> None:
        """The query keeps the offsets."""


def _ignored(error: object | None, message: object) -> None:
    """See `_Handover.callback`."""
