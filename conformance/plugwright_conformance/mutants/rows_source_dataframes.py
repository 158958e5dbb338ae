"""Row sources whose decimals do not survive in a DataFrame."""

from __future__ import annotations

from decimal import Decimal as Number
from typing import TYPE_CHECKING, Any

from plugwright import Decimal, SchemaBuilder, Struct
from plugwright_conformance.mutants.mutant import mutant
from plugwright_conformance.reference.rows.source import RowsSourceTask, row_schema

if TYPE_CHECKING:
    from collections.abc import Mapping

    from plugwright import Schema

__all__ = ["DecimalThroughFloatTask", "DeclaresManyDigitsTask"]

_CENT = Number("0.01")
_PRECISION = "connect.decimal.precision"


@mutant(
    "M160",
    "a decimal goes through a float",
    base="rows-source",
    killed_by="CON-SPK-08",
    failure="read as a column",
)
class DecimalThroughFloatTask(RowsSourceTask):
    """Makes decimals of floats, which have 15 digits."""

    def struct(self, row: Mapping[str, Any]) -> Struct:
        """The row, with a rounded amount."""
        return super().struct({**row, "amount": Number(float(row["amount"])).quantize(_CENT)})


@mutant(
    "M160a",
    "the schema of a decimal says that it has 64 digits, whatever its values have",
    base="rows-source",
    killed_by="CON-SPK-08",
    failure="records that fit the columns",
)
class DeclaresManyDigitsTask(RowsSourceTask):
    """Declares more digits than Spark's decimals can have.

    Reported at https://github.com/confluentinc/kafka-connect-jdbc/issues/941.
    """

    def __init__(self) -> None:
        super().__init__()
        builder = SchemaBuilder.struct().name("rows.Row")
        for field in row_schema().fields:
            builder.field(field.name, _many_digits() if field.name == "amount" else field.schema)
        self._schema = builder.build()


def _many_digits() -> Schema:
    return Decimal.builder(2).parameter(_PRECISION, "64").build()
