"""Row sources that share state between tasks, or divide tables wrongly."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from plugwright import ConnectError
from plugwright_conformance.mutants.mutant import mutant
from plugwright_conformance.reference.rows.source import (
    RowsSourceConnector,
    RowsSourceTask,
    tables_of,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from plugwright import SourceRecord, Task

__all__ = [
    "BindsOffsetsToDivisionTask",
    "ClosesSharedClientTask",
    "CountsFromQueryTask",
    "SharesByHash",
    "SharesDirectoryTask",
]

_SHARED: dict[str, Path] = {}
_CLIENT = {"open": False}


@mutant(
    "M042",
    "the place of the tables is kept in the module; the second instance redirects the first",
    base="lines-source",
    killed_by="CON-LIF-08",
    failure="values of the first connector",
)
class SharesDirectoryTask(RowsSourceTask):
    """Keeps the directory in a module variable.

    Reported at https://github.com/IBM/cloudant-kafka-connector/pull/40: settings of the instance
    were fields of the class.
    """

    def start(self, props: Mapping[str, str]) -> None:
        """Start, and store the directory."""
        super().start(props)
        _SHARED["place"] = self._directory

    def _read(self, table: str) -> Sequence[str]:
        self._directory = _SHARED["place"]
        return super()._read(table)


@mutant(
    "M077",
    "the offset of a row counts from the begin of the query that has found it",
    base="lines-source",
    killed_by="SRC-OFF-07",
    failure="resumed from the offset of record",
)
class CountsFromQueryTask(RowsSourceTask):
    """Counts offsets from the start of each query.

    After https://github.com/confluentinc/kafka-connect-jdbc/pull/1124: what one query has left in
    memory decides on the offsets of the next one.
    """

    def poll(self) -> Sequence[SourceRecord] | None:
        """The next rows."""
        self._begun = dict(self._lines)
        return super().poll()

    def record(self, table: str, line: int, row: Any) -> SourceRecord:
        """The record of a row, with its number in the query as offset."""
        return super().record(table, line - self._begun[table], row)


@mutant(
    "M123",
    "a task that fails closes the client that the others use",
    killed_by="CON-PAR-05",
    failure="the client is closed",
)
class ClosesSharedClientTask(RowsSourceTask):
    """Closes a client that other tasks use.

    Reported at https://github.com/datastax/kafka-sink/pull/16: tasks that still worked found their
    executor terminated.
    """

    def start(self, props: Mapping[str, str]) -> None:
        """Open the client."""
        super().start(props)
        _CLIENT["open"] = True

    def poll(self) -> Sequence[SourceRecord] | None:
        """The next rows.

        Raises:
            ConnectError: if another task has closed the client.
        """
        if not _CLIENT["open"]:
            raise ConnectError("the client is closed", code="rows.closed")
        return super().poll()

    def stop(self) -> None:
        """Close the client."""
        super().stop()
        _CLIENT["open"] = False


@mutant(
    "M124",
    "offsets count only for a task with the same tables as the one that left them",
    killed_by="CON-PAR-07",
    failure="tasks.max 1, then 4, then 2",
)
class BindsOffsetsToDivisionTask(RowsSourceTask):
    """Ignores offsets of a task with other tables.

    After https://github.com/SAP-archive/kafka-connect-sap/issues/25: offsets are stored in a way in
    which the next task does not find them.
    """

    def start(self, props: Mapping[str, str]) -> None:
        """Remember the tables of the task, then start."""
        self._mine = props.get("tables", "")
        super().start(props)

    def _line(self, table: str) -> int:
        offset = self.context.offset_storage_reader.offset({"table": table})
        if offset is not None and offset.get("tables") != self._mine:
            return 0
        return int(offset["line"]) if offset else 0

    def record(self, table: str, line: int, row: Any) -> SourceRecord:
        """The record of a row, with the tables of the task in its offset."""
        record = super().record(table, line, row)
        record.source_offset = {"line": line, "tables": self._mine}
        return record


class HashingTask(RowsSourceTask):
    """Chooses its tables by ``hash()``."""

    def start(self, props: Mapping[str, str]) -> None:
        """Choose the tables, then start."""
        number, count = int(props["number"]), int(props["count"])
        mine = [name for name in tables_of(props["rows.url"]) if hash(name) % count == number]
        super().start({**props, "tables": ",".join(mine)})


@mutant(
    "M222",
    "tasks choose their tables by hash(), which is another one in every process",
    base="rows-source",
    killed_by="CON-PAR-08",
    failure="missing",
)
class SharesByHash(RowsSourceConnector):
    """Lets the tasks choose their tables.

    Reported at https://github.com/uber/petastorm/pull/247: pieces were chosen by hash() of a path,
    and overlapped between machines.
    """

    def task_class(self) -> type[Task]:
        """The broken class."""
        return HashingTask

    def task_configs(self, max_tasks: int) -> Sequence[Mapping[str, str]]:
        """One configuration with its number for each task."""
        count = len(super().task_configs(max_tasks))
        return [{**self._props, "number": f"{n}", "count": f"{count}"} for n in range(count)]
