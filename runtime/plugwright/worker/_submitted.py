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
    from collections.abc import Callable, Mapping, Sequence

    from plugwright.record import SourceRecord
    from plugwright.worker._seams import KafkaMessage, OutgoingRecord

    Refused = Callable[["Run", object, KafkaMessage], None]

__all__ = ["Run", "SubmittedRecords", "partition_key", "stretches"]


class Run:
    """Consecutive records of one source partition, waiting for their acknowledgements.

    Attributes:
        partition: the source partition.
        offset: that of the last record.
        outstanding: how many records Kafka has not acknowledged.
        sent: the records and what was sent of them, where a refusal has to be told in detail.
    """

    __slots__ = ("_refused", "offset", "outstanding", "partition", "sent")

    def __init__(self, partition: Mapping[str, Any] | None, refused: Refused) -> None:
        self._refused = refused
        self.partition = partition
        self.offset: Mapping[str, Any] | None = None
        self.outstanding = 0
        self.sent: tuple[list[SourceRecord], list[OutgoingRecord]] = ([], [])

    def delivered(self, error: object | None, message: KafkaMessage) -> None:
        """Take one acknowledgement. Hot path: once per record."""
        if error is None:
            self.outstanding -= 1
        else:
            self._refused(self, error, message)

    def take(self, message: KafkaMessage) -> SourceRecord | None:
        """The record that a message was made of, once; ``None`` if it is not known."""
        records, going = self.sent
        wanted = (message.topic(), message.key(), message.value())
        for index, (topic, _, key, value, *_) in enumerate(going):
            if (topic, key, value) == wanted:
                del going[index]
                return records.pop(index)
        return None


class SubmittedRecords:
    """The runs in flight, a queue for each source partition.

    Not locked: the producer's callbacks run under the loop's floor.

    Args:
        refused: what becomes of a record that Kafka refuses; by default it counts as outstanding
            for ever, so that its offset is never stored, and `raise_refused` tells of it.
    """

    def __init__(self, refused: Refused | None = None) -> None:
        self._queues: dict[str, deque[Run]] = {}
        self._refusals: list[object] = []
        self._refused = refused or self._note

    def prepare(self, partition: Mapping[str, Any] | None) -> Run:
        """A run for records of this source partition; not tracked before `begin`."""
        return Run(partition, self._refused)

    def begin(self, run: Run, offset: Mapping[str, Any] | None, outstanding: int) -> None:
        """Put a run at the end of its partition's queue.

        Raises:
            ConnectError: if the partition is not a map of plain values.
        """
        self._queues.setdefault(partition_key(run.partition), deque()).append(run)
        run.offset, run.outstanding = offset, outstanding

    @property
    def outstanding(self) -> bool:
        """Whether a record waits for its acknowledgement, as far as a quick look tells."""
        return any(queue[0].outstanding or queue[-1].outstanding for queue in self._queues.values())

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

    def _note(self, run: Run, error: object, message: KafkaMessage) -> None:  # noqa: ARG002  # in general
        self._refusals.append(error)

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
    for record in records:
        if record.source_partition is not partition:
            break
    else:
        return [(0, len(records))]  # as in most batches
    for index, record in enumerate(records):
        other = record.source_partition
        if other is not partition:
            if other != partition:
                ends.append((begin, index))
                begin = index
            partition = other
    ends.append((begin, index + 1))
    return ends
