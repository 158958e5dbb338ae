"""The table that ``plugwright demo`` moves, in a file or on a server of its own."""

from __future__ import annotations

import sqlite3
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from plugwright.errors import SetupError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

DATABASES = ("sqlite", "postgresql", "mariadb")
"""Where the table may be."""

_GOODS = ("coffee", "tea", "cocoa", "milk", "sugar")
_AT_ONCE = 1000


@dataclass(frozen=True, slots=True)
class DemoTable:
    """A table ``orders`` whose rows are numbered from 1.

    Attributes:
        database: what it is in, for people.
        url: the address for `SqlSourceConnector`.
    """

    database: str
    url: str


@contextmanager
def demo_table(kind: str, home: Path, rows: int) -> Iterator[DemoTable]:
    """Make the table; a server ends with the block.

    Args:
        kind: one of `DATABASES`.
        home: where SQLite has its file.
        rows: how many there are.

    Raises:
        SetupError: ``environment.database-missing`` if no such server is installed,
            ``environment.database-failed`` if it does not start.
    """
    statements = "".join(_statements(rows))
    if kind == "sqlite":
        file = home / "shop.db"
        with closing(sqlite3.connect(file)) as connection:
            connection.executescript(statements)
        yield DemoTable(f"SQLite {sqlite3.sqlite_version}", f"jdbc:sqlite:{file}")
    else:
        with _served(kind, statements) as table:
            yield table


@contextmanager
def _served(kind: str, statements: str) -> Iterator[DemoTable]:
    from plugwright import databases  # noqa: PLC0415  # after --help

    system = databases.SYSTEMS[kind]
    servers = databases.installed_servers(system)
    if not servers:
        raise SetupError(
            f"no {system.name} is installed that this user can start",
            code="environment.database-missing",
            hint=f"install {system.name}, or leave --database {kind} out",
            facts={"database": kind},
        )
    with databases.running_database(servers[0]) as database:
        database.run(statements)
        yield DemoTable(str(servers[0]), database.url)


def _statements(rows: int) -> Iterator[str]:
    """SQL that all of them understand."""
    yield (
        "CREATE TABLE orders (id INTEGER PRIMARY KEY, good VARCHAR(20) NOT NULL, "
        "pieces INTEGER NOT NULL, card VARCHAR(20));\nBEGIN;\n"
    )
    for first in range(1, rows + 1, _AT_ONCE):
        numbers = range(first, min(first + _AT_ONCE, rows + 1))
        values = (f"({n}, '{_GOODS[n % 5]}', {n % 7 + 1}, '4000-{n:08}')" for n in numbers)
        yield f"INSERT INTO orders VALUES {', '.join(values)};\n"  # noqa: S608  # our own words
    yield "COMMIT;\n"
