"""The endpoints of the small connectors: files and SQLite databases in private directories."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from plugwright_conformance.subject.text_file import TextFileEndpoint

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

__all__ = [
    "EventsEndpoint",
    "FolderEndpoint",
    "LinesEndpoint",
    "MessagesEndpoint",
    "PagesEndpoint",
    "RowsEndpoint",
]

_FILES = 3
_TIES = 5
_BEGIN = datetime(1970, 1, 1, tzinfo=UTC)


class LinesEndpoint(TextFileEndpoint):
    """One text file."""

    SETTING = "place"


class FolderEndpoint:
    """Three text files, filled in turn; objects that sinks add are read, too."""

    def __init__(self, directory: Path) -> None:
        self._folder = directory / "folder"
        self._count = 0

    def start(self) -> Mapping[str, str]:
        """Make the directory and its files."""
        self._folder.mkdir()
        for number in range(_FILES):
            (self._folder / f"part{number}.txt").touch()
        return {"place": str(self._folder)}

    def stop(self) -> None:
        """Remove it."""
        shutil.rmtree(self._folder)

    def seed(self, values: Sequence[str]) -> None:
        """Append values, to one file after the other."""
        for value in values:
            name = f"part{self._count % _FILES}.txt"
            self._count += 1
            with (self._folder / name).open("a", encoding="utf-8", newline="") as file:
                file.write(f"{value}\n")

    def read_back(self) -> list[str]:
        """Every complete line of every file, by their names; files begun are left out."""
        files = sorted(path for path in self._folder.iterdir() if path.suffix == ".txt")
        return [line for f in files for line in f.read_bytes().decode().split("\n")[:-1]]


class _Database:
    """A database with one table."""

    TABLE = ""

    def __init__(self, directory: Path) -> None:
        self._file = directory / "store.db"

    def start(self) -> Mapping[str, str]:
        """Make the table."""
        self._do(self.TABLE)
        return {"place": str(self._file)}

    def stop(self) -> None:
        """Remove the database."""
        for name in ("store.db", "store.db-journal", "store.db-wal", "store.db-shm"):
            self._file.with_name(name).unlink(missing_ok=True)

    def _do(self, statement: str, rows: Sequence[tuple[object, ...]] = ((),)) -> None:
        with closing(sqlite3.connect(self._file, timeout=30)) as database, database:
            for row in rows:
                database.execute(statement, row)

    def _ask(self, query: str) -> list[str]:
        with closing(sqlite3.connect(self._file, timeout=30)) as database:
            return [row[0] for row in database.execute(query)]


class EventsEndpoint(_Database):
    """Rows that were changed five at a time, every ten minutes, from 1970 on; ids have gaps."""

    TABLE = "CREATE TABLE events (id INTEGER PRIMARY KEY, at TEXT, value TEXT)"

    def seed(self, values: Sequence[str]) -> None:
        """Add rows."""
        begin = len(self.read_back())
        rows = [
            (3 * n + 3, str(_BEGIN + timedelta(minutes=10, microseconds=7) * (n // _TIES)), value)
            for n, value in enumerate(values, begin)
        ]
        self._do("INSERT INTO events VALUES (?, ?, ?)", rows)

    def read_back(self) -> list[str]:
        """The values of all rows."""
        return self._ask("SELECT value FROM events ORDER BY id")


class PagesEndpoint(_Database):
    """Items of an interface with pages; between them are runs of deleted items."""

    TABLE = "CREATE TABLE items (id INTEGER PRIMARY KEY, value TEXT)"

    def seed(self, values: Sequence[str]) -> None:
        """Add items, and a page of deleted ones behind every thirty."""
        rows: list[tuple[object, ...]] = []
        for n, value in enumerate(values, len(self.read_back())):
            rows.append((value,))
            rows += [(None,)] * 20 if n % 30 == 29 else []  # noqa: PLR2004  # see above
        self._do("INSERT INTO items (value) VALUES (?)", rows)

    def read_back(self) -> list[str]:
        """The values of the items that are there."""
        return self._ask("SELECT value FROM items WHERE value IS NOT NULL ORDER BY id")


class MessagesEndpoint(_Database):
    """A queue: what was acknowledged is not handed out again."""

    TABLE = "CREATE TABLE messages (id INTEGER PRIMARY KEY, value TEXT, done INTEGER DEFAULT 0)"

    def seed(self, values: Sequence[str]) -> None:
        """Put messages into the queue."""
        self._do("INSERT INTO messages (value) VALUES (?)", [(value,) for value in values])

    def read_back(self) -> list[str]:
        """The values of all messages, acknowledged or not."""
        return self._ask("SELECT value FROM messages ORDER BY id")


class RowsEndpoint(_Database):
    """A table of values, in the order in which they came."""

    TABLE = "CREATE TABLE entries (id INTEGER PRIMARY KEY, value TEXT)"

    def seed(self, values: Sequence[str]) -> None:
        """Add values."""
        self._do("INSERT INTO entries (value) VALUES (?)", [(value,) for value in values])

    def read_back(self) -> list[str]:
        """All values."""
        return self._ask("SELECT value FROM entries ORDER BY id")
