"""Names of tables, and how statements write names."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from plugwright_sql.dialects import SqlDialect

__all__ = ["Identifiers", "TableName", "tables_from_json", "tables_to_json"]


@dataclass(frozen=True, slots=True, order=True)
class TableName:
    """A table, and its schema unless that is the default one."""

    schema: str | None
    name: str

    def __str__(self) -> str:
        return f"{self.schema}.{self.name}" if self.schema else self.name

    @classmethod
    def parse(cls, text: str) -> Self:
        """A name as a user writes it: ``table`` or ``schema.table``."""
        schema, dot, name = text.partition(".")
        return cls(schema, name) if dot else cls(None, text)


@dataclass(frozen=True, slots=True)
class Identifiers:
    """Writes names into statements.

    Attributes:
        always: whether names are quoted (``quote.sql.identifiers``).
    """

    dialect: SqlDialect
    always: bool = True

    def column(self, name: str) -> str:
        """A column."""
        return self.dialect.quoted(name) if self.always else name

    def table(self, table: TableName) -> str:
        """A table, with its schema if need be."""
        name = self.column(table.name)
        return f"{self.column(table.schema)}.{name}" if table.schema else name


def tables_to_json(tables: list[TableName]) -> str:
    """Tables as one setting of a task."""
    return json.dumps([[table.schema, table.name] for table in tables])


def tables_from_json(text: str) -> list[TableName]:
    """The tables of a task."""
    return [TableName(schema, name) for schema, name in json.loads(text)]
