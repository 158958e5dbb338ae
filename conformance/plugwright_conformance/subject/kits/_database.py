"""A kit for a table of a database that SQLAlchemy can reach."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa
from sqlalchemy.dialects.mysql import LONGTEXT

from plugwright_conformance.subject.kits._endpoint import (
    KitEndpoint,
    filled,
    move_away,
    move_back,
    remove_all,
    run_name,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

__all__ = ["TableKit"]

_BUSY_S = 60
_NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
_TEXT = sa.Text().with_variant(LONGTEXT(), "mysql", "mariadb")


class TableKit(KitEndpoint):
    """A table with a number for the order, a value, and columns that are always the same.

    Without a URL the database is SQLite, in a file of the endpoint's own directory.
    """

    def __init__(self, options: Mapping[str, Any], directory: Path) -> None:
        super().__init__(options, directory)
        self._file = None if "url" in options else directory / "rows.sqlite"
        self._url = options.get("url", f"sqlite:///{self._file}")
        own = {"run": run_name(directory)}
        name = options.get("table", "lines" if self._file else "lines_{run}")
        self._table = _table(filled({"table": name}, own)["table"], options)
        self._same: dict[str, Any] = {**options.get("columns", {})}

    def stop(self) -> None:
        """Remove the table, or the whole file of SQLite."""
        if self._file:
            remove_all(self._file)
        else:
            with self._transaction() as connection:
                self._table.drop(connection, checkfirst=True)

    def seed(self, values: Sequence[Any]) -> None:
        """Insert rows in one transaction."""
        name = self._options.get("value", "value")
        if values:
            rows = [{**self._same, name: value} for value in values]
            with self._transaction() as connection:
                connection.execute(sa.insert(self._table), rows)

    def add_field(self, name: str, text: str) -> Sequence[str]:
        """Add a column that holds this text in all rows from now on."""
        with self._transaction() as connection:
            quoting, kind = (
                connection.dialect.identifier_preparer,
                _TEXT.compile(connection.dialect),
            )
            altered = f"ALTER TABLE {quoting.format_table(self._table)}"
            connection.exec_driver_sql(f"{altered} ADD COLUMN {quoting.quote(name)} {kind}")
        self._table.append_column(sa.Column(name, _TEXT))
        self._same[name] = text
        return ()

    def read_back(self) -> list[Any]:
        """Every value that is committed, by number."""
        return self._read(self._options.get("value", "value"))

    def read_timestamps(self) -> list[int] | None:
        """The timestamp of every value, if a column of milliseconds is declared."""
        column = self._options.get("timestamp", "")
        return self._read(column) if column else None

    def refuse(self) -> Sequence[str]:
        """Put a directory in the place of SQLite's file; a server cannot be made unavailable."""
        if self._file is None:
            return ()
        move_away(self._file, leave_directory=True)
        return ("unable to open database file",)

    def recover(self) -> Sequence[str]:
        """Put the file back."""
        if self._file is not None:
            move_back(self._file)
        return ()

    def _open(self) -> Mapping[str, str]:
        with self._transaction() as connection:
            self._table.create(connection, checkfirst=True)
        return {
            "url": self._url,
            "table": self._table.name,
            "file": "" if self._file is None else str(self._file),
        }

    def _read(self, column: str) -> list[Any]:
        table = self._table
        order = table.c[self._options.get("number", "id")]
        with self._transaction() as connection:
            return list(connection.scalars(sa.select(table.c[column]).order_by(order)))

    @contextmanager
    def _transaction(self) -> Iterator[sa.Connection]:
        """A connection of its own: the driver may be copied into another process."""
        patience = {"timeout": _BUSY_S} if self._file else {}
        engine = sa.create_engine(self._url, poolclass=sa.NullPool, connect_args=patience)
        with engine.begin() as connection:
            yield connection


def _table(name: str, options: Mapping[str, Any]) -> sa.Table:
    columns = {name: _type_of(same) for name, same in options.get("columns", {}).items()}
    if timestamp := options.get("timestamp", ""):
        columns[timestamp] = sa.BigInteger()
    return sa.Table(
        name,
        sa.MetaData(),
        sa.Column(options.get("number", "id"), _NUMBER, primary_key=True, autoincrement=True),
        sa.Column(options.get("value", "value"), _TEXT),
        *(sa.Column(each, kind) for each, kind in columns.items()),
        sqlite_autoincrement=True,
    )


def _type_of(value: object) -> sa.types.TypeEngine[Any]:
    return _TEXT if isinstance(value, str) else sa.BigInteger()
