"""Makes tables and columns that records need, and refuses those that cannot take them."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from sqlalchemy import literal

from plugwright import ConnectError, DataError
from plugwright_sql.columns import table_columns
from plugwright_sql.copying import knows_copy
from plugwright_sql.kinds import Kind

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plugwright_sql.database import Database
    from plugwright_sql.kinds import TableColumn
    from plugwright_sql.names import Identifiers, TableName
    from plugwright_sql.row_plan import PlannedColumn, RowPlan
    from plugwright_sql.sink_settings import SinkChoices

__all__ = ["Layout"]

_INTEGERS = (Kind.INT8, Kind.INT16, Kind.INT32, Kind.INT64)
_FLOATS = (Kind.FLOAT32, Kind.FLOAT64)
_ROOM: Mapping[Kind, frozenset[Kind]] = MappingProxyType(
    {
        Kind.BOOLEAN: frozenset({Kind.BOOLEAN, Kind.INT8}),
        Kind.INT8: frozenset({*_INTEGERS, Kind.DECIMAL}),
        Kind.INT16: frozenset({*_INTEGERS[1:], Kind.DECIMAL}),
        Kind.INT32: frozenset({*_INTEGERS[2:], Kind.DECIMAL}),
        Kind.INT64: frozenset({Kind.INT64, Kind.DECIMAL}),
        Kind.FLOAT32: frozenset(_FLOATS),
        Kind.FLOAT64: frozenset({Kind.FLOAT64}),
        Kind.DECIMAL: frozenset({Kind.DECIMAL}),
        Kind.STRING: frozenset({Kind.STRING}),
        Kind.BYTES: frozenset({Kind.BYTES}),
        Kind.DATE: frozenset({Kind.DATE}),
        Kind.TIME: frozenset({Kind.TIME}),
        Kind.TIMESTAMP: frozenset({Kind.TIMESTAMP}),
    }
)
"""The columns that have room for every value of a kind."""
_WIDENED: Mapping[Kind, frozenset[Kind]] = MappingProxyType(
    {
        Kind.INT16: frozenset({Kind.INT8}),
        Kind.INT32: frozenset({Kind.INT8, Kind.INT16}),
        Kind.INT64: frozenset({Kind.INT8, Kind.INT16, Kind.INT32}),
        Kind.FLOAT64: frozenset({Kind.FLOAT32}),
    }
)
"""The narrower columns that become wide enough without a loss."""


class Layout:
    """The known tables and their changes.

    Args:
        database: where the tables are.
        identifiers: write their names.
        choices: whether tables and columns are made.
    """

    def __init__(self, database: Database, identifiers: Identifiers, choices: SinkChoices) -> None:
        self._database = database
        self._identifiers = identifiers
        self._choices = choices
        self._known: dict[TableName, Mapping[str, TableColumn]] = {}

    def knows_copy(self, table: TableName) -> bool:
        """Whether COPY writes to a table as INSERT does."""
        if self._database.dialect.name != "postgresql":
            return False
        with self._database.connection(f"look at table {table}", table=str(table)) as connection:
            return knows_copy(connection, table, self._identifiers)

    def forget(self) -> None:
        """Inspect the tables again: another process may have changed them."""
        self._known = {}

    def columns_for(self, plan: RowPlan) -> Mapping[str, TableColumn]:
        """The columns of the table, which take the rows of the plan.

        Raises:
            ConnectError: if the table is missing, or has no column for a field.
            DataError: if a column has another type.
        """
        known = self._known.get(plan.table)
        if known is None or any(self._lacks(known, column) for column in plan.columns):
            self._known[plan.table] = known = self._made(plan)
        return known

    def _made(self, plan: RowPlan) -> Mapping[str, TableColumn]:
        """The columns after everything that is missing was made."""
        found = self._look(plan.table)
        if not found:
            self._create(plan)
            found = self._look(plan.table)
        missing = [column for column in plan.columns if column.name not in found]
        if missing:
            self._add(plan.table, missing)
            found = self._look(plan.table)
        narrow = [each for each in plan.columns if _is_narrow(found[each.name], each)]
        if narrow and self._choices.evolves and self._database.dialect.evolves_types:
            self._widen(plan.table, narrow)
            found = self._look(plan.table)
        for column in plan.columns:
            if self._lacks(found, column):
                raise _other_type(plan.table, found[column.name], column)
        return found

    def _lacks(self, known: Mapping[str, TableColumn], column: PlannedColumn) -> bool:
        found = known.get(column.name)
        return found is None or not _has_room(found, column)

    def _look(self, table: TableName) -> Mapping[str, TableColumn]:
        with self._database.connection(f"look at table {table}", table=str(table)) as connection:
            columns = table_columns(connection, table)
        return {column.name: column for column in columns or ()}

    def _create(self, plan: RowPlan) -> None:
        table = plan.table
        if not self._choices.creates:
            raise ConnectError(
                f"table {table} does not exist",
                code="sql.no-table",
                hint="create it, or set auto.create=true",
                facts={"table": str(table)},
            )
        parts = [self._defined(column, new=True) for column in plan.columns]
        if plan.keys:
            names = ", ".join(self._identifiers.column(column.name) for column in plan.keys)
            parts.append(f"PRIMARY KEY ({names})")
        name = self._identifiers.table(table)
        self._run(
            table,
            f"create table {table}",
            f"CREATE TABLE IF NOT EXISTS {name} ({', '.join(parts)})",
        )

    def _add(self, table: TableName, missing: Sequence[PlannedColumn]) -> None:
        names = ", ".join(column.name for column in missing)
        if not self._choices.evolves:
            raise ConnectError(
                f"table {table} has no column {names}",
                code="sql.no-column",
                hint="add it, set auto.evolve=true, or leave the field out by fields.whitelist",
                facts={"table": str(table), "columns": tuple(c.name for c in missing)},
            )
        for column in missing:
            if column.key or not (column.optional or column.default is not None):
                raise ConnectError(
                    f"table {table} has no column {column.name}, and rows that are there have no "
                    "value for it: the field is "
                    + ("part of the key" if column.key else "required and has no default"),
                    code="sql.no-column",
                    hint="make the field optional, or add the column",
                    facts={"table": str(table), "columns": (column.name,)},
                )
            name = self._identifiers.table(table)
            self._run(
                table,
                f"add column {column.name} to table {table}",
                f"ALTER TABLE {name} ADD COLUMN {self._defined(column, new=False)}",
            )

    def _widen(self, table: TableName, narrow: Sequence[PlannedColumn]) -> None:
        name = self._identifiers.table(table)
        for column in narrow:
            quoted, wide = self._identifiers.column(column.name), self._type(column)
            change = (
                f"MODIFY COLUMN {quoted} {wide}"
                if self._database.dialect.name == "mysql"
                else f"ALTER COLUMN {quoted} TYPE {wide}"
            )
            self._run(
                table,
                f"widen column {column.name} of table {table}",
                f"ALTER TABLE {name} {change}",
            )

    def _defined(self, column: PlannedColumn, *, new: bool) -> str:
        parts = [self._identifiers.column(column.name), self._type(column)]
        if column.default is not None and _has_literal(column.default):
            parts.append(f"DEFAULT {self._literal(column.default)}")
        required = not column.optional and (new or column.default is not None)
        return " ".join([*parts, "NOT NULL" if required else "NULL"])

    def _type(self, column: PlannedColumn) -> str:
        return self._database.dialect.type_of(
            column.kind, scale=column.scale, precision=column.precision, key=column.key
        )

    def _literal(self, value: Any) -> str:
        if isinstance(value, bool) and self._database.dialect.name != "postgresql":
            return str(int(value))
        compiled = literal(value).compile(compile_kwargs={"literal_binds": True})
        text = str(compiled)
        return text.replace("%", "%%") if self._database.dialect.parameter == "%s" else text

    def _run(self, table: TableName, doing: str, statement: str) -> None:
        """Change a table; another task may do the same at the same time."""
        try:
            with self._database.connection(doing, table=str(table)) as connection:
                connection.exec_driver_sql(statement, ())
                connection.commit()
        except ConnectError as error:
            if error.retriable or not self._was_overtaken(error):
                raise

    @staticmethod
    def _was_overtaken(error: ConnectError) -> bool:
        """Whether the table or column exists by now, created by another process."""
        said = str(error).lower()
        return "already exists" in said or "duplicate" in said


def _has_room(found: TableColumn, column: PlannedColumn) -> bool:
    """Whether a column takes every value of a field; unknown types are the database's matter."""
    if found.kind is None:
        return True
    if column.kind is Kind.DECIMAL and found.kind is Kind.DECIMAL:
        return found.scale is None or found.scale >= column.scale
    return found.kind in _ROOM[column.kind]


def _is_narrow(found: TableColumn, column: PlannedColumn) -> bool:
    return found.kind in _WIDENED.get(column.kind, frozenset())


def _has_literal(value: Any) -> bool:
    return isinstance(value, str | int | float | bool)


def _other_type(table: TableName, found: TableColumn, column: PlannedColumn) -> DataError:
    return DataError(
        f"table {table}, column {column.name}: its type {found.declared} has no room for values of "
        f"type {column.kind.value}",
        code="sql.other-type",
        hint="change the column, cast the field by a transformation, or leave it out",
        facts={"table": str(table), "column": column.name, "type": found.declared},
    )
