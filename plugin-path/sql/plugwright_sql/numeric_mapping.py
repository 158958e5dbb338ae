"""The effect of ``numeric.mapping`` on NUMERIC and DECIMAL columns, as in the JDBC connector."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from plugwright_sql.kinds import Kind

if TYPE_CHECKING:
    from plugwright_sql.kinds import TableColumn

__all__ = ["NUMERIC_MAPPINGS", "mapped_numeric"]

NUMERIC_MAPPINGS = ("none", "precision_only", "best_fit", "best_fit_eager_double")
"""The values of the setting."""

_LARGEST_INTEGER = 18
_INTEGERS = ((2, Kind.INT8), (4, Kind.INT16), (9, Kind.INT32), (_LARGEST_INTEGER, Kind.INT64))


def mapped_numeric(column: TableColumn, mapping: str) -> TableColumn:
    """The column as the setting wants it; any other kind of column stays as it is."""
    if column.kind is not Kind.DECIMAL or mapping == "none":
        return column
    scale, precision = column.scale, column.precision
    small = precision is not None and precision <= _LARGEST_INTEGER
    if mapping == "precision_only":
        return _whole(column) if scale == 0 and small else column
    if scale is not None and scale <= 0:
        return _whole(column) if small else column
    eager = mapping == "best_fit_eager_double"
    return replace(column, kind=Kind.FLOAT64) if small or eager else column


def _whole(column: TableColumn) -> TableColumn:
    precision = column.precision or _LARGEST_INTEGER
    return replace(column, kind=next(kind for digits, kind in _INTEGERS if precision <= digits))
