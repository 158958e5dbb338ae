"""Tracks which source offsets can be stored: those below every unacknowledged record.

Records are tracked in runs. A run is a series of consecutive records of one source partition that
were passed to the producer together. The result is that of Kafka Connect's ``SubmittedRecords``:
the offset before the first unacknowledged record of each source partition. Which records of a
run are acknowledged is determined only when an incomplete run is queried.
"""

from __future__ import annotations

import json
from collections import Counter, deque
from typing import TYPE_CHECKING, Any

from plugwright.errors import ConnectError
from plugwright.worker._host_protocols import record_refused
from plugwright.worker._unbuilt_records import UnbuiltRecords
from plugwright.worker.record_text import java_form

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from plugwright.record import SourceRecord
    from plugwright.worker._host_protocols import KafkaMessage, OutgoingRecord

    Refused = Callable[["SubmittedRun", object, KafkaMessage], None]

_KEPT = 20_000
"""How many records in flight are kept, to determine the acknowledged part of an incomplete run."""


class SubmittedRun:
    """Consecutive records of one source partition with outstanding acknowledgements.

    Attributes:
        partition: the source partition.
        offset: offset of the last record.
        outstanding: number of unacknowledged records.
        size: number of records.
        committable: number of leading records already reported as committable.
        records: the records while some are outstanding, if they are kept.
        going: the outgoing forms of the records.
        settled: the messages of acknowledged records.
    """

    __slots__ = (
        "_owner",
        "_taken",
        "committable",
        "going",
        "offset",
        "outstanding",
        "partition",
        "records",
        "settled",
        "size",
    )

    def __init__(self, partition: Mapping[str, Any] | None, owner: SubmittedRecords) -> None:
        self._owner = owner
        self.partition = partition
        self.offset: Mapping[str, Any] | None = None
        self.outstanding = self.size = self.committable = 0
        self.records: Sequence[SourceRecord] = ()
        self.going: Sequence[OutgoingRecord] = ()
        self.settled: list[KafkaMessage] = []
        self._taken: set[int] = set()

    def delivered(self, error: object | None, message: KafkaMessage) -> None:
        """Handle one acknowledgement. Hot path: once per record."""
        if error is not None:
            self._owner.refused(self, error, message)
            return
        left = self.outstanding = self.outstanding - 1
        if not left:
            self._owner.finished(self)
        elif self.records:
            self.settled.append(message)

    def take(self, message: KafkaMessage) -> SourceRecord | None:
        """The record that a message was made from, once; ``None`` if unknown."""
        wanted = (message.topic(), message.key(), message.value())
        for index, out in enumerate(self.going):
            if index not in self._taken and (out[0], out[2], out[3]) == wanted:
                self._taken.add(index)
                return self.records[index]
        return None

    def acknowledged(self) -> int:
        """The number of leading acknowledged records, if known.

        Identical records count as acknowledged when all of them are, because an acknowledgement
        does not identify one of them.
        """
        if not self.outstanding:
            return self.size
        if not self.settled or not self.records:
            return 0
        open_ = Counter((out[0], out[2], out[3]) for out in self.going)
        open_.subtract((each.topic(), each.key(), each.value()) for each in self.settled)
        alike = ((out[0], out[2], out[3]) for out in self.going)
        return next((index for index, each in enumerate(alike) if open_[each] > 0), 0)

    def offset_of(self, count: int) -> Mapping[str, Any] | None:
        """The offset of the last of the first ``count`` records."""
        return self.offset if count == self.size else self.records[count - 1].source_offset


class SubmittedRecords:
    """The runs in flight, in one queue per source partition.

    Not locked: the producer's callbacks run under the loop's lock.

    Args:
        refused: handles a record that Kafka refuses; by default the record stays outstanding
            forever, so that its offset is never stored, and `raise_refused` raises. With it,
            all records in flight are kept; otherwise only the oldest, because they take memory.
    """

    def __init__(self, refused: Refused | None = None) -> None:
        self._queues: dict[str, deque[SubmittedRun]] = {}
        self._refusals: list[ConnectError] = []
        self.refused = refused or self._note
        self._room = float(_KEPT) if refused is None else float("inf")

    def prepare(self, partition: Mapping[str, Any] | None) -> SubmittedRun:
        """A run for records of this source partition; not tracked until `begin`."""
        return SubmittedRun(partition, self)

    def begin(
        self, run: SubmittedRun, records: Sequence[SourceRecord], going: Sequence[OutgoingRecord]
    ) -> None:
        """Append a run with these records, and their outgoing forms, to its queue.

        Raises:
            ConnectError: if the partition is not a map of plain values.
        """
        self._queues.setdefault(partition_key(run.partition), deque()).append(run)
        run.offset = records[-1].source_offset
        run.size = run.outstanding = len(records)
        if run.size <= self._room:
            self._room -= run.size
            run.records, run.going = records, going

    def finished(self, run: SubmittedRun) -> None:
        """Release the records of a completed run."""
        self._room += len(run.records)
        run.records, run.going, run.settled = (), (), []

    @property
    def outstanding(self) -> bool:
        """Whether any record is unacknowledged, by a quick check."""
        return any(queue[0].outstanding or queue[-1].outstanding for queue in self._queues.values())

    def take_committable(self) -> dict[str, tuple[Mapping[str, Any], Mapping[str, Any] | None]]:
        """Partition and newest offset of every queue whose acknowledged part has grown.

        The keys identify source partitions: equal partitions have equal keys.
        """
        ready: dict[str, tuple[Mapping[str, Any], Mapping[str, Any] | None]] = {}
        for key in list(self._queues):
            queue = self._queues[key]
            partition = queue[0].partition
            found = _acknowledged(queue)
            if not queue:
                del self._queues[key]
            if found and partition is not None:
                ready[key] = (partition, found[-1])
        return ready

    def _note(self, run: SubmittedRun, error: object, message: KafkaMessage) -> None:  # noqa: ARG002  # in general
        self._refusals.append(record_refused(message.topic(), error))

    def raise_refused(self) -> None:
        """Raise the first refusal, if any. Constant cost, however many records are in flight.

        Raises:
            ConnectError: if Kafka has refused a record.
        """
        if self._refusals:
            raise self._refusals[0]


def _acknowledged(queue: deque[SubmittedRun]) -> list[Mapping[str, Any] | None]:
    """The newly acknowledged offsets of a queue; removes completed runs."""
    found = []
    while queue:
        run = queue[0]
        count = run.acknowledged()
        if count > run.committable:
            found.append(run.offset_of(count))
            run.committable = count
        if run.outstanding:
            break
        queue.popleft()
    return found


def partition_key(partition: Mapping[str, Any] | None) -> str:
    """A key that identifies a source partition: equal partitions have equal keys.

    Raises:
        ConnectError: if the partition is not a map of plain values.
    """
    try:
        return json.dumps(partition, sort_keys=True)
    except (TypeError, ValueError) as error:
        raise ConnectError(
            f"a source partition must be a map of plain values, found {java_form(partition)}",
            code="offsets.not-plain",
            hint="use strings, numbers, booleans and null only (Connect's offset rules)",
        ) from error


def stretches(records: Sequence[SourceRecord]) -> list[tuple[int, int]]:
    """Start and end of each series of records of one source partition. Hot path."""
    if not records:
        return []
    if isinstance(records, UnbuiltRecords):
        return [(0, len(records))]
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
