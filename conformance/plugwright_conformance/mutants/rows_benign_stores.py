"""Sinks with unusual storage, and an unusual endpoint, all correct."""

from __future__ import annotations

import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from plugwright import ConfigDef, DataError, RetriableError, Struct, TopicPartition
from plugwright_conformance.reference.rows.codec import directory_of, encode
from plugwright_conformance.reference.rows.sink import RowsSinkConnector, RowsSinkTask
from plugwright_conformance.reference.rows.testing import RowsEndpoint

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from plugwright import SinkRecord, Task

__all__ = [
    "KeepsOffsetsItself",
    "KnowsNoSecret",
    "RepeatsAfterCrash",
    "ReversesPartitions",
    "SettlingEndpoint",
    "TakesNoSchema",
]

_SETTLED_S = 0.15
_BACK = 3


class ReversesPartitionsTask(RowsSinkTask):
    """Writes the partitions of a batch in descending order."""

    def put(self, records: Sequence[SinkRecord]) -> None:
        """Write the batch, each partition in order."""
        super().put(sorted(records, key=lambda record: -record.kafka_partition))


class ReversesPartitions(RowsSinkConnector):
    """G03."""

    def task_class(self) -> type[Task]:
        """The unusual class."""
        return ReversesPartitionsTask


class RepeatsAfterCrashTask(RowsSinkTask):
    """Reads the last records again after a crash, which it detects by marker files."""

    def start(self, props: Mapping[str, str]) -> None:
        """Start, and determine the directory of the markers."""
        self._words = Path(directory_of(props["rows.url"])).parent / "at-work"
        super().start(props)

    def open(self, partitions: Collection[TopicPartition]) -> None:
        """Rewind partitions with a marker, and create markers for all."""
        super().open(partitions)
        self._back = {home for home in partitions if self._word(home).exists()}
        with suppress(OSError):  # then it does not rewind after a crash
            self._words.mkdir(exist_ok=True)
            for home in partitions:
                self._word(home).touch()

    def _word(self, home: TopicPartition) -> Path:
        return self._words / f"{home.topic}-{home.partition}"

    def put(self, records: Sequence[SinkRecord]) -> None:
        """Write, and rewind after the first batch of a partition."""
        super().put(records)
        for record in records:
            home = TopicPartition(record.topic, record.kafka_partition)
            if home in self._back:
                self._back.remove(home)
                self.context.offset({home: max(record.kafka_offset - _BACK, 0)})

    def close(self, partitions: Collection[TopicPartition]) -> None:
        """Remove the markers."""
        with suppress(OSError):  # then it rewinds, which is permitted
            for home in partitions:
                self._word(home).unlink()
        super().close(partitions)


class RepeatsAfterCrash(RowsSinkConnector):
    """G04."""

    def task_class(self) -> type[Task]:
        """The unusual class."""
        return RepeatsAfterCrashTask


class TakesNoSchemaTask(RowsSinkTask):
    """Accepts only schemaless data and text."""

    def line(self, record: SinkRecord) -> str:
        """The line of one record.

        Raises:
            DataError: if it has a structure that a schema describes.
        """
        place = f"{record.topic}-{record.kafka_partition}@{record.kafka_offset}"
        bare = record.value_schema is None or isinstance(record.value, str)
        if isinstance(record.value, Struct) or not bare:
            name = type(record.value).__name__
            raise DataError(f"{place}: no schemas here, found {name}", code="rows.schema")
        try:
            return encode(record.value)
        except TypeError as error:
            raise DataError(f"{place}: {error}", code="rows.type") from error


class TakesNoSchema(RowsSinkConnector):
    """G07."""

    def task_class(self) -> type[Task]:
        """The unusual class."""
        return TakesNoSchemaTask


class KnowsNoSecret(RowsSinkConnector):
    """G15."""

    def config(self) -> ConfigDef:
        """No password among the settings."""
        found = ConfigDef()
        for key in super().config().keys.values():
            if key.name != "rows.password":
                found.add(key)
        return found


class KeepsOffsetsItselfTask(RowsSinkTask):
    """Writes a file for each batch of a partition, with the end offset in its name."""

    def start(self, props: Mapping[str, str]) -> None:
        """Start, and determine the directory."""
        self._tables = Path(directory_of(props["rows.url"]))
        super().start(props)

    def open(self, partitions: Collection[TopicPartition]) -> None:
        """Seek to the end of the files, ignoring Kafka's offsets."""
        super().open(partitions)
        self.context.offset({home: self._end(home) for home in partitions})

    def _end(self, home: TopicPartition) -> int:
        parts = self._tables.glob(f"part-{home.topic}-{home.partition}-*.jsonl")
        return max((int(part.stem.rpartition("-")[2]) for part in parts), default=0)

    def put(self, records: Sequence[SinkRecord]) -> None:
        """Write the records that are not in files yet, by partition."""
        batches: dict[TopicPartition, list[SinkRecord]] = {}
        for record in records:
            home = TopicPartition(record.original_topic, record.original_kafka_partition)
            batches.setdefault(home, []).append(record)
        for home, batch in batches.items():
            begin = self._end(home)
            if fresh := [record for record in batch if record.original_kafka_offset >= begin]:
                lines = [self.line(record) for record in fresh if record.value is not None]
                self._publish(home, fresh[-1].original_kafka_offset + 1, lines)

    def _publish(self, home: TopicPartition, end: int, lines: Sequence[str]) -> None:
        """Create a file atomically."""
        name = f"part-{home.topic}-{home.partition}-{end:012}.jsonl"
        draft = self._tables.parent / f"{name}.draft"
        try:
            draft.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
            draft.rename(self._tables / name)
        except OSError as error:
            raise RetriableError(f"cannot write: {error.strerror}", code="rows.write") from error

    def pre_commit(
        self,
        current_offsets: Mapping[TopicPartition, int],  # noqa: ARG002  # the API's name
    ) -> Mapping[TopicPartition, int]:
        """Nothing: Kafka's offsets are not used."""
        return {}


class KeepsOffsetsItself(RowsSinkConnector):
    """G16."""

    def task_class(self) -> type[Task]:
        """The unusual class."""
        return KeepsOffsetsItselfTask


class SettlingEndpoint(RowsEndpoint):
    """Shows writes only when nothing was written for 150 ms."""

    def __init__(self, directory: Path) -> None:
        super().__init__(directory)
        self._shown: list[Any] = []

    def read_back(self) -> list[Any]:
        """The rows, as of the last pause between writes."""
        tables = self._directory.iterdir()
        written = max((table.stat().st_mtime for table in tables), default=0.0)
        if time.time() - written >= _SETTLED_S:
            self._shown = super().read_back()
        return list(self._shown)
