"""File sinks that commit offsets of records that are not durable."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from plugwright import RetriableError, TopicPartition
from plugwright_conformance.mutants.mutant import mutant
from plugwright_file_sink import FileStreamSinkTask

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from plugwright import SinkRecord

__all__ = [
    "EchoesOffsetsTask",
    "FlushReturnsEarlyTask",
    "ForgetsFailedThreadTask",
    "KeepsRevokedOffsetsTask",
    "LosesBetweenTwoCallsTask",
    "PromisesHighestOffsetTask",
    "PromisesInThousandsTask",
    "PromisesRenamedTopicTask",
    "SwallowsFlushErrorTask",
    "WrongAfterRebalanceTask",
]

_ENOUGH = 1000
_STEP = 1000


@mutant(
    "M083",
    "flush() returns before the asynchronous write finished",
    killed_by="SNK-OFF-01",
    failure="500 of them lost",
)
class FlushReturnsEarlyTask(FileStreamSinkTask):
    """Writes each batch half a second later."""

    def put(self, records: Sequence[SinkRecord]) -> None:
        """Schedule the write of the batch."""
        writing = threading.Timer(0.5, super().put, [list(records)])
        writing.daemon = True
        writing.start()


@mutant(
    "M084",
    "promises the offsets it was given while buffering",
    killed_by="SNK-OFF-02",
    failure="not durable",
)
class EchoesOffsetsTask(FileStreamSinkTask):
    """Returns the offsets of buffered records from pre_commit()."""

    def __init__(self) -> None:
        super().__init__()
        self._buffer: list[SinkRecord] = []

    def put(self, records: Sequence[SinkRecord]) -> None:
        """Write every thousand records."""
        self._buffer += records
        if len(self._buffer) >= _ENOUGH:
            super().put(self._buffer)
            self._buffer = []

    def pre_commit(self, offsets: Mapping[TopicPartition, int]) -> Mapping[TopicPartition, int]:
        """The given offsets, unchanged."""
        return offsets

    def close(self, partitions: Collection[TopicPartition]) -> None:
        """Write the rest."""
        super().put(self._buffer)
        self._buffer = []
        super().close(partitions)


@mutant(
    "M085",
    "tracks offsets under the renamed topic",
    killed_by="SNK-OFF-02",
    failure="an offset of renamed-0",
)
class PromisesRenamedTopicTask(FileStreamSinkTask):
    """Uses the transformed topic for offsets instead of the original one (KIP-793)."""

    def __init__(self) -> None:
        super().__init__()
        self._written: dict[TopicPartition, int] = {}

    def put(self, records: Sequence[SinkRecord]) -> None:
        """Write, and remember the offsets."""
        super().put(records)
        for record in records:
            home = TopicPartition(record.topic, record.kafka_partition)
            self._written[home] = record.kafka_offset + 1

    def pre_commit(self, offsets: Mapping[TopicPartition, int]) -> Mapping[TopicPartition, int]:
        """The remembered offsets."""
        self.flush(offsets)
        return self._written


@mutant(
    "M086",
    "flush() succeeds after a put() that failed in a worker thread",
    killed_by="SNK-OFF-03",
    failure="of them missing",
)
class ForgetsFailedThreadTask(FileStreamSinkTask):
    """Ignores errors of the thread that writes."""

    def put(self, records: Sequence[SinkRecord]) -> None:
        """Write the batch on another thread and wait for its end."""
        writing = threading.Thread(target=super().put, args=[list(records)])
        writing.start()
        writing.join()


@mutant(
    "M087",
    "keeps reporting offsets of revoked partitions",
    killed_by="SNK-OFF-04",
    failure="an offset of orders-1",
)
class KeepsRevokedOffsetsTask(FileStreamSinkTask):
    """Returns offsets of all partitions that it ever had."""

    def __init__(self) -> None:
        super().__init__()
        self._durable: dict[TopicPartition, int] = {}

    def pre_commit(self, offsets: Mapping[TopicPartition, int]) -> Mapping[TopicPartition, int]:
        """Everything that was ever durable."""
        self.flush(offsets)
        self._durable.update(offsets)
        return dict(self._durable)


@mutant(
    "M088",
    "commits the highest confirmed offset, not the contiguous prefix",
    killed_by="SNK-OFF-05",
    failure="of them missing",
)
class PromisesHighestOffsetTask(FileStreamSinkTask):
    """Writes each record on another thread, and remembers the highest offset that succeeded."""

    def __init__(self) -> None:
        super().__init__()
        self._writer = ThreadPoolExecutor(1)
        self._highest: dict[TopicPartition, int] = {}

    def put(self, records: Sequence[SinkRecord]) -> None:
        """Pass every record to the thread."""
        for record in records:
            self._writer.submit(self._write_one, record)

    def pre_commit(self, offsets: Mapping[TopicPartition, int]) -> Mapping[TopicPartition, int]:
        """The highest successful offset of each partition."""
        self._writer.submit(self.flush, offsets).result()
        return {p: self._highest[p] for p in offsets if p in self._highest}

    def stop(self) -> None:
        """End the thread."""
        self._writer.shutdown()
        super().stop()

    def _write_one(self, record: SinkRecord) -> None:
        super().put([record])
        home = TopicPartition(record.original_topic, record.original_kafka_partition)
        self._highest[home] = record.original_kafka_offset + 1


@mutant(
    "M173",
    "promises offsets in steps of a thousand",
    killed_by="CON-REB-02",
    failure="duplicated",
)
class PromisesInThousandsTask(FileStreamSinkTask):
    """Commits only multiples of a thousand."""

    def pre_commit(self, offsets: Mapping[TopicPartition, int]) -> Mapping[TopicPartition, int]:
        """The offsets, rounded down to thousands."""
        self.flush(offsets)
        return {home: offset // _STEP * _STEP for home, offset in offsets.items()}


@mutant(
    "M096",
    "loses data only when killed between two particular calls",
    killed_by="CON-DLV-03",
    failure="wherever a crash comes",
)
class LosesBetweenTwoCallsTask(FileStreamSinkTask):
    """Loses a record if it is killed between a commit and the next put."""

    def __init__(self) -> None:
        super().__init__()
        self._held: list[SinkRecord] = []

    def put(self, records: Sequence[SinkRecord]) -> None:
        """Write the previous batch, hold the new one."""
        super().put(self._held)
        self._held = list(records)

    def flush(self, offsets: Mapping[TopicPartition, int]) -> None:
        """Write all held records except the last one."""
        super().put(self._held[:-1])
        self._held = self._held[-1:]
        super().flush(offsets)

    def stop(self) -> None:
        """Write the held records."""
        if self._descriptor is not None:
            super().put(self._held)
            self._held = []
        super().stop()


@mutant(
    "M104",
    "wrong only after the sequence rebalance, fault, flush",
    killed_by="CON-DLV-13",
    failure="lost",
)
class WrongAfterRebalanceTask(FileStreamSinkTask):
    """Loses records only after a rebalance followed by a fault."""

    _rebalanced = False

    def close(self, partitions: Collection[TopicPartition]) -> None:
        """Remember the rebalance."""
        super().close(partitions)
        self._rebalanced = True

    def put(self, records: Sequence[SinkRecord]) -> None:
        """Write, but ignore retriable errors after a rebalance."""
        try:
            super().put(records)
        except RetriableError:
            if not self._rebalanced:
                raise


@mutant(
    "M335",
    "ignores an error of flushing its buffer, so the rest is written by stop()",
    killed_by="SNK-OFF-05",
    failure="of them missing",
)
class SwallowsFlushErrorTask(FileStreamSinkTask):
    """Writes through a buffer. Offsets are committed although a part may still be in it."""

    def start(self, props: Mapping[str, str]) -> None:
        """Open the file once more, with a buffer."""
        super().start(props)
        self._buffer = Path(self._path).open("ab")  # noqa: SIM115  # stop() closes it

    def put(self, records: Sequence[SinkRecord]) -> None:
        """Add the lines, whatever flush() says."""
        if records:
            self._buffer.write(b"".join(self._encoded(record) for record in records))
            with suppress(OSError):
                self._buffer.flush()

    def stop(self) -> None:
        """Close both files."""
        self._buffer.close()
        super().stop()
