"""The description of a table that is being read: columns, schema and order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from plugwright import ConnectError, RetriableError, SchemaBuilder
from plugwright_sql.columns import query_columns, table_columns
from plugwright_sql.kinds import Kind, schema_of_column
from plugwright_sql.numeric_mapping import mapped_numeric
from plugwright_sql.statement import Selection
from plugwright_sql.values_read import ValueReader

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Connection

    from plugwright import Schema
    from plugwright_sql.kinds import TableColumn
    from plugwright_sql.names import TableName
    from plugwright_sql.table_reader import Reading

__all__ = ["Description", "described"]


@dataclass(frozen=True, slots=True)
class Description:
    """A table or a query as it is now.

    Attributes:
        shape: names and types of the columns from the driver; detects changes.
        readers: for the values of each column.
        count: place of the incrementing column, or -1.
    """

    shape: tuple[Any, ...]
    selection: Selection
    schema: Schema
    readers: Sequence[ValueReader]
    count: int


def described(
    connection: Connection,
    reading: Reading,
    table: TableName | None,
    known: Description | None,
) -> Description:
    """The description, which is the known one if nothing has changed.

    Raises:
        RetriableError: if there is no such table.
        DataError: if a column has no Connect type.
        ConnectError: if the columns that order the rows are missing or may be null.
    """
    relation = _relation(reading, table)
    shape = _shape(connection, relation)
    if known is not None and known.shape == shape:
        return known
    columns = _columns(connection, reading, table)
    label = str(table) if table else "query"
    builder = SchemaBuilder.struct().name(table.name if table else "query")
    for column in columns:
        builder.field(column.name, schema_of_column(label, column))
    order = _Order(reading, columns, label)
    selection = Selection(
        reading.identifiers,
        relation,
        label,
        columns,
        reading.mode,
        order.count(),
        order.moments(),
        reading.zone,
    )
    readers = [ValueReader(label, column, reading.zone) for column in columns]
    names = [column.name for column in columns]
    count = names.index(selection.count) if selection.count else -1
    return Description(shape, selection, builder.build(), readers, count)


def _relation(reading: Reading, table: TableName | None) -> str:
    if table is not None:
        return reading.identifiers.table(table)
    query = str(reading.settings["query"])
    if reading.database.dialect.parameter == "%s":
        query = query.replace("%", "%%")
    return f"({query}) AS plugwright_query"


def _shape(connection: Connection, relation: str) -> tuple[Any, ...]:
    statement = f"SELECT * FROM {relation} LIMIT 0"  # noqa: S608  # names are quoted
    described_columns = connection.exec_driver_sql(statement, ()).cursor.description or ()
    return tuple(tuple(column[:6]) for column in described_columns)


def _columns(
    connection: Connection, reading: Reading, table: TableName | None
) -> Sequence[TableColumn]:
    if table is None:
        found = query_columns(connection, str(reading.settings["query"]))
    else:
        there = table_columns(connection, table)
        if there is None:
            raise RetriableError(
                f"table {table} does not exist", code="sql.no-table", facts={"table": str(table)}
            )
        found = there
    mapping = str(reading.settings["numeric.mapping"])
    return [mapped_numeric(column, mapping) for column in found]


class _Order:
    """Finds the columns that order the rows."""

    def __init__(self, reading: Reading, columns: Sequence[TableColumn], label: str) -> None:
        self._reading = reading
        self._columns = columns
        self._label = label

    def count(self) -> str:
        """The incrementing column, given or found; an empty string if it does not count."""
        if not self._reading.mode.counts:
            return ""
        given = str(self._reading.settings["incrementing.column.name"])
        if not given:
            generated = [column.name for column in self._columns if column.generated]
            if len(generated) != 1:
                raise self._failure(
                    "has no column by which the database numbers the rows",
                    "name one in incrementing.column.name",
                )
            return generated[0]
        column = self._named(given, "incrementing.column.name")
        if column.optional and self._strict():
            raise self._nullable([column])
        return column.name

    def moments(self) -> Sequence[TableColumn]:
        """The timestamp columns; none if they do not count."""
        if not self._reading.mode.dates:
            return ()
        names = self._reading.settings["timestamp.column.name"]
        found = [self._named(name, "timestamp.column.name") for name in names]
        for column in found:
            if column.kind is not Kind.TIMESTAMP:
                raise self._failure(
                    f"has {column.name} of type {column.declared}, which is not a timestamp",
                    "name a timestamp column in timestamp.column.name",
                )
        if all(column.optional for column in found) and self._strict():
            raise self._nullable(found)
        return found

    def _strict(self) -> bool:
        return bool(self._reading.settings["validate.non.null"]) and self._label != "query"

    def _named(self, name: str, setting: str) -> TableColumn:
        for column in self._columns:
            if column.name == name:
                return column
        names = ", ".join(column.name for column in self._columns)
        raise self._failure(f"has no column {name}, which {setting} names", f"it has {names}")

    def _nullable(self, columns: Sequence[TableColumn]) -> ConnectError:
        names = ", ".join(column.name for column in columns)
        return self._failure(
            f"has {names}, which may be null, so that rows would be left out",
            "make it NOT NULL, or set validate.non.null=false",
        )

    def _failure(self, problem: str, hint: str) -> ConnectError:
        return ConnectError(
            f"table {self._label} {problem}",
            code="sql.bad-order",
            hint=hint,
            facts={"table": self._label, "mode": self._reading.mode.value},
        )
