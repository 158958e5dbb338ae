"""Unusual but correct sources, which no check may fail."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from plugwright import STRING_SCHEMA, ConnectError, SourceRecord
from plugwright_conformance.reference.rows.source import RowsSourceConnector, RowsSourceTask

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plugwright import Task

__all__ = ["BlocksToTheLimit", "IntegersInMaps", "SaysWhenItRead"]

_RECENT = 5000


class BlocksToTheLimitTask(RowsSourceTask):
    """Waits in an idle poll() for two seconds, or until stop()."""

    def poll(self) -> Sequence[SourceRecord] | None:
        """The next rows, or nothing after the longest permitted wait."""
        records = super().poll()
        if not records:
            self._stopping.wait(2.0)
        return records


class BlocksToTheLimit(RowsSourceConnector):
    """G06."""

    def task_class(self) -> type[Task]:
        """The unusual class."""
        return BlocksToTheLimitTask


class IntegersInMapsTask(RowsSourceTask):
    """Has numbers and nulls in its partitions and offsets."""

    def _line(self, table: str) -> int:
        number = int(table.removeprefix("table"))
        partition = {"table": table, "number": number, "shard": None}
        offset = self.context.offset_storage_reader.offset(partition)
        return 0 if offset is None else self._checked(offset)

    @staticmethod
    def _checked(offset: Mapping[str, Any]) -> int:
        line = offset.get("line")
        if set(offset) != {"line", "page"} or type(line) is not int or line < 0:
            raise ConnectError("an offset must be {'line': n, 'page': null}", code="rows.offset")
        return line

    def record(self, table: str, line: int, row: Any) -> SourceRecord:
        """The record, with such a partition and offset."""
        record = super().record(table, line, row)
        number = int(table.removeprefix("table"))
        record.source_partition = {"table": table, "number": number, "shard": None}
        record.source_offset = {"line": line, "page": None}
        return record


class IntegersInMaps(RowsSourceConnector):
    """G14."""

    def task_class(self) -> type[Task]:
        """The unusual class."""
        return IntegersInMapsTask


class SaysWhenItReadTask(RowsSourceTask):
    """Adds the time of reading to every record, and remembers the last 5000 positions."""

    def __init__(self) -> None:
        super().__init__()
        self._recent: list[tuple[str, int]] = []

    def record(self, table: str, line: int, row: Any) -> SourceRecord:
        """The record, with a unique key and headers that depend on the time."""
        record = super().record(table, line, row)
        record.key, record.key_schema = f"{table}-{line}", STRING_SCHEMA
        record.timestamp = int(time.time()) * 1000
        record.headers.add("read", str(int(time.time())), STRING_SCHEMA)
        record.headers.add("attempt", str(uuid4()), STRING_SCHEMA)
        self._recent.append((table, line))
        del self._recent[:-_RECENT]
        return record


class SaysWhenItRead(RowsSourceConnector):
    """G19s."""

    def task_class(self) -> type[Task]:
        """The unusual class."""
        return SaysWhenItReadTask
