"""Unloads structs into Parquet files, column by column.

Rows are collected in memory, by topic partition and by the day of their timestamps, and written
when there are enough of them or when they are old enough. Until then their offsets are not
committed. What is still in memory when a partition leaves is given up, because its next owner gets
it from Kafka again.
"""

from __future__ import annotations

import datetime as dt
import os
import threading
import time
from collections import deque
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote

import pyarrow as pa
import pyarrow.parquet as pq
from plugwright import (
    ConfigDef,
    ConfigType,
    ConnectError,
    DataError,
    Date,
    Decimal,
    Importance,
    NonEmptyStringWithoutControlChars,
    Range,
    RetriableError,
    Schema,
    SchemaType,
    SinkColumns,
    SinkConnector,
    SinkTask,
    Struct,
    Time,
    Timestamp,
    TopicPartition,
    ValidString,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from plugwright import SinkRecord

CONFIG = (
    ConfigDef()
    .define(
        "pier.directory",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyStringWithoutControlChars(),
        documentation="Directory below which the files are written; it has to exist.",
    )
    .define(
        "roll.rows",
        ConfigType.INT,
        default=50_000,
        importance=Importance.MEDIUM,
        validator=Range.between(1, 1_000_000),
        documentation="Rows of a partition after which files are written.",
    )
    .define(
        "roll.ms",
        ConfigType.INT,
        default=60_000,
        importance=Importance.MEDIUM,
        validator=Range.between(1, 3_600_000),
        documentation="Age of the first row in memory after which files are written.",
    )
    .define(
        "compression",
        ConfigType.STRING,
        default="zstd",
        importance=Importance.LOW,
        validator=ValidString.in_("none", "snappy", "gzip", "zstd"),
        documentation="How the files are compressed.",
    )
)

_PLAIN = {
    SchemaType.INT8: pa.int8(),
    SchemaType.INT16: pa.int16(),
    SchemaType.INT32: pa.int32(),
    SchemaType.INT64: pa.int64(),
    SchemaType.FLOAT32: pa.float32(),
    SchemaType.FLOAT64: pa.float64(),
    SchemaType.BOOLEAN: pa.bool_(),
    SchemaType.STRING: pa.string(),
    SchemaType.BYTES: pa.binary(),
}
_LOGICAL = {
    Date.LOGICAL_NAME: pa.date32(),
    Time.LOGICAL_NAME: pa.time32("ms"),
    Timestamp.LOGICAL_NAME: pa.timestamp("ms", "UTC"),
}
_UNFIT = (pa.ArrowException, ValueError, TypeError, OverflowError)
_LASTING = (FileNotFoundError, NotADirectoryError, IsADirectoryError, PermissionError)


class ColumnPierSinkConnector(SinkConnector):
    def __init__(self) -> None:
        self._props: Mapping[str, str] = {}

    def version(self) -> str:
        return "0.5.0"

    def config(self) -> ConfigDef:
        return CONFIG

    def start(self, props: Mapping[str, str]) -> None:
        CONFIG.parse(props)
        self._props = dict(props)

    def task_class(self) -> type[SinkTask]:
        return ColumnPierSinkTask

    def task_configs(self, max_tasks: int) -> Sequence[Mapping[str, str]]:
        return [self._props for _ in range(max_tasks)]

    def stop(self) -> None:
        self._props = {}


class Rows(NamedTuple):
    """Rows of one day with one schema, in memory."""

    day: str
    first: int
    table: pa.Table


class File(NamedTuple):
    """A file that is to be written as it is, however often that fails."""

    directory: str
    name: str
    content: memoryview


class Berth:
    """What is known of one topic partition."""

    def __init__(self) -> None:
        self.rows: list[Rows] = []
        self.count = 0
        self.since = 0.0
        self.next: int | None = None  # of the last record that was taken, plus one
        self.files: deque[File] = deque()
        self.behind_files = 0
        self.durable: int | None = None


class ColumnPierSinkTask(SinkTask):
    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._berths: dict[TopicPartition, Berth] = {}

    def version(self) -> str:
        return "0.5.0"

    def start(self, props: Mapping[str, str]) -> None:
        config = CONFIG.parse(props)
        self._root: str = config["pier.directory"]
        self._most: int = config["roll.rows"]
        self._oldest_s: float = config["roll.ms"] / 1000
        self._compression: str = config["compression"]

    def open(self, partitions: Collection[TopicPartition]) -> None:
        with self._lock:
            for topic, partition in partitions:
                self._berths[TopicPartition(topic, partition)] = Berth()

    def put(self, records: Sequence[SinkRecord]) -> None:
        self.put_batch(SinkColumns.of(records))

    def put_batch(self, batch: Sequence[SinkColumns]) -> None:
        with self._lock:
            for place, berth in self._berths.items():  # before anything of the batch is taken
                if berth.count >= self._most or berth.files:
                    self._unload(place, berth)
            refused: list[tuple[SinkRecord, DataError]] = []
            reporter = self.context.errant_record_reporter() if batch else None
            taken: list[tuple[Berth, int, list[Rows]]] = []
            for part in batch:
                place = TopicPartition(part.original_topic, part.original_kafka_partition)
                berth = self._berths.setdefault(place, Berth())
                rows = self._rows(part, berth, refused)
                if refused and reporter is None:
                    raise refused[0][1]
                taken.append((berth, part.original_kafka_offsets[-1] + 1, rows))
            for berth, behind, rows in taken:
                if rows and not berth.rows:
                    berth.since = time.monotonic()
                berth.rows += rows
                berth.count += sum(each.table.num_rows for each in rows)
                berth.next = max(behind, berth.next or 0)
            due = any(self._is_due(berth) for berth in self._berths.values())
        for record, error in refused:
            reporter.report(record, error)
        if due:
            self.context.request_commit()

    def pre_commit(self, offsets: Mapping[TopicPartition, int]) -> Mapping[TopicPartition, int]:
        """Write what is due; commit what is in files."""
        safe: dict[TopicPartition, int] = {}
        with self._lock:
            for place, offset in offsets.items():
                berth = self._berths.get(place)
                if berth is None:
                    continue
                if self._is_due(berth):
                    self._unload(place, berth)
                if not berth.rows and not berth.files:
                    safe[place] = offset
                elif berth.durable is not None:
                    safe[place] = berth.durable
        return safe

    def close(self, partitions: Collection[TopicPartition]) -> None:
        with self._lock:
            for topic, partition in partitions:
                self._berths.pop(TopicPartition(topic, partition), None)

    def stop(self) -> None:
        with self._lock:
            self._berths.clear()

    def _is_due(self, berth: Berth) -> bool:
        if berth.files or berth.count >= self._most:
            return True
        return bool(berth.rows) and time.monotonic() - berth.since >= self._oldest_s

    def _rows(
        self, part: SinkColumns, berth: Berth, refused: list[tuple[SinkRecord, DataError]]
    ) -> list[Rows]:
        """The rows of a part by day; records that were taken before are left out."""
        offsets = part.original_kafka_offsets
        if berth.next is not None and offsets[0] < berth.next:
            newer = [r for r in part.records() if r.original_kafka_offset >= berth.next]
            return self._rows(SinkColumns(newer), berth, refused) if newer else []
        try:
            table = _table(part)
        except _UNFIT as error:
            if len(part) == 1:
                (record,) = part.records()
                refused.append((record, _refusal(record, error)))
                return []
            middle = len(part) // 2  # which of them is it?
            halves = part.records()[:middle], part.records()[middle:]
            return [
                row for half in halves for row in self._rows(SinkColumns(half), berth, refused)
            ]
        days: dict[str, list[int]] = {}
        for index, timestamp in enumerate(part.timestamps):
            days.setdefault(_day(timestamp), []).append(index)
        if len(days) == 1:
            return [Rows(next(iter(days)), offsets[0], table)]
        return [Rows(day, offsets[at[0]], table.take(at)) for day, at in days.items()]

    def _unload(self, place: TopicPartition, berth: Berth) -> None:
        """Write everything of a partition, first what could not be written the last time.

        Raises:
            ConnectError: if something is left; what is written is not written again.
        """
        if berth.files:
            self._write(berth)
        if berth.rows:
            heaps: dict[tuple[str, pa.Schema], list[Rows]] = {}
            for rows in berth.rows:
                heaps.setdefault((rows.day, rows.table.schema), []).append(rows)
            for (day, _), heap in heaps.items():
                sink = pa.BufferOutputStream()
                table = pa.concat_tables([rows.table for rows in heap])
                pq.write_table(table, sink, compression=self._compression)
                # Another task may have the same first row, and less or more behind it.
                stretch = f"{heap[0].first:020}+{table.num_rows}"
                name = f"{quote(place.topic, safe='')}+{place.partition}+{stretch}.parquet"
                directory = os.path.join(self._root, f"day={day}")
                berth.files.append(File(directory, name, memoryview(sink.getvalue())))
            berth.rows, berth.count, berth.behind_files = [], 0, berth.next or 0
            self._write(berth)

    def _write(self, berth: Berth) -> None:
        while berth.files:
            file = berth.files[0]
            try:
                _write_file(self._root, file)
            except OSError as error:
                raise (ConnectError if isinstance(error, _LASTING) else RetriableError)(
                    f"{file.name} cannot be written to {file.directory}: {error}",
                    code="columnpier.file",
                    facts={"directory": file.directory, "file": file.name},
                ) from error
            berth.files.popleft()
        berth.durable = berth.behind_files


def _write_file(root: str, file: File) -> None:
    """Write under another name, and rename what is complete."""
    try:
        os.mkdir(file.directory)
    except FileExistsError:
        pass  # made before, perhaps by another task just now
    else:
        _sync(root)
    draft = os.path.join(file.directory, f".{file.name}.{os.getpid()}.{threading.get_ident()}")
    try:
        with open(draft, "wb") as target:
            target.write(file.content)
            target.flush()
            os.fsync(target.fileno())
        os.replace(draft, os.path.join(file.directory, file.name))
    except BaseException:
        try:
            os.unlink(draft)
        except OSError:
            pass  # it is not a .parquet, so nothing reads it
        raise
    _sync(file.directory)


def _sync(directory: str) -> None:
    handle = os.open(directory, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _table(part: SinkColumns) -> pa.Table:
    columns = part.structs
    if columns is None:
        if not all(isinstance(value, Struct) for value in part.values):
            raise TypeError("only structs become rows")
        raise TypeError("the struct is not of the schema of its record")
    schema = _arrow_schema(part.value_schema)
    if not len(schema):
        raise TypeError("a struct without fields has no columns")
    arrays = [
        pa.array([_arrow_value(value) for value in values], field.type, from_pandas=False)
        for values, field in zip(columns.fields, schema, strict=True)
    ]
    return pa.Table.from_arrays(arrays, schema=schema)


def _arrow_schema(schema: Schema) -> pa.Schema:
    return pa.schema([(field.name, _arrow_type(field.schema)) for field in schema.fields])


def _arrow_type(schema: Schema) -> pa.DataType:
    if schema.name == Decimal.LOGICAL_NAME:
        return pa.decimal128(38, int(schema.parameters[Decimal.SCALE_FIELD]))
    if schema.name in _LOGICAL:
        return _LOGICAL[schema.name]
    if schema.type is SchemaType.ARRAY:
        return pa.list_(_arrow_type(schema.value_schema))
    if schema.type is SchemaType.MAP:
        return pa.map_(_arrow_type(schema.key_schema), _arrow_type(schema.value_schema))
    if schema.type is SchemaType.STRUCT:
        return pa.struct([(field.name, _arrow_type(field.schema)) for field in schema.fields])
    return _PLAIN[schema.type]


def _arrow_value(value: Any) -> Any:
    if isinstance(value, Struct):
        return {name: _arrow_value(value[name]) for name in value}
    if isinstance(value, list):
        return [_arrow_value(each) for each in value]
    if isinstance(value, dict):
        return [(_arrow_value(key), _arrow_value(each)) for key, each in value.items()]
    if isinstance(value, bytearray | memoryview):
        return bytes(value)
    if isinstance(value, dt.datetime | dt.time):
        return value.replace(microsecond=value.microsecond // 1000 * 1000)
    return value


def _day(timestamp: int | None) -> str:
    if timestamp is None:
        return "unknown"
    try:
        moment = dt.datetime(1970, 1, 1) + dt.timedelta(milliseconds=timestamp)
    except OverflowError:
        return "unknown"
    return moment.date().isoformat()


def _refusal(record: SinkRecord, error: Exception) -> DataError:
    place = (
        f"{record.original_topic}-{record.original_kafka_partition}@{record.original_kafka_offset}"
    )
    what = "a tombstone" if record.value is None else type(record.value).__name__
    return DataError(
        f"the record at {place}, {what}, cannot be a row: {error}",
        code="columnpier.row",
        hint="write structs, for example with JsonConverter and schemas.enable=true",
        facts={"place": place},
    )
