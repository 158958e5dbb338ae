"""Checks of fields that are arrays, maps and structs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from plugwright.record import SinkRecord
from plugwright_conformance.catalogue.check import SINK_ONLY, SOURCE_ONLY, Check, Level
from plugwright_conformance.catalogue.register import registered
from plugwright_conformance.checks._sink_types import must_be_stored, stored_by
from plugwright_conformance.checks._source_types import by_text, carried, emitted_rows
from plugwright_conformance.checks.value_types import short
from plugwright_conformance.evidence.outcome import (
    CheckFailedError,
    Evidence,
    NotApplicableError,
    TableCell,
)
from plugwright_conformance.subject.field_shape import rows_of
from plugwright_conformance.subject.names import TOPIC
from plugwright_conformance.subject.same_values import same

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plugwright_conformance.catalogue.bench import Bench
    from plugwright_conformance.subject.field_shape import FieldShape
    from plugwright_conformance.subject.shape import RowShape


def _nested(bench: Bench) -> tuple[RowShape, Sequence[FieldShape]]:
    """The fields of rows, and those of them that are nested.

    Raises:
        NotApplicableError: if none is.
    """
    shape = bench.subject.declaration.rows
    assert shape is not None  # noqa: S101  # the gate SCHEMA is open
    nested = [field for field in shape.fields if field.is_nested]
    if not nested:
        raise NotApplicableError("no field is an array, a map or a struct")
    return shape, nested


def _rows(bench: Bench, shape: RowShape, nested: Sequence[FieldShape]) -> list[dict[str, Any]]:
    """Rows with every edge of the nested fields, and each with a text of its own."""
    excluded = bench.subject.declaration.excluded_characters
    edges = rows_of({field.name: field.edges(excluded) for field in nested})
    return carried(bench, [{**shape.carrying(""), **row} for row in edges])[0]


def _cells(nested: Sequence[FieldShape], count: int) -> list[TableCell]:
    return [TableCell("types", f.type, f"field {f.name}", f"{count} kept") for f in nested]


@registered
class NestedValuesAreRead(Check):
    """Arrays, maps and structs are read whole."""

    id = "SRC-TYP-14"
    kinds = SOURCE_ONLY
    level = Level.C2
    wave = 2
    title = "Arrays, maps and structs are read with all of their elements"
    why = "A list that loses an element, its order or a null is noticed by nobody but the customer."
    mend = "Convert each element by its own schema; an empty list is neither null nor missing."
    gate = "SCHEMA"
    origin = "G-Type; NEW"

    def run(self, bench: Bench) -> Evidence:
        """Seed rows with every edge of the nested fields, and compare what is read."""
        shape, nested = _nested(bench)
        rows = _rows(bench, shape, nested)
        carrier, found = shape.text_field or "", by_text(emitted_rows(bench, rows), shape)
        for row in rows:
            seen = shape.row(found[row[carrier]])
            for field in nested:
                if not same(seen.get(field.name), row[field.name]):
                    raise CheckFailedError(
                        expected=f"{field.name}: {short(row[field.name])}",
                        observed=short(seen.get(field.name)),
                        scenario=f"{field.type} seeded at the endpoint",
                    )
        return Evidence(len(rows) * len(nested), cells=_cells(nested, len(rows)))


@registered
class NestedValuesAreStored(Check):
    """Arrays, maps and structs are stored whole."""

    id = "SNK-TYP-24"
    kinds = SINK_ONLY
    level = Level.C2
    wave = 2
    title = "Arrays, maps and structs are stored with all of their elements"
    why = "A list that loses an element, its order or a null is noticed by nobody but the customer."
    mend = "Convert each element by its own schema; an empty list is neither null nor missing."
    gate = "SCHEMA"
    origin = "G-Type; NEW"

    def run(self, bench: Bench) -> Evidence:
        """Put rows with every edge of the nested fields, and read them back as native values."""
        shape, nested = _nested(bench)
        rows, schema = _rows(bench, shape, nested), shape.schema()
        records = [
            SinkRecord(TOPIC, 0, None, None, schema, shape.struct(schema, row), offset)
            for offset, row in enumerate(rows)
        ]
        must_be_stored(bench, rows, stored_by(bench, records), "read at the endpoint")
        return Evidence(len(rows) * len(nested), cells=_cells(nested, len(rows)))
