"""Streaming reads: tasks run on the driver, and the checkpoint stores their source offsets.

A source knows its offsets only after a poll, but Spark needs the end of a micro-batch before
it reads it: so tasks are polled on the driver, and the plan carries their records.
"""

from __future__ import annotations

import time
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from pyspark.sql.datasource import SimpleDataSourceStreamReader

from plugwright.errors import ConnectError
from plugwright.spark.datasource._errors import readable_errors
from plugwright.spark.datasource._replay import Replay
from plugwright.spark.datasource.location import enter_location
from plugwright.spark.datasource.offsets import StreamPosition
from plugwright.spark.datasource.source_run import SourceRun, kept
from plugwright.spark.rows import RecordRows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import pyarrow as pa

    from plugwright.record import SourceRecord
    from plugwright.spark.datasource.plan import ConnectorPlan

try:
    from pyspark.sql.streaming.datasource import SupportsTriggerAvailableNow
except ImportError:  # before 4.2
    SupportsTriggerAvailableNow = object  # type: ignore[assignment, misc]  # an optional mixin

_EMPTY_ROUNDS_S = 0.05
_MOST = 100_000  # records of a micro-batch, held by the driver, unless rows.limit is lower


class RowsStreamReader(SimpleDataSourceStreamReader, SupportsTriggerAvailableNow):
    """Reads a source connector as a stream, at least once.

    Every record is in a micro-batch, and its source offset in the checkpoint of that micro-batch.
    After a crash Spark repeats the last micro-batch: tasks are started at its start offsets
    and polled until they reach its end offsets; the next one starts there. A source that
    returns the same records for the same offsets reproduces the micro-batch, so that an
    idempotent sink is exactly-once; another source may repeat records, but a micro-batch that
    does not reach its end fails instead of being cut short. Records are acknowledged to the source
    (``commit_record``, ``commit``) when their micro-batch is committed.

    Args:
        plan: the connector.
        columns: the columns that Spark expects.
        strict: whether a field without a column is an error.
        clock: seconds; ends a micro-batch that does not fill.
    """

    def __init__(
        self,
        plan: ConnectorPlan,
        columns: pa.Schema,
        *,
        strict: bool,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._plan = plan
        self._clock = clock
        self._rows = RecordRows(columns, plan.options.mode, strict=strict)
        self._stack = ExitStack()
        self._runs: list[SourceRun] | None = None
        self._at = StreamPosition(plan.plugin, plan.version)
        self._unacknowledged: list[tuple[dict[str, Any], list[tuple[SourceRun, Any]]]] = []
        self._only_available = False
        self._drained = False

    def __getstate__(self) -> dict[str, Any]:
        """Exclude the running tasks: executors receive only the plan."""
        return self.__dict__ | {"_stack": None, "_runs": None, "_unacknowledged": []}

    def initialOffset(self) -> dict[str, Any]:  # noqa: N802  # Spark's name
        """The start of a new query: ``rows.offsets``."""
        given = self._plan.options.offsets.by_partition
        return StreamPosition(self._plan.plugin, self._plan.version, 0, given).to_plain()

    def prepareForTriggerAvailableNow(self) -> None:  # noqa: N802  # Spark's name
        """Read until the source is idle, then stop."""
        self._only_available = True

    def read(self, start: dict[str, Any]) -> tuple[Iterator[Any], dict[str, Any]]:
        """The next records, and the position after them.

        Raises:
            RowsError: if the checkpoint is not of this plugin, the plugin fails, or a record does
                not fit the columns.
        """
        with readable_errors():
            position = self._position(start)
            try:
                if self._runs is None or position.to_plain() != self._at.to_plain():
                    self._restart(position)
                batches, end, taken = self._next(position)
            except BaseException:
                self.stop()  # their uncommitted records are read again from the checkpoint
                raise
            self._at = end
            if taken:
                self._unacknowledged.append((end.to_plain(), taken))
            return iter(batches), end.to_plain()

    def readBetweenOffsets(  # noqa: N802  # Spark's name
        self, start: dict[str, Any], end: dict[str, Any]
    ) -> Iterator[Any]:
        """Read the records of a micro-batch again, after a crash.

        Raises:
            RowsError: ``rows.not-reproducible`` if the source does not reach its end; otherwise as
                `read`.
        """
        with readable_errors():
            enter_location(self._plan)
            replay = Replay(self._plan, self._position(start), self._position(end))
            for records in replay.records():
                yield from self._rows.batches(records)

    def commit(self, end: dict[str, Any]) -> None:
        """Acknowledge records up to a position to the source.

        Raises:
            RowsError: if the plugin fails.
        """
        with readable_errors():
            ends = [position for position, _ in self._unacknowledged]
            if end in ends:
                done = ends.index(end) + 1
                taken = [each for _, polled in self._unacknowledged[:done] for each in polled]
                self._unacknowledged = self._unacknowledged[done:]
                for run, records in taken:
                    run.acknowledge(records)

    def stop(self) -> None:
        """Stop the tasks."""
        self._stack.close()
        self._runs = None

    def _position(self, plain: dict[str, Any]) -> StreamPosition:
        plan = self._plan
        return StreamPosition.from_plain(
            plain,
            plugin=plan.plugin,
            version=plan.version,
            any_version=plan.options.any_version,
        )

    def _restart(self, position: StreamPosition) -> None:
        """Start all tasks at a position."""
        self.stop()
        self._unacknowledged = []
        enter_location(self._plan)
        self._at, self._runs = position, []
        for number in range(len(self._plan.configs)):
            run = SourceRun(self._plan, number, position.given())
            self._runs.append(self._stack.enter_context(run))

    def _next(
        self, position: StreamPosition
    ) -> tuple[list[Any], StreamPosition, list[tuple[SourceRun, Any]]]:
        """Poll every task until a round is empty, time is up, or the limit is reached."""
        batches: list[Any] = []
        taken: list[tuple[SourceRun, Any]] = []
        limit, count = self._plan.options.limit or _MOST, 0
        began = last = self._clock()
        while not self._drained:
            polled = [(run, found) for run in self._runs or () if (found := run.poll())]
            for run, found in polled:
                records = [record for record, _ in found]
                require_offsets(records, self._plan.plugin)
                batches += self._rows.batches(kept(found))
                position = position.after(records)
                count += len(records)
                taken.append((run, records))
            if polled:
                last = self._clock()
            elif self._idle(count, self._clock() - last):
                break
            if count >= limit or (count and self._clock() - began >= self._plan.options.idle_s):
                break
        return batches, position, taken

    def _idle(self, count: int, silent_s: float) -> bool:
        """Whether a round without records ends the micro-batch."""
        if not self._only_available:
            return count > 0 or silent_s >= _EMPTY_ROUNDS_S
        self._drained = silent_s >= self._plan.options.idle_s
        return self._drained


def require_offsets(records: Sequence[SourceRecord], plugin: str) -> None:
    """Check that a source's records have offsets, which a stream needs.

    Raises:
        ConnectError: ``rows.no-offsets`` if they do not.
    """
    if any(record.source_partition is None or record.source_offset is None for record in records):
        raise ConnectError(
            f"{plugin} returns records without source offsets, so a stream could not continue "
            "after a restart",
            code="rows.no-offsets",
            hint="read it as a batch with spark.read, or run a worker",
            facts={"plugin": plugin},
        )
