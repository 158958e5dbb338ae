"""Classifies database failures: retriable or not, and their messages."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from sqlalchemy.exc import DataError as RefusedValueError
from sqlalchemy.exc import DBAPIError, IntegrityError, SQLAlchemyError

from plugwright import ConnectError, DataError, RetriableError

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["WRITE_ERRORS", "is_about_a_value", "translated"]

WRITE_ERRORS = (SQLAlchemyError, UnicodeEncodeError)
"""What a statement with values raises; drivers encode texts before they call the database."""

_SQLITE_PASSING = (
    "SQLITE_BUSY",
    "SQLITE_LOCKED",
    "SQLITE_CANTOPEN",
    "SQLITE_IOERR",
    "SQLITE_FULL",
    "SQLITE_PROTOCOL",
)
# Classes and codes of SQLSTATE: lost connection, rolled back, out of resources, lock, shutdown.
_STATES_PASSING = ("08", "40", "53", "55P03", "57P")
# Lock wait, deadlock, too many connections, gone away, lost, no host, shutdown, disk full, read.
_MYSQL_PASSING = frozenset(
    {1021, 1040, 1053, 1114, 1158, 1159, 1160, 1161, 1205, 1213, 2002, 2003, 2006, 2013, 3}
)
_MYSQL_VALUE = frozenset({1048, 1054, 1062, 1216, 1264, 1265, 1292, 1364, 1366, 1406, 1451, 1452})
_VALUE_STATES = ("22", "23")
_GRANT = "grant the missing privilege to the user of connection.user"
_LOGIN = "correct connection.user and connection.password"
_HINTS: Mapping[str, str] = MappingProxyType(
    {
        "42501": _GRANT,
        "1142": _GRANT,
        "1143": _GRANT,
        "28": _LOGIN,
        "1045": _LOGIN,
        "53100": "make room on the disk of the database",
        "SQLITE_FULL": "make room on the disk of the database",
        "SQLITE_READONLY": "let the worker write the file and its directory",
        "SQLITE_NOTADB": "name a file that SQLite has written",
        "SQLITE_BUSY": "another program holds the lock; end its transaction",
        "SQLITE_CANTOPEN": "check that the file and its directory exist and may be opened",
    }
)


def translated(
    error: SQLAlchemyError | UnicodeEncodeError, doing: str, **facts: object
) -> ConnectError:
    """The error to raise for a failure, in the words of the database.

    Args:
        error: what SQLAlchemy, or a driver that encodes a text, raised.
        doing: what failed, with the name of the table.
        facts: table and column, if known.
    """
    code, text = _mark(error), _text(error)
    hint = next((hint for mark, hint in _HINTS.items() if code.startswith(mark)), "")
    message = f"cannot {doing}: {text}"
    if is_about_a_value(error):
        return DataError(message, code="sql.value-refused", hint=hint, facts=facts)
    if _passes(error, code):
        return RetriableError(message, code="sql.unavailable", hint=hint, facts=facts)
    return ConnectError(message, code="sql.failed", hint=hint, facts=facts)


def is_about_a_value(error: Exception) -> bool:
    """Whether the database refused a value, so that another row may be welcome."""
    if isinstance(error, IntegrityError | RefusedValueError):
        return True
    original = _original(error)
    if isinstance(original, OverflowError | UnicodeError | ValueError):
        return True
    mark = _mark(error)
    return mark.startswith(_VALUE_STATES) or (mark.isdigit() and int(mark) in _MYSQL_VALUE)


def _passes(error: Exception, mark: str) -> bool:
    if isinstance(error, DBAPIError) and error.connection_invalidated:
        return True
    if mark.isdigit() and len(mark) <= 4:  # noqa: PLR2004  # numbers of MySQL; states have five
        return int(mark) in _MYSQL_PASSING
    original = _original(error)
    connecting = type(original).__module__.startswith("psycopg") and not mark
    lost = type(original).__name__ in {"OperationalError", "InterfaceError", "ConnectionTimeout"}
    return mark.startswith((*_SQLITE_PASSING, *_STATES_PASSING)) or (connecting and lost)


def _mark(error: Exception) -> str:
    """The number, name or SQLSTATE that the driver gives a failure; nothing if it has none."""
    original = _original(error)
    number = original.args[0] if original.args else None
    if isinstance(number, int):  # of MySQL, whose SQLSTATE is HY000 for most failures
        return str(number)
    found = getattr(original, "sqlite_errorname", None) or getattr(original, "sqlstate", None)
    return str(found or "")


def _text(error: Exception) -> str:
    """The driver's message, without the statement and its values."""
    original = _original(error)
    primary = getattr(getattr(original, "diag", None), "message_primary", None)
    if primary:
        return str(primary)
    said = original.args[-1] if original.args else type(error).__name__
    return " ".join(str(said).split())


def _original(error: Exception) -> Any:
    return error.orig if isinstance(error, DBAPIError) and error.orig else error
