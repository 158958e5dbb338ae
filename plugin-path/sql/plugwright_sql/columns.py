"""Determines the columns of a table or a query."""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from sqlalchemy import inspect
from sqlalchemy import types as sql
from sqlalchemy.dialects import mysql, postgresql
from sqlalchemy.exc import NoSuchTableError

from plugwright_sql.kinds import Kind, TableColumn

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlalchemy import Connection

    from plugwright_sql.names import TableName

__all__ = ["query_columns", "table_columns"]

_PROBE = "plugwright_probe"
_SQLITE_TYPE = re.compile(r"\s*(?P<name>[^(]*?)\s*(\(\s*(?P<p>\d+)\s*(,\s*(?P<s>\d+)\s*)?\))?\s*")
# The first that the declared name holds counts, as with SQLite's own rules of affinity.
_SQLITE_KINDS: Sequence[tuple[str, Kind]] = (
    ("DECIMAL", Kind.DECIMAL),
    ("NUMERIC", Kind.DECIMAL),
    ("BOOL", Kind.BOOLEAN),
    ("INT", Kind.INT64),
    ("DATETIME", Kind.TIMESTAMP),
    ("TIMESTAMP", Kind.TIMESTAMP),
    ("DATE", Kind.DATE),
    ("TIME", Kind.TIME),
    ("CHAR", Kind.STRING),
    ("CLOB", Kind.STRING),
    ("TEXT", Kind.STRING),
    ("JSON", Kind.STRING),
    ("UUID", Kind.STRING),
    ("BLOB", Kind.BYTES),
    ("BINARY", Kind.BYTES),
    ("REAL", Kind.FLOAT64),
    ("FLOA", Kind.FLOAT64),
    ("DOUB", Kind.FLOAT64),
)
# In this order: a class stands before those that it is a kind of.
_CLASSES: Sequence[tuple[type[Any], Kind]] = (
    (mysql.TINYINT, Kind.INT8),
    (sql.Boolean, Kind.BOOLEAN),
    (sql.SmallInteger, Kind.INT16),
    (sql.BigInteger, Kind.INT64),
    (sql.Integer, Kind.INT32),
    (mysql.FLOAT, Kind.FLOAT32),
    (mysql.YEAR, Kind.INT32),
    (sql.REAL, Kind.FLOAT32),
    (sql.Float, Kind.FLOAT64),
    (sql.Numeric, Kind.DECIMAL),
    (sql.DateTime, Kind.TIMESTAMP),
    (sql.Date, Kind.DATE),
    (sql.Time, Kind.TIME),
    (sql.LargeBinary, Kind.BYTES),
    (mysql.TINYBLOB, Kind.BYTES),
    (mysql.MEDIUMBLOB, Kind.BYTES),
    (mysql.LONGBLOB, Kind.BYTES),
    (sql.BINARY, Kind.BYTES),
    (sql.VARBINARY, Kind.BYTES),
    (postgresql.BYTEA, Kind.BYTES),
    (sql.JSON, Kind.STRING),
    (sql.Uuid, Kind.STRING),
    (sql.String, Kind.STRING),
)
_WIDER: Mapping[Kind, Kind] = MappingProxyType(
    {Kind.INT8: Kind.INT16, Kind.INT16: Kind.INT32, Kind.INT32: Kind.INT64}
)


def table_columns(connection: Connection, table: TableName) -> Sequence[TableColumn] | None:
    """The columns of a table or view in order; ``None`` if it does not exist."""
    if connection.dialect.name == "sqlite":
        return _sqlite_columns(connection, table.name, table.schema or "main") or None
    inspector = inspect(connection)
    try:
        keys = set(inspector.get_pk_constraint(table.name, table.schema)["constrained_columns"])
        found = inspector.get_columns(table.name, table.schema)
    except NoSuchTableError:
        return None
    return [_reflected(column, keys, connection.dialect) for column in found]


def query_columns(connection: Connection, query: str) -> Sequence[TableColumn]:
    """The columns of a query, all of them optional: nothing is known of their constraints.

    Their types come from a temporary view, or a table without rows, whatever the query is.
    """
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql(f"CREATE TEMP VIEW {_PROBE} AS {query}")
        found = _sqlite_columns(connection, _PROBE, "temp")
        connection.exec_driver_sql(f"DROP VIEW temp.{_PROBE}")
        return found
    escaped = query.replace("%", "%%")
    connection.exec_driver_sql(
        f"CREATE TEMPORARY TABLE {_PROBE} AS SELECT * FROM ({escaped}) AS q LIMIT 0"  # noqa: S608
    )
    found = [
        _reflected(column, set(), connection.dialect, optional=True)
        for column in inspect(connection).get_columns(_PROBE)
    ]
    connection.exec_driver_sql(f"DROP TABLE {_PROBE}")
    connection.rollback()
    return found


def _sqlite_columns(connection: Connection, name: str, schema: str) -> list[TableColumn]:
    rows = connection.exec_driver_sql(
        'SELECT name, type, "notnull", pk FROM pragma_table_xinfo(?, ?) WHERE hidden != 1',
        (name, schema),
    ).all()
    single = sum(pk > 0 for *_, pk in rows) == 1
    return [_sqlite_column(*row, single=single) for row in rows]


def _sqlite_column(
    name: str, declared: str, required: int, place: int, *, single: bool
) -> TableColumn:
    found = _SQLITE_TYPE.fullmatch(declared.upper())
    words = found["name"] if found else declared.upper()
    kind = next((kind for word, kind in _SQLITE_KINDS if word in words), None)
    digits, scale = (found["p"], found["s"]) if found else (None, None)
    return TableColumn(
        name=name,
        declared=declared,
        kind=kind,
        optional=not required and not place,
        scale=int(scale or 0) if digits else None,
        precision=int(digits) if digits else None,
        key=place > 0,
        generated=place > 0 and single and words == "INTEGER",
    )


def _reflected(
    column: Mapping[str, Any], keys: set[str], dialect: Any, *, optional: bool = False
) -> TableColumn:
    found = column["type"]
    kind = next((kind for cls, kind in _CLASSES if isinstance(found, cls)), None)
    if kind is not None and getattr(found, "unsigned", False):
        kind = _WIDER.get(kind, kind)
    as_text = isinstance(found, sql.JSON | sql.Uuid) and dialect.name == "postgresql"
    return TableColumn(
        name=str(column["name"]),
        declared=_declared(found, dialect),
        kind=kind,
        optional=optional or bool(column["nullable"]),
        scale=getattr(found, "scale", None) if kind is Kind.DECIMAL else None,
        precision=getattr(found, "precision", None) if kind is Kind.DECIMAL else None,
        zoned=kind is Kind.TIMESTAMP and bool(getattr(found, "timezone", False)),
        as_text=as_text,
        key=column["name"] in keys,
        generated=_is_generated(column),
    )


def _declared(found: Any, dialect: Any) -> str:
    try:
        return str(found.compile(dialect=dialect))
    except Exception:  # noqa: BLE001  # any type that SQLAlchemy cannot write
        return str(type(found).__name__)


def _is_generated(column: Mapping[str, Any]) -> bool:
    """Whether the database numbers the rows by this column."""
    return bool(
        column.get("autoincrement") is True
        or column.get("identity")
        or str(column.get("default") or "").startswith("nextval(")
    )
