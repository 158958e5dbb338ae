"""The source connector: chooses tables, shares them out, notices new ones."""

from __future__ import annotations

import json
import threading
from typing import TYPE_CHECKING, Any

from plugwright import ConnectError, ExactlyOnceSupport, SourceConnector, group_partitions
from plugwright_sql.names import tables_to_json
from plugwright_sql.position import Position
from plugwright_sql.shared_settings import VERSION, checked, reached, with_problems
from plugwright_sql.source_settings import SOURCE_CONFIG, TABLES, Mode, source_problems
from plugwright_sql.source_task import SqlSourceTask
from plugwright_sql.table_list import TableChoice, TableWatch

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plugwright import ConfigDef, ConfigValue, Task
    from plugwright_sql.database import Database
    from plugwright_sql.names import TableName

__all__ = ["SqlSourceConnector"]


class SqlSourceConnector(SourceConnector):
    """Copies the rows of tables, or of a query, into topics."""

    def __init__(self) -> None:
        self._props: Mapping[str, str] = {}
        self._stopping = threading.Event()
        self._database: Database | None = None
        self._watch: TableWatch | None = None
        self._choice: TableChoice | None = None

    def version(self) -> str:
        """The version of this distribution."""
        return VERSION

    def config(self) -> ConfigDef:
        """The supported settings of the JDBC source connector."""
        return SOURCE_CONFIG

    def validate(self, props: Mapping[str, str]) -> Sequence[ConfigValue]:
        """Every setting with its problems, also those that concern several settings."""
        return with_problems(SOURCE_CONFIG.validate(props), source_problems(props))

    def start(self, props: Mapping[str, str]) -> None:
        """List the tables, and begin to look for new ones.

        Raises:
            ConfigError: if a setting is missing or wrong.
            ConnectError: if the tables cannot be listed.
        """
        settings = checked(SOURCE_CONFIG, props, source_problems)
        self._props = dict(props)
        if settings["query"]:
            return
        self._stopping.clear()
        self._database = reached(settings, self._stopping.wait)
        self._choice = TableChoice.of(settings)
        known = self._tables()
        interval = int(str(settings["table.poll.interval.ms"]))
        self._watch = TableWatch(self._tables, interval, self._changed, self._failed)
        self._watch.start(known)

    def task_class(self) -> type[Task]:
        """The class that reads."""
        return SqlSourceTask

    def task_configs(self, max_tasks: int) -> Sequence[Mapping[str, str]]:
        """The tables shared out: every table for one task; a query is not divided."""
        if self._choice is None:
            return [self._props]
        tables = self._tables()
        count = max(1, min(max_tasks, len(tables)))
        return [
            {**self._props, TABLES: tables_to_json(group)}
            for group in group_partitions(tables, count)
        ]

    def stop(self) -> None:
        """End the look-out, and close the connection."""
        self._stopping.set()
        if self._watch is not None:
            self._watch.stop()
            self._watch = None
        if self._database is not None:
            self._database.close()
            self._database = None
        self._choice = None

    def exactly_once_support(self, props: Mapping[str, str]) -> ExactlyOnceSupport:
        """Supported in every mode that has offsets: all but bulk."""
        if props.get("mode") == Mode.BULK.value:
            return ExactlyOnceSupport.UNSUPPORTED
        return ExactlyOnceSupport.SUPPORTED

    def alter_offsets(
        self,
        props: Mapping[str, str],
        offsets: Sequence[tuple[Mapping[str, Any], Mapping[str, Any] | None]],
    ) -> bool:
        """Accept positions of tables or of the query, and that anything is forgotten.

        Raises:
            ConnectError: if a partition or an offset does not belong to the mode.
        """
        mode = Mode(str(props.get("mode", Mode.BULK.value)))
        for partition, offset in offsets:
            if offset is None:
                continue
            _check_partition(partition, "query" if props.get("query") else "table")
            Position.from_offset(offset, mode)
        return True

    def _tables(self) -> list[TableName]:
        assert self._choice is not None  # noqa: S101  # start has made both
        assert self._database is not None  # noqa: S101
        return self._choice.tables(self._database)

    def _changed(self) -> None:
        self.context.request_task_reconfiguration()

    def _failed(self, error: Exception) -> None:
        self.context.raise_error(error)


def _check_partition(partition: Mapping[str, Any], key: str) -> None:
    if set(partition) == {key} and isinstance(partition[key], str):
        return
    shown = json.dumps(dict(partition), ensure_ascii=False, default=str)
    raise ConnectError(
        f'a source partition must be {{"{key}": name}}, found {shown}',
        code="sql.bad-partition",
        facts={"partition": dict(partition)},
    )
