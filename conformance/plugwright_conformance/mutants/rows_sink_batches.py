"""Row sinks that mishandle the contents of a batch."""

from __future__ import annotations

import os
import struct
from typing import TYPE_CHECKING

from plugwright_conformance.mutants.mutant import mutant
from plugwright_conformance.reference.rows.sink import RowsSinkTask

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plugwright import SinkRecord, TopicPartition

__all__ = [
    "DropsBeyondLimitTask",
    "ForgetsTopicTask",
    "NamesDayTask",
    "OffsetAsFloatTask",
    "OffsetInColumnTask",
    "OneEndForAllTask",
    "WritesOnceTask",
]


@mutant(
    "M200",
    "records of a batch are kept by partition and offset, without their topic",
    base="lines-sink",
    killed_by="SNK-TYP-13",
    failure="lost",
)
class ForgetsTopicTask(RowsSinkTask):
    """Identifies records by partition and offset, without the topic.

    Reported at https://github.com/confluentinc/kafka-connect-bigquery/issues/460.
    """

    def put(self, records: Sequence[SinkRecord]) -> None:
        """Write the records of a map."""
        found = {(r.original_kafka_partition, r.original_kafka_offset): r for r in records}
        super().put(list(found.values()))


@mutant(
    "M200b",
    "the end of a topic is promised under the partition of its first record",
    base="lines-sink",
    killed_by="SNK-TYP-13",
    failure="no offset above",
)
class OneEndForAllTask(RowsSinkTask):
    """Tracks offsets by topic instead of by partition.

    Reported at https://github.com/neo4j/neo4j-kafka-connector/pull/643.
    """

    def start(self, props: Mapping[str, str]) -> None:
        """Start without offsets."""
        super().start(props)
        self._ends: dict[str, int] = {}

    def put(self, records: Sequence[SinkRecord]) -> None:
        """Write, and remember the largest offset of each topic."""
        super().put(records)
        for record in records:
            end = max(self._ends.get(record.original_topic, 0), record.original_kafka_offset + 1)
            self._ends[record.original_topic] = end

    def pre_commit(self, offsets: Mapping[TopicPartition, int]) -> Mapping[TopicPartition, int]:
        """The end of its topic for every partition."""
        self.flush(offsets)
        return {home: self._ends.get(home.topic, offset) for home, offset in offsets.items()}


@mutant(
    "M201",
    "a record without a timestamp ends the task",
    base="lines-sink",
    killed_by="SNK-TYP-14",
    failure="TypeError",
)
class NamesDayTask(RowsSinkTask):
    """Requires a timestamp.

    Reported at https://github.com/confluentinc/kafka-connect-storage-common/pull/55.
    """

    def put(self, records: Sequence[SinkRecord]) -> None:
        """Determine the days, then write."""
        self.days = {record.timestamp // 86_400_000 for record in records}  # type: ignore[operator]  # the fault
        super().put(records)


@mutant(
    "M202",
    "what goes beyond a thousand records of a batch is left out",
    base="lines-sink",
    killed_by="SNK-TYP-15",
    failure="lost 1600",
)
class DropsBeyondLimitTask(RowsSinkTask):
    """Drops the records of a batch beyond a thousand.

    After https://github.com/redpanda-data/connect/issues/2424.
    """

    def put(self, records: Sequence[SinkRecord]) -> None:
        """Write the first thousand records."""
        super().put(records[:1000])


@mutant(
    "M203",
    "offsets are stored in four bytes",
    base="lines-sink",
    killed_by="SNK-OFF-10",
    failure="a partition whose records begin at offset 2147483643",
)
class OffsetInColumnTask(RowsSinkTask):
    """Stores offsets as 32-bit integers.

    Reported at https://github.com/snowflakedb/snowflake-kafka-connector/pull/1090.
    """

    def put(self, records: Sequence[SinkRecord]) -> None:
        """Write, and pack the offsets."""
        self.column = b"".join(struct.pack(">i", r.original_kafka_offset) for r in records)
        super().put(records)


@mutant(
    "M203b",
    "offsets are kept as floats",
    base="lines-sink",
    killed_by="SNK-OFF-10",
    failure="a partition whose records begin at offset 9007199254740993",
)
class OffsetAsFloatTask(RowsSinkTask):
    """Keeps offsets as floats."""

    def pre_commit(self, offsets: Mapping[TopicPartition, int]) -> Mapping[TopicPartition, int]:
        """The offsets, converted to floats and back."""
        self.flush(offsets)
        return {home: int(float(offset + 2)) - 2 for home, offset in offsets.items()}


@mutant(
    "M210",
    "a write that took less than it was given is taken for a whole one",
    base="lines-sink",
    killed_by="SNK-ERR-11",
    failure="lost",
)
class WritesOnceTask(RowsSinkTask):
    """Ignores a partial write."""

    def _write(self, data: bytes, *, begun: bool) -> None:  # noqa: ARG002  # as the good one has it
        """Call write() once."""
        assert self._descriptor is not None  # noqa: S101  # put looks
        os.write(self._descriptor, data)
