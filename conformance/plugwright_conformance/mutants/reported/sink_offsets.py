"""Reported faults of sinks: offsets committed too early, too late, for others, or never."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from plugwright import ConnectError
from plugwright_conformance.mutants.reported.sinks import (
    BufferSinkTask,
    LinesSinkTask,
    ObjectSinkTask,
    place_of,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from pathlib import Path

    from plugwright import SinkRecord, TopicPartition

__all__ = [
    "CommitsDespiteErrorTask",
    "EchoesOffsetsTask",
    "ExpectsEveryOffsetTask",
    "KeepsRevokedTask",
    "LaterSuccessCommitsAllTask",
    "NeverCommitsTask",
    "OneBehindTask",
    "OverwritesObjectTask",
    "RewindsTooLittleTask",
    "SortsOffsetsAsTextTask",
    "WaitsForIdlePartitionsTask",
]

_LOG = logging.getLogger(__name__)


class EchoesOffsetsTask(BufferSinkTask):
    """Gives back the offsets it was asked about, while records wait in a queue.

    https://github.com/Altinity/clickhouse-sink-connector/issues/1299: preCommit() returned what
    Kafka passed in, without waiting for the writer, and a crash lost what was in the queue.
    """

    def put(self, records: Sequence[SinkRecord]) -> None:
        """Queue records, and write when there are fifty."""
        super().put(records)
        if len(self._waiting) >= 50:  # noqa: PLR2004  # any size will do
            waiting, self._waiting = self._waiting, []
            self.write(waiting)

    def pre_commit(self, offsets: Mapping[TopicPartition, int]) -> Mapping[TopicPartition, int]:
        """All of them."""
        return offsets

    def stop(self) -> None:
        """Write the rest, then close."""
        if self._descriptor is not None:
            self.write(self._waiting)
        self._waiting = []
        super().stop()


class CommitsDespiteErrorTask(BufferSinkTask):
    """Commits, although writing failed.

    https://github.com/snowflakedb/snowflake-kafka-connector/pull/196: preCommit() returned offsets
    when there was an error; customers lost data whenever they changed the configuration.
    """

    def pre_commit(self, offsets: Mapping[TopicPartition, int]) -> Mapping[TopicPartition, int]:
        """The offsets, whatever became of the records."""
        try:
            self.flush(offsets)
        except ConnectError:
            _LOG.exception("flush failed")
        return offsets


class LaterSuccessCommitsAllTask(BufferSinkTask):
    """After a failure it commits nothing, and with the next success everything.

    https://github.com/snowflakedb/snowflake-kafka-connector/pull/338: insertFiles failed and no
    offset was committed; when it succeeded for newer ones the pointer passed over the failed ones.
    """

    def pre_commit(self, offsets: Mapping[TopicPartition, int]) -> Mapping[TopicPartition, int]:
        """The offsets, if this flush worked."""
        try:
            self.flush(offsets)
        except ConnectError:
            _LOG.exception("flush failed")
            return {}
        return offsets


class OneBehindTask(LinesSinkTask):
    """Takes the offset of the last record for that of the next one.

    https://github.com/Azure/kafka-sink-azure-kusto/pull/33: the last committed record was processed
    once more after every restart and rebalance.
    """

    def pre_commit(self, offsets: Mapping[TopicPartition, int]) -> Mapping[TopicPartition, int]:
        """The offsets of the last records."""
        self.flush(offsets)
        return {place: max(0, offset - 1) for place, offset in offsets.items()}


class NeverCommitsTask(ObjectSinkTask):
    """Writes, and returns no offsets.

    https://github.com/confluentinc/kafka-connect-storage-cloud/pull/14: preCommit() returned an
    empty collection, so all came again after a restart.
    """

    def pre_commit(self, offsets: Mapping[TopicPartition, int]) -> Mapping[TopicPartition, int]:
        """Nothing."""
        super().pre_commit(offsets)
        return {}


class KeepsRevokedTask(BufferSinkTask):
    """Keeps what was buffered for partitions that have left, and writes it.

    https://github.com/confluentinc/kafka-connect-storage-cloud/issues/93: data of a partition that
    was not assigned any more was written, and its offsets ignored: "partition not assigned".
    """

    def __init__(self) -> None:
        super().__init__()
        self._next: dict[TopicPartition, int] = {}

    def put(self, records: Sequence[SinkRecord]) -> None:
        """Keep records, and where each partition is."""
        super().put(records)
        for record in records:
            self._next[place_of(record)] = record.original_kafka_offset + 1

    def pre_commit(self, offsets: Mapping[TopicPartition, int]) -> Mapping[TopicPartition, int]:
        """The offsets of every partition that it ever had."""
        self.flush(offsets)
        return dict(self._next)

    def close(self, partitions: Collection[TopicPartition]) -> None:
        """Nothing."""


class OverwritesObjectTask(ObjectSinkTask):
    """Names an object by its first offset alone.

    https://github.com/confluentinc/kafka-connect-storage-cloud/issues/253: a second task wrote the
    offsets 0 to 20 to the object that had 0 to 30, whose end was committed already.
    """

    def name(self, place: TopicPartition, records: Sequence[SinkRecord]) -> str:
        """A name without the last offset."""
        return f"{place.topic}+{place.partition}+{records[0].original_kafka_offset:019}.txt"


class SortsOffsetsAsTextTask(ObjectSinkTask):
    """Goes on behind the last object, as names are sorted.

    https://github.com/confluentinc/kafka-connect-hdfs/issues/118: after a rebalance the latest
    offset was not found from the files, and there was a gap in them.
    """

    def name(self, place: TopicPartition, records: Sequence[SinkRecord]) -> str:
        """A name with the offsets as they are."""
        first, last = (records[n].original_kafka_offset for n in (0, -1))
        return f"{place.topic}+{place.partition}+{first}+{last}.txt"

    def open(self, partitions: Collection[TopicPartition]) -> None:
        """Go on behind the object whose name is the last one."""
        found: dict[TopicPartition, int] = {}
        for place in partitions:
            names = sorted(self._folder.glob(f"{place.topic}+{place.partition}+*+*.txt"))
            if names:
                found[place] = self._last(names[-1]) + 1
        if found:
            self.context.offset(found)

    @staticmethod
    def _last(path: Path) -> int:
        return int(path.stem.rpartition("+")[2])


class ExpectsEveryOffsetTask(LinesSinkTask):
    """Waits for the offset that follows the last one, and for no other.

    https://github.com/snowflakedb/snowflake-kafka-connector/pull/767: if Kafka sent a batch with a
    missing offset, nothing was taken in any more.
    """

    def start(self, props: Mapping[str, str]) -> None:
        """Open the file."""
        super().start(props)
        self._expected: dict[TopicPartition, int] = {}

    def open(self, partitions: Collection[TopicPartition]) -> None:
        """Expect anything at first."""
        for place in partitions:
            self._expected.pop(place, None)

    def put(self, records: Sequence[SinkRecord]) -> None:
        """Write the records that are expected."""
        wanted = []
        for record in records:
            place, offset = place_of(record), record.original_kafka_offset
            if self._expected.get(place, offset) == offset:
                wanted.append(record)
                self._expected[place] = offset + 1
        super().put(wanted)


class RewindsTooLittleTask(BufferSinkTask):
    """After a failure it goes back to the newest record instead of the oldest that is lost.

    https://github.com/snowflakedb/snowflake-kafka-connector/pull/1476: the consumer was rewound to
    80 where 71 was due, and the records from 71 to 79 were lost.
    """

    def flush(self, offsets: Mapping[TopicPartition, int]) -> None:
        """Write everything, or go back a little."""
        waiting = list(self._waiting)
        try:
            super().flush(offsets)
        except ConnectError:
            self.context.offset({place_of(r): r.original_kafka_offset for r in waiting})


class WaitsForIdlePartitionsTask(LinesSinkTask):
    """Commits when every partition has had something.

    https://github.com/datamill-co/target-postgres/pull/149: the watermark was the minimum over all
    streams, those without records among them, so no state was emitted.
    """

    def start(self, props: Mapping[str, str]) -> None:
        """Open the file."""
        super().start(props)
        self._seen: set[TopicPartition] = set()

    def put(self, records: Sequence[SinkRecord]) -> None:
        """Write records, and note where they came from."""
        super().put(records)
        self._seen.update(map(place_of, records))

    def pre_commit(self, offsets: Mapping[TopicPartition, int]) -> Mapping[TopicPartition, int]:
        """The offsets, once all partitions have begun."""
        self.flush(offsets)
        return offsets if self._seen >= set(self.context.assignment()) else {}
