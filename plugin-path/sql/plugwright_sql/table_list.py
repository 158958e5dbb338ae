"""Determines the tables of a source, with a thread that looks for new ones."""

from __future__ import annotations

import re
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import inspect

from plugwright import ConnectError
from plugwright_sql.names import TableName

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from plugwright_sql.database import Database

__all__ = ["TableChoice", "TableWatch"]

_OWN_SCHEMAS = re.compile(r"pg_.*|information_schema|mysql|performance_schema|sys")


@dataclass(frozen=True, slots=True)
class TableChoice:
    """Selects the tables to read.

    Attributes:
        names: exactly these (``table.whitelist``); empty for all.
        not_names: none of these (``table.blacklist``).
        patterns: those that match one of these (``table.include.list``); empty for all.
        not_patterns: none that matches (``table.exclude.list``).
        schema: only those of this schema.
        kinds: ``TABLE``, ``VIEW`` or both.
    """

    names: Sequence[str]
    not_names: Sequence[str]
    patterns: Sequence[str]
    not_patterns: Sequence[str]
    schema: str | None
    kinds: Sequence[str]

    @classmethod
    def of(cls, settings: Mapping[str, Any]) -> TableChoice:
        """Create from the settings."""
        return cls(
            settings["table.whitelist"],
            settings["table.blacklist"],
            settings["table.include.list"],
            settings["table.exclude.list"],
            settings["schema.pattern"] or None,
            settings["table.types"],
        )

    def tables(self, database: Database) -> list[TableName]:
        """The tables that are there now, in order.

        Raises:
            ConnectError: if they cannot be listed.
        """
        with database.connection("list the tables") as connection:
            inspector = inspect(connection)
            default = inspector.default_schema_name
            found = []
            for schema in self._schemas(inspector):
                shown = None if schema == default else schema
                found += [TableName(shown, name) for name in self._named(inspector, schema)]
        return sorted(
            (table for table in found if self._chosen(table, default)),
            key=lambda table: (table.schema or "", table.name),
        )

    def _schemas(self, inspector: Any) -> list[str | None]:
        if self.schema is not None:
            return [self.schema]
        if inspector.dialect.name != "postgresql":
            return [inspector.default_schema_name]
        names: list[str | None] = [*inspector.get_schema_names()]
        return [name for name in names if not _OWN_SCHEMAS.fullmatch(name or "")]

    def _named(self, inspector: Any, schema: str | None) -> list[str]:
        tables = inspector.get_table_names(schema) if "TABLE" in self.kinds else []
        views = inspector.get_view_names(schema) if "VIEW" in self.kinds else []
        return [*tables, *views]

    def _chosen(self, table: TableName, default: str | None) -> bool:
        known = {table.name, str(table), f"{table.schema or default}.{table.name}"}
        if self.names and not known.intersection(self.names):
            return False
        if self.patterns and not _matches(self.patterns, known):
            return False
        return not known.intersection(self.not_names) and not _matches(self.not_patterns, known)


class TableWatch:
    """A thread that looks for new and removed tables until it is stopped.

    Args:
        look: lists the tables.
        interval_ms: between two looks.
        changed: is called when they are others than before.
        failed: is called with an error that will not pass.
    """

    def __init__(
        self,
        look: Callable[[], list[TableName]],
        interval_ms: int,
        changed: Callable[[], object],
        failed: Callable[[Exception], object],
    ) -> None:
        self._look = look
        self._interval_s = interval_ms / 1000
        self._changed = changed
        self._failed = failed
        self._stopping = threading.Event()
        self._known: list[TableName] | None = None
        self._thread = threading.Thread(target=self._run, name="sql-tables", daemon=True)

    def start(self, known: list[TableName]) -> None:
        """Begin, with what is known to be there."""
        self._known = known
        self._thread.start()

    def stop(self) -> None:
        """End, and wait for the end."""
        self._stopping.set()
        if self._thread.is_alive():
            self._thread.join()

    def _run(self) -> None:
        while not self._stopping.wait(self._interval_s):
            try:
                found = self._look()
            except ConnectError as error:
                if error.retriable:
                    continue
                self._failed(error)
                return
            if found != self._known:
                self._known = found
                self._changed()


def _matches(patterns: Sequence[str], texts: set[str]) -> bool:
    return any(re.fullmatch(pattern, text) for pattern in patterns for text in texts)
