"""Writes rows by the statement of the insert mode, many at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from plugwright_sql.copying import copy_statement
from plugwright_sql.sink_settings import InsertMode
from plugwright_sql.values_written import ValueWriter

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlalchemy import Connection

    from plugwright import SinkColumns, SinkRecord
    from plugwright_sql.kinds import TableColumn
    from plugwright_sql.names import Identifiers
    from plugwright_sql.row_plan import PlannedColumn, RowPlan
    from plugwright_sql.sink_settings import SinkChoices

__all__ = ["RowWriter", "writer_for"]


@dataclass(frozen=True, slots=True)
class RowWriter:
    """A statement, and how its parameters are taken from a record.

    Attributes:
        order: the columns in the order of the parameters.
        values: prepare the values of these columns.
        copy: the COPY statement that does the same for many rows; empty if there is none.
    """

    plan: RowPlan
    statement: str
    order: Sequence[PlannedColumn]
    values: Sequence[ValueWriter]
    copy: str = ""

    def row(self, record: SinkRecord) -> tuple[Any, ...]:
        """The parameters of a record. Hot path: runs for every record.

        Raises:
            DataError: if the database has no such value.
        """
        return tuple(
            [
                value(column.source.of(record))
                for column, value in zip(self.order, self.values, strict=True)
            ]
        )

    def rows(self, part: SinkColumns) -> list[tuple[Any, ...]] | None:
        """The parameters of many records, each as `row` takes them. Hot path: works in bulk.

        Returns:
            ``None`` if each record has to be looked at.

        Raises:
            DataError: if the database has no such value.
        """
        columns = []
        for column, values in zip(self.order, self.values, strict=True):
            found = column.source.of_all(part)
            if found is None:
                return None
            columns.append(values.all(found))
        return list(zip(*columns, strict=True))

    def write(self, connection: Connection, rows: Sequence[tuple[Any, ...]], size: int) -> None:
        """Write rows, so many at once at most."""
        for begin in range(0, len(rows), size):
            connection.exec_driver_sql(self.statement, [*rows[begin : begin + size]])


def writer_for(
    plan: RowPlan,
    columns: Mapping[str, TableColumn],
    identifiers: Identifiers,
    choices: SinkChoices,
    *,
    copies: bool,
) -> RowWriter:
    """The writer for a plan.

    Args:
        plan: of the rows.
        columns: of the table, by name.
        identifiers: write names.
        choices: the insert mode and the time zone.
        copies: whether COPY may write to the table.
    """
    statement, order = _statement(plan, identifiers, choices.insert_mode)
    values = [
        ValueWriter(
            str(plan.table),
            column.name,
            identifiers.dialect,
            None if columns[column.name].zoned else choices.zone,
        )
        for column in order
    ]
    copy = copy_statement(plan, columns, identifiers) if copies else ""
    return RowWriter(plan, statement, order, values, copy)


def _statement(
    plan: RowPlan, identifiers: Identifiers, mode: InsertMode
) -> tuple[str, Sequence[PlannedColumn]]:
    table, mark = identifiers.table(plan.table), identifiers.dialect.parameter
    keys, others = plan.keys, plan.others
    match_key = " AND ".join(f"{identifiers.column(key.name)} = {mark}" for key in keys)
    if plan.deletes:
        return f"DELETE FROM {table} WHERE {match_key}", keys  # noqa: S608  # names are quoted
    if mode is InsertMode.UPDATE:
        sets = ", ".join(f"{identifiers.column(each.name)} = {mark}" for each in others or keys)
        statement = f"UPDATE {table} SET {sets} WHERE {match_key}"  # noqa: S608
        return statement, [*(others or keys), *keys]
    names = ", ".join(identifiers.column(column.name) for column in plan.columns)
    marks = ", ".join([mark] * len(plan.columns))
    end = ""
    if mode is InsertMode.UPSERT:
        end = identifiers.dialect.upsert(
            [identifiers.column(key.name) for key in keys],
            [identifiers.column(other.name) for other in others],
        )
    return f"INSERT INTO {table} ({names}) VALUES ({marks}){end}", plan.columns  # noqa: S608
