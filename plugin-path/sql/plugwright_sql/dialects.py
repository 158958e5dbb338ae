"""In what the databases differ: names of types, statements, places of time."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

from plugwright_sql.kinds import Kind

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["DIALECTS", "SqlDialect"]


@dataclass(frozen=True, slots=True)
class SqlDialect:
    """One kind of database.

    Attributes:
        name: as SQLAlchemy calls it.
        quotation: the mark around identifiers.
        parameter: the mark of a parameter in the statements of the driver.
        types: the type of a new column by its kind; ``{scale}`` and ``{precision}`` are filled in.
        key_types: the types that differ where the column is part of a primary key.
        digits: the most digits of a decimal.
        now: the expression for the present moment.
        lock: what follows a SELECT that locks its rows.
        evolves_types: whether the type of a column can be changed.
    """

    name: str
    quotation: str
    parameter: str
    types: Mapping[Kind, str]
    key_types: Mapping[Kind, str]
    digits: int
    now: str
    lock: str
    evolves_types: bool

    def quoted(self, name: str) -> str:
        """An identifier in quotation marks, whatever it holds."""
        doubled = name.replace(self.quotation, self.quotation * 2)
        if self.parameter == "%s":
            doubled = doubled.replace("%", "%%")
        return f"{self.quotation}{doubled}{self.quotation}"

    def type_of(self, kind: Kind, *, scale: int, precision: int | None, key: bool) -> str:
        """The type of a new column."""
        found = self.key_types.get(kind) if key else None
        digits = min(precision or self.digits, self.digits)
        return (found or self.types[kind]).format(scale=scale, precision=digits)

    def upsert(self, keys: Sequence[str], others: Sequence[str]) -> str:
        """The clause after an INSERT that updates the row with the same key; names are quoted."""
        if self.name == "mysql":
            changed = others or keys[:1]
            sets = ", ".join(f"{name} = VALUES({name})" for name in changed)
            return f" ON DUPLICATE KEY UPDATE {sets}"
        target = f" ON CONFLICT ({', '.join(keys)})"
        if not others:
            return f"{target} DO NOTHING"
        sets = ", ".join(f"{name} = excluded.{name}" for name in others)
        return f"{target} DO UPDATE SET {sets}"


_TYPES: Mapping[Kind, str] = MappingProxyType(
    {
        Kind.BOOLEAN: "BOOLEAN",
        Kind.INT8: "TINYINT",
        Kind.INT16: "SMALLINT",
        Kind.INT32: "INT",
        Kind.INT64: "BIGINT",
        Kind.FLOAT32: "REAL",
        Kind.FLOAT64: "DOUBLE",
        Kind.STRING: "TEXT",
        Kind.BYTES: "BLOB",
        Kind.DATE: "DATE",
        Kind.TIME: "TIME",
        Kind.TIMESTAMP: "TIMESTAMP",
    }
)
"""The types that most databases call so; each names those that it calls otherwise, and decimals."""
_SQLITE_MOMENT = "'%Y-%m-%d %H:%M:%f'"
_SQLITE = SqlDialect(
    name="sqlite",
    quotation='"',
    parameter="?",
    types=MappingProxyType(
        {
            **_TYPES,
            Kind.INT32: "INTEGER",
            # Its name has TEXT in it, so that SQLite keeps the digits as they are.
            Kind.DECIMAL: "DECIMAL_TEXT({precision},{scale})",
        }
    ),
    key_types=MappingProxyType({}),
    digits=1000,
    now=f"strftime({_SQLITE_MOMENT}, 'now')",
    lock="",
    evolves_types=False,
)
_POSTGRESQL = SqlDialect(
    name="postgresql",
    quotation='"',
    parameter="%s",
    types=MappingProxyType(
        {
            **_TYPES,
            Kind.INT8: "SMALLINT",
            Kind.FLOAT64: "DOUBLE PRECISION",
            Kind.DECIMAL: "NUMERIC({precision},{scale})",
            Kind.BYTES: "BYTEA",
        }
    ),
    key_types=MappingProxyType({}),
    digits=1000,
    now="CURRENT_TIMESTAMP",
    lock=" FOR UPDATE",
    evolves_types=True,
)
_MYSQL = SqlDialect(
    name="mysql",
    quotation="`",
    parameter="%s",
    types=MappingProxyType(
        {
            **_TYPES,
            Kind.FLOAT32: "FLOAT",
            Kind.DECIMAL: "DECIMAL({precision},{scale})",
            Kind.STRING: "LONGTEXT",
            Kind.BYTES: "LONGBLOB",
            Kind.TIME: "TIME(3)",
            Kind.TIMESTAMP: "DATETIME(3)",
        }
    ),
    key_types=MappingProxyType({Kind.STRING: "VARCHAR(255)", Kind.BYTES: "VARBINARY(255)"}),
    digits=65,
    now="UTC_TIMESTAMP(6)",
    lock=" FOR UPDATE",
    evolves_types=True,
)
DIALECTS: Mapping[str, SqlDialect] = MappingProxyType(
    {each.name: each for each in (_SQLITE, _POSTGRESQL, _MYSQL)}
)
"""Every kind of database, by its name."""
