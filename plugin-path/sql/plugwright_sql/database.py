"""A connection to the database, whose failures are errors of Connect."""

from __future__ import annotations

import sqlite3
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from sqlalchemy import create_engine
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.pool import NullPool, QueuePool

from plugwright import ConnectError, RetriableError
from plugwright_sql.dialects import DIALECTS
from plugwright_sql.failures import translated

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sqlalchemy import Connection
    from sqlalchemy.engine import URL

__all__ = ["Database", "begin_exclusively"]

_BUSY_S = 5.0
_CONNECT_S = 10


class Database:
    """One database; nothing is opened before it is needed.

    A file of SQLite is opened for each piece of work, so that one that was replaced or removed is
    noticed. A server has one connection, which is made again when it is lost.

    Args:
        address: where it is.
        create: whether a file of SQLite that is missing is made.
    """

    def __init__(self, address: URL, *, create: bool = False) -> None:
        self.dialect = DIALECTS[address.get_backend_name()]
        self.shown = address.render_as_string(hide_password=True)
        options: dict[str, Any] = {"hide_parameters": True}
        if self.dialect.name == "sqlite":
            options |= {"creator": _opener(str(address.database), create), "poolclass": NullPool}
        else:
            options |= {"poolclass": QueuePool, "pool_size": 1, "max_overflow": -1}
            options |= {"connect_args": {"connect_timeout": _CONNECT_S}}
        self._engine = _engine(address, options)

    @contextmanager
    def connection(self, doing: str, **facts: object) -> Iterator[Connection]:
        """A connection; what is not committed at the end is rolled back.

        Args:
            doing: what is to be done, with the name of the table; for the message of an error.
            facts: table and column, if known.

        Raises:
            RetriableError: if the database cannot be reached, or has no room, or is locked.
            DataError: if it refuses a value.
            ConnectError: if it refuses the statement.
        """
        try:
            with self._engine.connect() as connection:
                yield connection
        except SQLAlchemyError as error:
            # Its own text, which a traceback would show, has the statement, and rows in its detail.
            raise translated(error, doing, **facts) from None

    def reach(self, attempts: int, backoff_ms: int, wait: Callable[[float], object]) -> None:
        """Connect once, to find out whether that is possible.

        Args:
            attempts: how often it is tried.
            backoff_ms: how long to wait between two attempts.
            wait: waits so many seconds, or less when the task is to stop.

        Raises:
            ConnectError: if the last attempt fails.
        """
        for left in range(attempts - 1, -1, -1):
            try:
                with self.connection(f"connect to {self.shown}"):
                    return
            except RetriableError:
                if not left:
                    raise
                wait(backoff_ms / 1000)

    def close(self) -> None:
        """Give the connection up."""
        self._engine.dispose()


def _engine(address: URL, options: dict[str, Any]) -> Any:
    try:
        return create_engine(address, **options)
    except ImportError as error:
        raise ConnectError(
            f"the driver for {address.get_backend_name()} is not installed: {error}",
            code="sql.no-driver",
            hint=f"install plugwright-sql[{address.get_backend_name()}]",
        ) from error


def _opener(path: str, create: bool) -> Callable[[], sqlite3.Connection]:
    """Opens a file of SQLite; transactions begin and end where the connector says."""
    mode = "rwc" if create else "rw"
    address = f"file:{quote(str(Path(path)))}?mode={mode}"

    def opened() -> sqlite3.Connection:
        return sqlite3.connect(
            address, timeout=_BUSY_S, isolation_level=None, uri=True, check_same_thread=False
        )

    return opened


def begin_exclusively(connection: Connection) -> None:
    """Begin a transaction that no other writer can come between."""
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql("BEGIN IMMEDIATE")
