"""Check that the rows of a plugin go through Spark's types without loss."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from plugwright.errors import ConnectError, DataError
from plugwright.record import SourceRecord
from plugwright.schema import Struct
from plugwright_conformance.catalogue.check import Check, Level
from plugwright_conformance.catalogue.register import registered
from plugwright_conformance.checks._sink_types import must_be_stored, stored_by
from plugwright_conformance.checks._source_types import carried, emitted_rows, with_defaults
from plugwright_conformance.checks.value_types import short
from plugwright_conformance.evidence.outcome import (
    CheckFailedError,
    Evidence,
    NotRunError,
    TableCell,
)
from plugwright_conformance.subject.names import TOPIC
from plugwright_conformance.subject.same_values import finite, same

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plugwright.record import SinkRecord
    from plugwright_conformance.catalogue.bench import Bench
    from plugwright_conformance.subject.shape import RowShape

_MOST_DIGITS = 38  # of Spark's decimals
_WHOLE_DIGITS = 20  # of the largest boundary value


@registered
class RowsGoThroughSpark(Check):
    """Rows become columns of Spark, and these become rows again, unchanged."""

    id = "CON-SPK-08"
    revision = 2
    level = Level.C3
    wave = 2
    title = "Spark's and Connect's types map without loss"
    why = "A decimal that is exact in Kafka and rounded in a DataFrame is noticed at the audit."
    mend = (
        "Give all records one schema whose decimals have room for their values; know a logical "
        "type by the name of its schema, not by the whole schema."
    )
    gate = "SCHEMA"
    origin = "G-Logical; SPK"

    def run(self, bench: Bench) -> Evidence:
        """Send rows with every edge of every field through the columns of a DataFrame."""
        shape = bench.subject.declaration.rows
        assert shape is not None  # noqa: S101  # the gate SCHEMA is open
        rows = shape.boundary_rows(bench.subject.declaration.excluded_characters)
        rows = [_within_spark(shape, row) for row in rows]
        if bench.subject.kind == "source":
            self._read(bench, shape, rows)
        else:
            self._write(bench, shape, [finite(row) for row in rows])
        kept = f"{len(rows)} kept by Spark"
        cells = [TableCell("types", f.type, f"column {f.name}", kept) for f in shape.fields]
        return Evidence(len(rows) * len(shape.fields), cells=cells)

    @staticmethod
    def _read(bench: Bench, shape: RowShape, rows: Sequence[dict[str, Any]]) -> None:
        """What a DataFrame of a source holds is what was seeded."""
        given, texts = carried(bench, rows)
        carrier = next(field.name for field in shape.fields if field.type == "string")
        found = {
            row[carrier]: row
            for record in _through_columns(emitted_rows(bench, given))
            if isinstance(record.value, Struct) and (row := shape.row(record.value))
        }
        for text, row in zip(texts, given, strict=True):
            expected = with_defaults(shape, row)
            seen = with_defaults(shape, found.get(text, {}))
            for field in shape.fields:
                if not same(seen.get(field.name), expected[field.name]):
                    raise CheckFailedError(
                        expected=f"{field.name}: {short(expected[field.name])}",
                        observed=short(seen.get(field.name)),
                        scenario=f"{field.type} seeded at the endpoint, read as a column",
                    )

    @staticmethod
    def _write(bench: Bench, shape: RowShape, rows: Sequence[dict[str, Any]]) -> None:
        """What a sink stores of a DataFrame is what the DataFrame holds."""
        schema = shape.schema()
        records = [SourceRecord({}, {}, TOPIC, shape.struct(schema, row), schema) for row in rows]
        how = "as a column of a DataFrame"
        try:
            stored = stored_by(bench, _through_columns(records))
        except ConnectError as error:
            raise CheckFailedError(
                expected=f"{len(rows)} rows stored",
                observed=str(error) or repr(error),
                scenario=f"rows of the declared fields put {how}",
                likely="a schema is compared as a whole, so that one with a parameter more is "
                "none of the known ones",
            ) from error
        # Spark keeps no defaults: an absent value has become it.
        must_be_stored(bench, [with_defaults(shape, row) for row in rows], stored, how)


def _through_columns(records: Sequence[SourceRecord]) -> list[SinkRecord]:
    """What a sink gets of a DataFrame into which these records were read.

    Raises:
        CheckFailedError: if they do not fit the columns of the first one.
        NotRunError: if the libraries of Spark are not installed.
    """
    try:
        from plugwright.spark.rows import (  # noqa: PLC0415  # an extra
            RecordRows,
            RowRecords,
            RowsMode,
            row_schema,
        )
    except ImportError as error:
        hint = 'pip install "plugwright[spark]"'
        raise NotRunError(f"there are no columns without {error.name}: {hint}") from error
    try:
        columns = row_schema(records[0], RowsMode.VALUES)
        batches = list(RecordRows(columns, RowsMode.VALUES).batches(records))
    except DataError as error:
        raise CheckFailedError(
            expected="records that fit the columns which Spark makes of the first one",
            observed=str(error) or repr(error),
            scenario=f"{len(records)} records with every edge of every field, read by a query",
            likely="records have different schemas, or a schema has no room for its values",
        ) from error
    rows = RowRecords(columns, RowsMode.VALUES, TOPIC)
    found: list[SinkRecord] = []
    for batch in batches:
        found += rows.records(batch, 0, len(found))
    return found


def _within_spark(shape: RowShape, row: Mapping[str, Any]) -> dict[str, Any]:
    """The row, with small decimals where a large one has more digits than Spark allows."""
    wide = {
        field.name
        for field in shape.fields
        if field.type == "decimal" and field.scale + _WHOLE_DIGITS > _MOST_DIGITS
    }
    small = shape.boundary_rows()[0]
    return {name: small[name] if name in wide else value for name, value in row.items()}
