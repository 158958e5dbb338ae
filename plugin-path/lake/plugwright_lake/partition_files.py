"""The files that are being filled from one partition of one topic."""

from __future__ import annotations

import datetime as dt
import operator
import time
from bisect import bisect_right
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from plugwright import DataError, SchemaProjector
from plugwright_lake.names import names_folder
from plugwright_lake.store import store_error
from plugwright_lake.values import refused, schema_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from plugwright import Schema, SinkColumns, SinkRecord, TopicPartition
    from plugwright_lake.formats import RowCollection, Rows
    from plugwright_lake.layout import Layout
    from plugwright_lake.store import Store

__all__ = ["PartitionFiles"]

_NONE_YET = -1


@dataclass(slots=True)
class _File:
    """Rows for one file, each with the offset of its record."""

    topic: str
    folder: str
    rows: RowCollection
    offsets: list[int] = field(default_factory=list)


class PartitionFiles:
    """Decides from the records alone, unless a wall clock rotation is set, when files are finished.

    All files of the partition are finished together, and nothing is remembered after that: who
    begins again at the first record of a file makes the same one.

    Args:
        store: takes the files.
        layout: says where they go.
        home: the partition.
        now: the clock on the wall, in milliseconds, for the scheduled rotation.
    """

    def __init__(
        self,
        store: Store,
        layout: Layout,
        home: TopicPartition,
        now: Callable[[], int] = lambda: time.time_ns() // 1_000_000,
    ) -> None:
        self._store = store
        self._layout = layout
        self._home = home
        self._now = now
        self._taken = _NONE_YET
        self._forget()

    def _forget(self) -> None:
        self._files: dict[tuple[str, str], _File] = {}
        self._first, self._count = _NONE_YET, 0
        self._schema: Schema | None = None
        self._rows: Rows | None = None
        self._began_ms = self._due_ms = 0
        self._folder = ""

    @property
    def unfinished(self) -> int | None:
        """The offset of the first record that is in no finished file, ``None`` if all are."""
        return self._first if self._count else None

    def add(self, record: SinkRecord) -> None:
        """Take a record, unless it was taken before; finish what it ends.

        Raises:
            DataError: if it cannot be written; it counts as taken then.
            RetriableError: if files could not be written; the record is not taken then.
            ConnectError: if they will not be.
        """
        offset = record.original_kafka_offset
        self.finish_if_due()
        if offset <= self._taken:
            return
        try:
            self._add(record)
        except DataError:
            self._taken = offset
            raise
        self._taken = offset
        if self._count >= self._layout.flush_size:
            self.finish()

    def add_all(self, part: SinkColumns) -> bool:
        """Take the records of columns at once, as `add` takes them one by one.

        Hot path: runs over all records only in bulk.

        Returns:
            Whether they were taken. If not, none was, and each has to be added by itself.

        Raises:
            RetriableError: if files could not be written.
            ConnectError: if they will not be.
        """
        self.finish_if_due()
        offsets, folder = part.original_kafka_offsets, self._layout.folders.folder_of_all(part)
        is_new = offsets[0] > self._taken and all(map(operator.lt, offsets, offsets[1:]))
        if folder is None or not is_new:
            return False
        writer = self._writer_of(part)
        rows = None if writer is None else writer.rows(part)
        if writer is None or rows is None:
            return False
        begin = 0
        while begin < len(offsets):
            if not self._count:
                self._begin(writer, part.value_schema, offsets[begin], 0, folder)
            end = begin + self._layout.flush_size - self._count
            file = self._file(part.topic, folder, writer)
            self._keep(file, rows[begin:end], offsets[begin:end])
            begin = end
        return True

    def _writer_of(self, part: SinkColumns) -> Rows | None:
        """What makes rows of records; ``None`` if they may belong to several files, or nowhere."""
        layout, schema = self._layout, part.value_schema
        decided_singly = layout.interval_ms > 0 or (layout.format.has_schema and schema is None)
        if decided_singly or not names_folder(part.topic):
            return None
        if self._count:
            return self._rows if schema is self._schema or schema == self._schema else None
        try:
            return layout.format.rows(schema)
        except DataError:
            return None

    def _keep(self, file: _File, rows: Any, offsets: Sequence[int]) -> None:
        """Put rows into their file, and finish it if that makes it full."""
        file.rows.extend(rows)
        file.offsets += offsets
        self._count += len(offsets)
        self._taken = offsets[-1]
        if self._count >= self._layout.flush_size:
            self.finish()

    def finish_if_due(self) -> None:
        """Finish files that are full, if that has failed before, or whose time is over."""
        full = self._count >= self._layout.flush_size
        if full or (self._count and self._layout.schedule_ms > 0 and self._now() >= self._due_ms):
            self.finish()

    def finish(self) -> None:
        """Write all files; on return they are durable, and none are open.

        Raises:
            RetriableError: if they could not be written; nothing is forgotten then.
            ConnectError: if they will not be.
        """
        for file in self._files.values():
            where = f"{self._layout.topics}/{file.topic}/{file.folder}"
            try:
                self._write(where, file)
            except OSError as error:
                raise store_error(error, where) from error
        self._forget()

    def _write(self, where: str, file: _File) -> None:
        rows, offsets, names = file.rows, file.offsets, self._layout.names
        if names.ranged:
            last = names.last_offset(*self._home, self._store.names(where))
            begin = bisect_right(offsets, last)
            rows, offsets = rows[begin:], offsets[begin:]
        if not offsets:
            return
        assert self._rows is not None  # noqa: S101  # the first row has made it
        name = names.name(*self._home, offsets[0], offsets[-1])
        self._store.write(f"{where}/{name}", self._rows.file(rows, name))

    def _add(self, record: SinkRecord) -> None:
        layout = self._layout
        if record.value is None:
            if layout.leaves_out_nulls:
                return
            raise refused(
                f"the record at {self._home.topic}-{self._home.partition}"
                f"@{record.original_kafka_offset} has no value",
                "set behavior.on.null.values to ignore",
            )
        folder = layout.folders.folder(record)
        moment = layout.moments.of(record) if layout.interval_ms > 0 else 0
        schema = schema_of(record) if layout.format.has_schema else record.value_schema
        if self._count and self._is_over(schema, folder, moment):
            self.finish()
        self._take(record, schema, folder, moment)

    def _is_over(self, schema: Schema | None, folder: str, moment: int) -> bool:
        """Whether a record belongs into files after those that there are."""
        layout = self._layout
        if layout.interval_ms > 0 and moment - self._began_ms >= layout.interval_ms:
            return True
        if layout.by_time and layout.interval_ms > 0 and folder != self._folder:
            return True
        return layout.format.has_schema and self._changes(schema)

    def _changes(self, schema: Schema | None) -> bool:
        """Whether files of the schema that there is cannot hold a record of another one."""
        known = self._schema
        if schema is known or schema == known:
            return False
        mode = self._layout.compatibility
        if mode == "NONE" or schema is None or known is None:
            return True
        if schema.version is None or known.version is None:
            raise refused(
                f"schema.compatibility={mode} needs schemas with versions",
                "set schema.compatibility to NONE",
            )
        if mode == "FORWARD":
            return schema.version < known.version
        return schema.version > known.version

    def _take(self, record: SinkRecord, schema: Schema | None, folder: str, moment: int) -> None:
        value, offset = record.value, record.original_kafka_offset
        if not self._count:
            rows = self._layout.format.rows(schema)
        else:
            assert self._rows is not None  # noqa: S101  # made with the first row
            rows = self._rows
            known = self._schema
            if self._layout.format.has_schema and schema and known and schema != known:
                value = SchemaProjector.project(schema, value, known)
        row = rows.row(schema, value)
        file = self._file(record.topic, folder, rows)
        if not self._count:
            self._begin(rows, schema, offset, moment, folder)
        file.rows.append(row)
        file.offsets.append(offset)
        self._count += 1

    def _begin(
        self, rows: Rows, schema: Schema | None, offset: int, moment: int, folder: str
    ) -> None:
        """Note what the first record decides for all files that are filled together."""
        self._rows, self._schema = rows, schema
        self._first, self._began_ms, self._folder = offset, moment, folder
        self._due_ms = self._next_due()

    def _file(self, topic: str, folder: str, rows: Rows) -> _File:
        file = self._files.get((topic, folder))
        if file is None:
            if not names_folder(topic):  # no topic of Kafka's: a transformation has made it
                raise refused(f"the topic {topic!r} cannot name a folder", "transform it otherwise")
            file = self._files[topic, folder] = _File(topic, folder, rows.collection())
        return file

    def _next_due(self) -> int:
        """The end of the stretch of the wall clock that now is in; each day begins one."""
        length = self._layout.schedule_ms
        if length <= 0:
            return 0
        now, zone = self._now(), self._layout.zone
        today = dt.datetime.fromtimestamp(now / 1000, zone).date()
        begin, end = (_midnight(day, zone) for day in (today, today + dt.timedelta(days=1)))
        return min(now - (now - begin) % length + length, end)


def _midnight(day: dt.date, zone: dt.tzinfo) -> int:
    """When a day begins, in milliseconds since 1970."""
    return int(dt.datetime.combine(day, dt.time(), zone).timestamp() * 1000)
