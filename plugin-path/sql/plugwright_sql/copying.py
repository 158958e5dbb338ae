"""Writes rows by PostgreSQL's COPY, the fastest way that its driver has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from plugwright_sql.kinds import Kind

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlalchemy import Connection

    from plugwright_sql.kinds import TableColumn
    from plugwright_sql.names import Identifiers, TableName
    from plugwright_sql.row_plan import PlannedColumn, RowPlan

__all__ = ["copied", "copy_statement", "knows_copy"]


def knows_copy(connection: Connection, table: TableName, identifiers: Identifiers) -> bool:
    """Whether COPY does for a table of PostgreSQL what INSERT does.

    COPY ignores rules, which every view has, and refuses tables with row-level security.
    """
    name = identifiers.table(table).replace("'", "''")
    statement = (
        "SELECT NOT relhasrules AND NOT relrowsecurity FROM pg_class "  # noqa: S608
        f"WHERE oid = to_regclass('{name}')"
    )
    return bool(connection.exec_driver_sql(statement, ()).scalar())


def copy_statement(
    plan: RowPlan, columns: Mapping[str, TableColumn], identifiers: Identifiers
) -> str:
    """The statement for rows of a plan; empty if COPY would not store the same as INSERT."""
    if not all(_is_alike(columns[column.name], column) for column in plan.columns):
        return ""
    names = ", ".join(identifiers.column(column.name) for column in plan.columns)
    statement = f"COPY {identifiers.table(plan.table)} ({names}) FROM STDIN"
    return statement.replace("%%", "%")  # COPY has no parameters whose marks must be told apart


def copied(connection: Connection, statement: str, rows: Sequence[tuple[Any, ...]]) -> bool:
    """Write all rows or none, and say which.

    After a failure INSERT has to be tried: it may succeed, and otherwise it says what is wrong.
    """
    database_error: type[Exception] = connection.dialect.loaded_dbapi.Error
    try:
        with connection.begin_nested():
            driver: Any = connection.connection.cursor()
            with driver, driver.copy(statement) as copy:
                for row in rows:
                    copy.write_row(row)
    except (database_error, UnicodeError, ValueError, OverflowError):
        return False
    return True


def _is_alike(found: TableColumn, column: PlannedColumn) -> bool:
    """Whether COPY stores the text of a value as INSERT stores the value.

    Types that Connect does not have are left to INSERT, and so are identity columns, into which
    COPY writes even where INSERT must not.
    """
    if found.kind is None or found.generated:
        return False
    return (found.kind is Kind.BOOLEAN) == (column.kind is Kind.BOOLEAN)
