"""The endpoints of the conformance suite: files of SQLite, used without the connectors."""

from __future__ import annotations

import datetime as dt
import sqlite3
from contextlib import closing
from decimal import Decimal
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from plugwright import Struct

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

__all__ = ["SinkTableEndpoint", "SourceTableEndpoint"]

_BUSY_S = 60
_COLUMNS: Mapping[str, str] = MappingProxyType(
    {
        "id": "BIGINT",
        "name": "TEXT",
        "good": "BOOLEAN",
        "data": "BLOB",
        "amount": "DECIMAL_TEXT(38,2)",
        "born": "DATE",
        "opens": "TIME",
        "seen": "TIMESTAMP",
        "note": "TEXT",
    }
)
"""The columns of a row, as conformance.toml declares its fields."""
_WRITTEN: Mapping[type, Callable[[Any], Any]] = MappingProxyType(
    {
        Decimal: str,
        dt.date: dt.date.isoformat,
        dt.time: lambda value: value.isoformat("milliseconds"),
        dt.datetime: lambda value: value.replace(tzinfo=None).isoformat(" ", "milliseconds"),
    }
)
_READ: Mapping[str, Callable[[Any], Any]] = MappingProxyType(
    {
        "good": bool,
        "amount": Decimal,
        "born": dt.date.fromisoformat,
        "opens": dt.time.fromisoformat,
        "seen": lambda text: dt.datetime.fromisoformat(text).replace(tzinfo=dt.UTC),
    }
)


class _TableEndpoint:
    """A database with one table, in a private directory.

    Args:
        directory: an empty directory of this endpoint's own.
    """

    NUMBERED = ""
    """The column that numbers the rows, with a comma."""

    def __init__(self, directory: Path) -> None:
        self._file = directory / "rows.sqlite"
        self._aside = directory / "rows.aside"
        self._added: dict[str, str] = {}

    def start(self) -> Mapping[str, str]:
        """Make the table; the settings that point the connector at it."""
        with closing(self._connect()) as database:
            columns = ", ".join(f"{name} {declared}" for name, declared in _COLUMNS.items())
            database.execute(f"CREATE TABLE lines ({self.NUMBERED}value TEXT, {columns})")
        return {"connection.url": f"jdbc:sqlite:{self._file}"}

    def stop(self) -> None:
        """Remove the database."""
        if self._file.is_dir():
            self._file.rmdir()
        for path in (self._file, self._aside):
            path.unlink(missing_ok=True)

    def refuse(self) -> Sequence[str]:
        """Put a directory in the file's place; the words of SQLite about it."""
        self._file.rename(self._aside)
        self._file.mkdir()
        return ("unable to open database file",)

    def recover(self) -> Sequence[str]:
        """Put the file back."""
        self._file.rmdir()
        self._aside.rename(self._file)
        return ()

    def seed(self, values: Sequence[Any]) -> None:
        """Insert rows like another application, in one transaction; a bare value is text."""
        with closing(self._connect()) as database:
            database.execute("BEGIN IMMEDIATE")
            for value in values:
                row = (value if isinstance(value, dict) else {"value": value}) | self._added
                names = ", ".join(row)
                marks = ", ".join("?" * len(row))
                database.execute(
                    f"INSERT INTO lines ({names}) VALUES ({marks})",  # noqa: S608  # own names
                    [_WRITTEN.get(type(item), _same)(item) for item in row.values()],
                )
            database.execute("COMMIT")

    def _connect(self) -> sqlite3.Connection:
        return sqlite3.connect(self._file, timeout=_BUSY_S, isolation_level=None)


class SourceTableEndpoint(_TableEndpoint):
    """A table that SQLite numbers, for the source."""

    NUMBERED = "seq INTEGER PRIMARY KEY AUTOINCREMENT, "

    def read_back(self) -> list[Any]:
        """Every value, in the order of its number."""
        with closing(self._connect()) as database:
            rows = database.execute("SELECT value FROM lines ORDER BY seq").fetchall()
        return [value for (value,) in rows]

    def seeded(self, value: Any) -> Any:
        """The seeded value from which the source made this struct or map."""
        if isinstance(value, Struct | dict):
            text = value["value"]
            return text if text is not None else {name: value[name] for name in _COLUMNS}
        return value

    def add_field(self, name: str, text: str) -> Sequence[str]:
        """Add a column that holds this text in all rows from now on."""
        with closing(self._connect()) as database:
            database.execute(f"ALTER TABLE lines ADD COLUMN {name} TEXT")
        self._added[name] = text
        return ()

    def seed_foreign(self) -> Sequence[str]:
        """Insert text into a column of numbers; the words that an error about it must have."""
        with closing(self._connect()) as database:
            database.execute("INSERT INTO lines (id) VALUES ('many')")
        return ("table lines", "column id", "BIGINT")


class SinkTableEndpoint(_TableEndpoint):
    """A table for the sink, with a column for values that are not rows."""

    def read_back(self) -> list[Any]:
        """Every row that is committed, in the order of writing; of a bare value the value."""
        with closing(self._connect()) as database:
            found = database.execute("SELECT * FROM lines ORDER BY rowid")
            names = [column[0] for column in found.description]
            rows = [dict(zip(names, row, strict=True)) for row in found]
        return [_value_of(row) for row in rows]

    def read_offsets(self) -> list[tuple[str, int, int]]:
        """Topic, partition and next offset of each partition that has a record in the table."""
        with closing(self._connect()) as database:
            table = "SELECT 1 FROM sqlite_master WHERE name = 'plugwright_offsets'"
            if database.execute(table).fetchone() is None:
                return []
            return database.execute(
                "SELECT topic, kafka_partition, next_offset FROM plugwright_offsets "
                "WHERE next_offset >= 0"
            ).fetchall()


def _value_of(row: dict[str, Any]) -> Any:
    """The bare value of a row, or the row with its values as Python has them."""
    value = row.pop("value")
    if value is not None:
        return value
    return {
        name: None if item is None else _READ.get(name, _same)(item) for name, item in row.items()
    }


def _same(value: Any) -> Any:
    return value
