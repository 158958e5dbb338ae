"""A row sink that knows decimals by their whole schema."""

from __future__ import annotations

from typing import Any

from plugwright import Decimal, Struct
from plugwright_conformance.mutants.mutant import mutant
from plugwright_conformance.reference.rows.sink import RowsSinkTask

__all__ = ["ComparesDecimalSchemasTask"]


@mutant(
    "M160b",
    "a decimal whose schema has a precision is stored as a float",
    base="rows-sink",
    killed_by="CON-SPK-08",
    failure="as a column of a DataFrame",
)
class ComparesDecimalSchemasTask(RowsSinkTask):
    """Takes a field for a decimal only if its schema has a scale, and nothing else."""

    def plain(self, value: Any) -> Any:
        """The row, with unknown decimals as floats."""
        row = super().plain(value)
        if isinstance(value, Struct) and isinstance(row, dict):
            field = value.schema.field("amount")
            known = {**field.schema.parameters}.keys() == {Decimal.SCALE_FIELD} if field else True
            return row if known else {**row, "amount": float(row["amount"])}
        return row
