"""The SELECT by which a table or a query is read on from a position."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from plugwright_sql.kinds import Kind

if TYPE_CHECKING:
    from collections.abc import Sequence
    from zoneinfo import ZoneInfo

    from plugwright_sql.kinds import TableColumn
    from plugwright_sql.names import Identifiers
    from plugwright_sql.position import Position
    from plugwright_sql.source_settings import Mode

__all__ = ["Selection", "moment_from"]

_FORMAT = "'%Y-%m-%d %H:%M:%f'"


@dataclass(frozen=True, slots=True)
class Selection:
    """The columns, the table and the order of a query.

    Attributes:
        relation: the table, or the query in parentheses, as a statement writes it.
        label: the table or query, for errors.
        columns: all of them, in order.
        mode: how it is read again.
        count: the incrementing column, or an empty string.
        moments: the timestamp columns.
        zone: of timestamps that bear none.
    """

    identifiers: Identifiers
    relation: str
    label: str
    columns: Sequence[TableColumn]
    mode: Mode
    count: str
    moments: Sequence[TableColumn]
    zone: ZoneInfo

    def whole(self) -> str:
        """Everything, in no order."""
        return f"SELECT {self._list()} FROM {self.relation}"  # noqa: S608  # names are quoted

    def after(
        self, position: Position, before: dt.datetime | None, limit: int
    ) -> tuple[str, tuple[Any, ...]]:
        """The next rows after a position.

        Args:
            position: the last row that was read; without parts if none was.
            before: timestamps are to be earlier, if they count.
            limit: the most rows; 0 for all.
        """
        terms, values = self._bounds(position, before)
        return self._ordered(terms, limit), tuple(values)

    def at(self, moment: dt.datetime) -> tuple[str, tuple[Any, ...]]:
        """All rows of one moment."""
        term = f"{self._moment()} = {self._mark}"
        return self._ordered([term], 0), (self._bound(moment),)

    def _ordered(self, terms: Sequence[str], limit: int) -> str:
        where = f" WHERE {' AND '.join(terms)}" if terms else ""
        order = [
            *([self._moment()] if self.mode.dates else []),
            *([self.identifiers.column(self.count)] if self.mode.counts else []),
        ]
        end = f" LIMIT {limit}" if limit else ""
        return f"{self.whole()}{where} ORDER BY {', '.join(order)}{end}"

    def _bounds(
        self, position: Position, before: dt.datetime | None
    ) -> tuple[list[str], list[Any]]:
        terms: list[str] = []
        values: list[Any] = []
        if before is not None:
            terms.append(f"{self._moment()} < {self._mark}")
            values.append(self._bound(before))
        if self.nullable_count:
            terms.append(f"{self.identifiers.column(self.count)} IS NOT NULL")
        if position.moment is not None:
            term, more = self._later(position.moment, position.count)
            terms.append(term)
            values += more
        elif position.count is not None:
            terms.append(f"{self.identifiers.column(self.count)} > {self._mark}")
            values.append(position.count)
        return terms, values

    def _later(self, moment: dt.datetime, count: int | None) -> tuple[str, list[Any]]:
        expression, bound = self._moment(), self._bound(moment)
        if not self.mode.counts or count is None:
            return f"{expression} > {self._mark}", [bound]
        column = self.identifiers.column(self.count)
        term = (
            f"({expression} > {self._mark} OR "
            f"({expression} = {self._mark} AND {column} > {self._mark}))"
        )
        return term, [bound, bound, count]

    @property
    def nullable_count(self) -> bool:
        """Whether rows may have no number; they are left out, as those without a timestamp are."""
        return any(column.name == self.count and column.optional for column in self.columns)

    @property
    def _mark(self) -> str:
        return self.identifiers.dialect.parameter

    def _list(self) -> str:
        names = [self._selected(column) for column in self.columns]
        return ", ".join([*names, *([self._moment()] if self.mode.dates else [])])

    def _selected(self, column: TableColumn) -> str:
        name = self.identifiers.column(column.name)
        if column.as_text:
            return f"CAST({name} AS TEXT) AS {name}"
        if column.kind is Kind.FLOAT32 and self.identifiers.dialect.name == "mysql":
            return (
                f"{name} + 0e0 AS {name}"  # MySQL sends six digits of a FLOAT, but all of a DOUBLE
            )
        return name

    def _moment(self) -> str:
        """The first timestamp that is not null; in SQLite in one form, whatever is stored."""
        names = [self.identifiers.column(column.name) for column in self.moments]
        first = names[0] if len(names) == 1 else f"COALESCE({', '.join(names)})"
        if self.identifiers.dialect.name != "sqlite":
            return first
        return (
            f"CASE typeof({first}) WHEN 'integer' "
            f"THEN strftime({_FORMAT}, {first} / 1000.0, 'unixepoch') "
            f"ELSE strftime({_FORMAT}, {first}) END"
        )

    def _bound(self, moment: dt.datetime) -> Any:
        """A moment as the database compares it."""
        if any(column.zoned for column in self.moments):
            return moment
        local = moment.astimezone(self.zone).replace(tzinfo=None)
        if self.identifiers.dialect.name == "sqlite":
            return local.isoformat(" ", "milliseconds")
        return local


def moment_from(value: Any, zone: dt.tzinfo) -> dt.datetime:
    """The value of a timestamp column, in UTC.

    Raises:
        ValueError: if it is text that is not a timestamp.
    """
    found = dt.datetime.fromisoformat(value) if isinstance(value, str) else value
    if not isinstance(found, dt.datetime):
        raise ValueError(f"no timestamp: {found!r}")  # noqa: TRY004  # one error for both
    if found.tzinfo is None:
        found = found.replace(tzinfo=zone)
    return found.astimezone(dt.UTC)
