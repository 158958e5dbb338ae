"""The check that rows with one field more spoil no others of their batch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from plugwright.errors import ConnectError
from plugwright_conformance.catalogue.check import SINK_ONLY, Check, Level, Severity
from plugwright_conformance.catalogue.register import registered
from plugwright_conformance.checks._hand_driven import put_all
from plugwright_conformance.checks._types import short
from plugwright_conformance.evidence.outcome import CheckFailedError, Evidence, NotApplicableError
from plugwright_conformance.subject.contexts import sink_records
from plugwright_conformance.subject.names import HOME
from plugwright_conformance.subject.shape import FieldShape, RowShape, same

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plugwright.record import SinkRecord
    from plugwright_conformance.catalogue.bench import Bench

_ADDED = FieldShape("added_later", "string", optional=True)
_COUNT = 6
_SCENARIO = f"{_COUNT} rows in one batch, of which the first and every other one have a field more"


@registered
class MixedRowsAreTakenApart(Check):
    """Rows with one more field spoil no others."""

    id = "SNK-SCH-09"
    severity = Severity.SHOULD
    kinds = SINK_ONLY
    level = Level.C3
    wave = 2
    title = "Rows with and without a new field in one batch are all stored, or rejected cleanly"
    why = "Topics have rows of two versions for as long as producers are updated one by one."
    mend = "Take the fields from each row; begin another file or statement where they change."
    gate = "SCHEMA"
    origin = "storage-common#110"

    def run(self, bench: Bench) -> Evidence:
        """Put rows of two versions by turns; the sink may refuse them, or drop the new field."""
        first = bench.subject.declaration.rows
        assert first is not None  # noqa: S101  # the gate SCHEMA is open
        rows = [first.carrying(text) for text in bench.ledger().enter(_COUNT)]
        with bench.endpoint() as endpoint:
            try:
                put_all(bench, bench.config(endpoint), HOME, _records(bench, first, rows))
            except ConnectError as error:
                raise NotApplicableError(f"the sink refuses them: {error}") from error
            except Exception as error:
                raise CheckFailedError(
                    expected="the rows stored, or a Connect error",
                    observed=f"{type(error).__name__}: {error}",
                    scenario=_SCENARIO,
                    likely="the fields of the first row are taken for those of all",
                ) from error
            found = [row for row in endpoint.driver.read_back() if isinstance(row, dict)]
        self._require(first, rows, found)
        return Evidence(_COUNT)

    @staticmethod
    def _require(
        shape: RowShape, rows: Sequence[dict[str, Any]], found: Sequence[dict[str, Any]]
    ) -> None:
        carrier = next(field.name for field in shape.fields if field.type == "string")
        stored = {row.get(carrier): row for row in found}
        for wanted in rows:
            row = stored.get(wanted[carrier], {})
            for name, value in wanted.items():
                if not same(row.get(name), value):
                    raise CheckFailedError(
                        expected=f"{name}: {short(value)}",
                        observed=f"{name}: {short(row.get(name))}" if row else "no such row",
                        scenario=_SCENARIO,
                        likely="the fields of the first row are taken for those of all",
                    )


def _records(bench: Bench, first: RowShape, rows: Sequence[dict[str, Any]]) -> list[SinkRecord]:
    """Records of the rows; the first and every other one have the added field."""
    second = RowShape((*first.fields, _ADDED))
    records = sink_records(rows, HOME, keyed=bench.subject.declaration.claims("upsert"))
    for number, (record, row) in enumerate(zip(records, rows, strict=True)):
        shape = first if number % 2 else second
        record.value_schema = shape.schema()
        added = {} if number % 2 else {_ADDED.name: f"new in {number}"}
        record.value = shape.struct(record.value_schema, {**row, **added})
    return records
