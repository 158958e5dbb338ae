"""File sinks that change, repeat or hold back values."""

from __future__ import annotations

import locale
import sys
from typing import TYPE_CHECKING

from plugwright import TopicPartition
from plugwright_conformance.mutants.mutant import mutant
from plugwright_file_sink import FileStreamSinkTask

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plugwright import SinkRecord

__all__ = [
    "ChangesInputTask",
    "DropsEveryHundredthTask",
    "PrintsIntoBufferTask",
    "ReliesOnStopTask",
    "RepeatsFirstOfBatchTask",
    "RepeatsOnStreamTask",
    "StripsValuesTask",
    "WritesByLocaleTask",
    "WritesEmptyBatchesTask",
    "WritesFullBatchesOnlyTask",
]

_BATCH = 100


@mutant(
    "M045",
    "put([]) writes an empty line",
    killed_by="CON-LIF-11",
    failure="an unchanged endpoint",
)
@mutant(
    "M161",
    "empty batch writes a marker row",
    killed_by="CON-SPK-10",
    failure="values, first",
)
class WritesEmptyBatchesTask(FileStreamSinkTask):
    """Writes a line for an empty batch."""

    def put(self, records: Sequence[SinkRecord]) -> None:
        """Write the batch, or an empty line."""
        super().put(records)
        if not records:
            self._write(b"\n")


@mutant(
    "M055a",
    "values are stripped",
    killed_by="SNK-TYP-01",
    failure="value 1: ' '",
)
class StripsValuesTask(FileStreamSinkTask):
    """Strips values."""

    def put(self, records: Sequence[SinkRecord]) -> None:
        """Write the stripped values."""
        super().put([record.new_record(value=record.value.strip()) for record in records])


@mutant(
    "M063",
    "records it was given are emptied",
    killed_by="SNK-TYP-10",
    failure="value=None",
)
class ChangesInputTask(FileStreamSinkTask):
    """Changes the records that it was given."""

    def put(self, records: Sequence[SinkRecord]) -> None:
        """Write the values, then set them to ``None``."""
        super().put(records)
        for record in records:
            record.value = None


@mutant(
    "M091a",
    "drops every hundredth record",
    killed_by="CON-DLV-01",
    failure="lost",
)
class DropsEveryHundredthTask(FileStreamSinkTask):
    """Drops records silently."""

    def put(self, records: Sequence[SinkRecord]) -> None:
        """Write all except every hundredth record."""
        super().put([record for record in records if (record.kafka_offset + 1) % 100])


@mutant(
    "M094",
    "writes only full batches; the remainder waits for more input",
    killed_by="CON-DLV-02",
    failure="then silence",
)
class WritesFullBatchesOnlyTask(FileStreamSinkTask):
    """Writes only full batches of a hundred records, and commits only those."""

    def __init__(self) -> None:
        super().__init__()
        self._waiting: list[SinkRecord] = []
        self._written: dict[TopicPartition, int] = {}

    def put(self, records: Sequence[SinkRecord]) -> None:
        """Write the full batches."""
        self._waiting += records
        while len(self._waiting) >= _BATCH:
            batch, self._waiting = self._waiting[:_BATCH], self._waiting[_BATCH:]
            super().put(batch)
            for record in batch:
                home = TopicPartition(record.original_topic, record.original_kafka_partition)
                self._written[home] = record.original_kafka_offset + 1

    def pre_commit(self, offsets: Mapping[TopicPartition, int]) -> Mapping[TopicPartition, int]:
        """The offsets of written records."""
        self.flush(offsets)
        return dict(self._written)


@mutant(
    "M095",
    "duplicates one record of each batch",
    killed_by="CON-DLV-01",
    failure="lost 0, duplicated",
)
class RepeatsFirstOfBatchTask(FileStreamSinkTask):
    """Writes the first record of each batch twice."""

    def put(self, records: Sequence[SinkRecord]) -> None:
        """Write the batch and its first record."""
        super().put([*records, *records[:1]])


@mutant(
    "M125",
    "relies on stop() to write its buffer",
    killed_by="CON-REB-01",
    failure="lost",
)
class ReliesOnStopTask(FileStreamSinkTask):
    """Writes its buffer only in stop()."""

    def __init__(self) -> None:
        super().__init__()
        self._buffer: list[SinkRecord] = []

    def put(self, records: Sequence[SinkRecord]) -> None:
        """Buffer the batch."""
        self._buffer += records

    def stop(self) -> None:
        """Write the buffer, then close."""
        if self._buffer:
            super().put(self._buffer)
            self._buffer = []
        super().stop()


@mutant(
    "M177",
    "repeats records where Structured Streaming runs it, which it claims",
    killed_by="CON-DLV-02",
    failure="lost 0, duplicated",
    engine="stream",
)
class RepeatsOnStreamTask(FileStreamSinkTask):
    """Repeats records on the stream engine only."""

    def start(self, props: Mapping[str, str]) -> None:
        """Start, and read the engine."""
        super().start(props)
        self._streamed = props.get("spark.engine") == "stream"

    def put(self, records: Sequence[SinkRecord]) -> None:
        """Write all records, on the stream engine the first one twice."""
        super().put(records)
        if self._streamed:
            super().put(records[:1])


@mutant(
    "M180",
    "values are written in the encoding of the machine",
    killed_by="CON-SPK-11",
    failure="an encoding that is not UTF-8",
)
class WritesByLocaleTask(FileStreamSinkTask):
    """Writes with the encoding of the locale."""

    def _write(self, data: bytes) -> None:
        encoding = locale.getpreferredencoding(do_setlocale=False)
        super()._write(data.decode().encode(encoding, "replace"))


@mutant(
    "M211",
    "what is printed is not flushed before the commit",
    killed_by="SNK-TYP-17",
    failure="0 lines",
)
class PrintsIntoBufferTask(FileStreamSinkTask):
    """Does not flush standard output."""

    def _write(self, data: bytes) -> None:
        """Print without a flush, or write to the file."""
        if self._prints:
            sys.stdout.write(data.decode())
        else:
            super()._write(data)
