"""Replays a micro-batch from its start offsets to its end offsets."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from plugwright.errors import ConnectError
from plugwright.spark.datasource.source_run import SourceRun, kept
from plugwright.spark.rows import map_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any

    from plugwright.record import SourceRecord
    from plugwright.spark.datasource.offsets import StreamPosition
    from plugwright.spark.datasource.plan import ConnectorPlan
    from plugwright.spark.datasource.source_run import Polled

_PAUSE_S = 0.01


class Replay:
    """Runs the tasks of a source from one position to another.

    Records of a source partition after its end offset belong to the next micro-batch. Records may
    share an offset: the replay expects as many as before, but stops when the source is idle.

    Args:
        plan: the connector.
        start: start of the micro-batch.
        end: end of the micro-batch.
    """

    def __init__(
        self,
        plan: ConnectorPlan,
        start: StreamPosition,
        end: StreamPosition,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._plan = plan
        self._start = start
        self._clock = clock
        self._ends: Mapping[str, Mapping[str, Any]] = {
            name: offset
            for name, offset in end.offsets.items()
            if start.offsets.get(name) != offset
        }
        self._reached: set[str] = set()
        self._left = end.records - start.records

    def records(self) -> Iterator[list[SourceRecord]]:
        """The records of the micro-batch after the transformations.

        Raises:
            ConnectError: ``rows.not-reproducible`` if a task does not reach its end in time.
        """
        deadline = self._clock() + self._plan.options.replay_s
        for number in range(len(self._plan.configs)):
            if self._left <= 0 and self._complete:
                return
            with SourceRun(self._plan, number, self._start.given()) as run:
                yield from self._of(run, deadline, last=number == len(self._plan.configs) - 1)
        if missing := sorted(self._ends.keys() - self._reached):
            raise self._not_reproducible(missing[0])

    def _of(self, run: SourceRun, deadline: float, *, last: bool) -> Iterator[list[SourceRecord]]:
        """The records of one task; an idle task is left unless it is the last one."""
        heard = self._clock()
        while (self._left > 0 or not self._complete) and self._clock() < deadline:
            if mine := self._within(run.poll()):
                heard = self._clock()
                self._left -= len(mine)
                yield kept(mine)
            elif (self._complete or not last) and self._clock() - heard > self._plan.options.idle_s:
                return
            else:
                time.sleep(_PAUSE_S)

    @property
    def _complete(self) -> bool:
        return self._reached == self._ends.keys()

    def _within(self, polled: Polled) -> Polled:
        found = []
        for record, made in polled:
            name, offset = str(map_text(record.source_partition)), record.source_offset
            if name in self._reached and offset != self._ends[name]:
                continue
            if name in self._ends and offset == self._ends[name]:
                self._reached.add(name)
            if name in self._ends:
                found.append((record, made))
        return found

    def _not_reproducible(self, partition: str) -> ConnectError:
        return ConnectError(
            f"{self._plan.plugin} did not reach the offset {map_text(self._ends[partition])} of "
            f"{partition} again, where the replayed micro-batch ended",
            code="rows.not-reproducible",
            hint="raise rows.replay.timeout.ms if the source is slow; if it has lost the data, "
            "start with another checkpointLocation and rows.offsets",
            facts={"plugin": self._plan.plugin, "partition": partition},
        )
