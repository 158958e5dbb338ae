"""Which source offsets may be stored: those below everything that Kafka has acknowledged.

Records are tracked in runs. A run is a series of consecutive records of one source partition that
were handed to the producer together; it counts as acknowledged when all of its records are. One
unacknowledged run holds back the offsets of its own source partition only.
"""

from __future__ import annotations

import json
from collections import deque
from typing import TYPE_CHECKING, Any

from plugwright.errors import ConnectError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plugwright.record import SourceRecord
    from plugwright.worker._seams import KafkaMessage

__all__ = ["Run", "SubmittedRecords", "partition_key", "stretches"]


class Run:
    """Consecutive records of one source partition, waiting for their acknowledgements."""

    __slots__ = ("_refusals", "offset", "outstanding", "partition")

    def __init__(self, partition: Mapping[str, Any] | None, refusals: list[object]) -> None:
        self._refusals = refusals
        self.partition = partition
        self.offset: Mapping[str, Any] | None = None
        self.outstanding = 0

    def delivered(self, error: object | None, message: KafkaMessage) -> None:  # noqa: ARG002
        """Take one acknowledgement. Hot path: once per record.

        A refused record counts as outstanding for ever, so that its offset is never stored.
        """
        if error is None:
            self.outstanding -= 1
        else:
            self._refusals.append(error)


class SubmittedRecords:
    """The runs in flight, a queue for each source partition.

    Not locked: the producer's callbacks run on the loop's own thread.
    """

    def __init__(self) -> None:
        self._queues: dict[str, deque[Run]] = {}
        self._refusals: list[object] = []

    def prepare(self, partition: Mapping[str, Any] | None) -> Run:
        """A run for records of this source partition; not tracked before `begin`."""
        return Run(partition, self._refusals)

    def begin(self, run: Run, offset: Mapping[str, Any] | None, outstanding: int) -> None:
        """Put a run at the end of its partition's queue.

        Raises:
            ConnectError: if the partition is not a map of plain values.
        """
        self._queues.setdefault(partition_key(run.partition), deque()).append(run)
        run.offset, run.outstanding = offset, outstanding

    def __bool__(self) -> bool:
        """Whether a record waits for its acknowledgement, or its offset for being stored."""
        return bool(self._queues)

    def take_committable(self) -> dict[str, tuple[Mapping[str, Any], Mapping[str, Any] | None]]:
        """Remove the acknowledged head of every queue; partition and last offset of each.

        The keys stand for the source partitions: equal partitions have equal keys.
        """
        ready: dict[str, tuple[Mapping[str, Any], Mapping[str, Any] | None]] = {}
        for key in list(self._queues):
            done = self._take_acknowledged(self._queues[key])
            if not self._queues[key]:
                del self._queues[key]
            if done is not None and done.partition is not None:
                ready[key] = (done.partition, done.offset)
        return ready

    @staticmethod
    def _take_acknowledged(queue: deque[Run]) -> Run | None:
        done = None
        while queue and queue[0].outstanding == 0:
            done = queue.popleft()
        return done

    def raise_refused(self) -> None:
        """Raise the first refusal, if there is one. Costs the same however much is in flight.

        Raises:
            ConnectError: if Kafka has refused a record.
        """
        if self._refusals:
            raise _refused(self._refusals[0])


def _refused(error: object) -> ConnectError:
    return ConnectError(
        f"Kafka refused a record: {error}",
        code="kafka.record-refused",
        hint="see the broker's message; records before it keep their stored offsets",
        facts={"error": str(error)},
    )


def partition_key(partition: Mapping[str, Any] | None) -> str:
    """What stands for a source partition: equal partitions have equal keys.

    Raises:
        ConnectError: if the partition is not a map of plain values.
    """
    try:
        return json.dumps(partition, sort_keys=True)
    except (TypeError, ValueError) as error:
        raise ConnectError(
            f"a source partition must be a map of plain values, found {partition!r}",
            code="offsets.not-plain",
            hint="use strings, numbers, booleans and null only (Connect's offset rules)",
        ) from error


def stretches(records: Sequence[SourceRecord]) -> list[tuple[int, int]]:
    """Begin and end of each series of records of one source partition. Hot path."""
    if not records:
        return []
    ends, begin, index, partition = [], 0, 0, records[0].source_partition
    for index, record in enumerate(records):
        other = record.source_partition
        if other is not partition:
            if other != partition:
                ends.append((begin, index))
                begin = index
            partition = other
    ends.append((begin, index + 1))
    return ends
