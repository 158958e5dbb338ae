"""The check that rows of another schema spoil no others of their batch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from plugwright.errors import ConnectError
from plugwright_conformance.catalogue.check import SINK_ONLY, Check, Level, Severity
from plugwright_conformance.catalogue.register import registered
from plugwright_conformance.checks._stepped_tasks import put_all, running_sink
from plugwright_conformance.checks.value_types import short
from plugwright_conformance.evidence.outcome import CheckFailedError, Evidence, NotApplicableError
from plugwright_conformance.subject.contexts import sink_records
from plugwright_conformance.subject.endpoint import EndpointError
from plugwright_conformance.subject.field_shape import FieldShape
from plugwright_conformance.subject.names import HOME
from plugwright_conformance.subject.same_values import same
from plugwright_conformance.subject.shape import RowShape

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plugwright.record import SinkRecord
    from plugwright_conformance.catalogue.bench import Bench
    from plugwright_conformance.subject.endpoint import OpenEndpoint

_ADDED = FieldShape("added_later", "string", optional=True)
_COUNT = 6
_ORDERS = f"{_COUNT} rows in one batch, of which every other one has its fields in reversed order"
_SCENARIO = f"{_COUNT} rows in one batch, of which the first and every other one have a field more"
_ONE_BY_ONE = f"a row, one with the optional field {_ADDED.name}, which was stored, and one without"


@registered
class MixedRowsAreTakenApart(Check):
    """Rows of another schema spoil no others, be they beside it or behind it."""

    id = "SNK-SCH-09"
    revision = 3
    severity = Severity.SHOULD
    kinds = SINK_ONLY
    level = Level.C3
    wave = 2
    title = "Rows with and without a new field are all stored, or the new field is rejected cleanly"
    why = "Topics have rows of two versions for as long as producers are updated one by one."
    mend = "Take the fields from each row; begin another file or statement where they change."
    gate = "SCHEMA"
    origin = "storage-common#110"

    def run(self, bench: Bench) -> Evidence:
        """Put rows of two versions by turns; the sink may refuse them, or drop the new field.

        If it refuses, put three of them one by one: what has stored the field once does without it.
        The same fields in another order are another version, too.
        """
        first = bench.subject.declaration.rows
        assert first is not None  # noqa: S101  # the gate SCHEMA is open
        orders_differ = self._mix(bench, first, RowShape((*reversed(first.fields),)), _ORDERS)
        if refusal := self._mix(bench, first, _longer(first), _SCENARIO):
            self._require_way_back(bench, first)
            raise NotApplicableError(f"the sink refuses them: {refusal}") from refusal
        return Evidence(_COUNT if orders_differ else 2 * _COUNT)

    def _mix(
        self, bench: Bench, first: RowShape, second: RowShape, scenario: str
    ) -> ConnectError | None:
        """Put rows of both by turns; the error if the sink refuses them."""
        rows = [first.carrying(text) for text in bench.ledger().enter(_COUNT)]
        with bench.endpoint() as endpoint:
            try:
                put_all(bench, bench.config(endpoint), HOME, _records(bench, (second, first), rows))
            except ConnectError as error:
                return error
            except Exception as error:
                raise CheckFailedError(
                    expected="the rows stored, or a Connect error",
                    observed=f"{type(error).__name__}: {error}",
                    scenario=scenario,
                    likely="the fields of the first row are taken for those of all",
                ) from error
            try:
                found = _stored_rows(endpoint)
            except EndpointError as error:
                self._require_alike_readable(bench, first, rows)
                raise CheckFailedError(
                    expected="rows that can be read back, as rows of one schema can",
                    observed=str(error),
                    scenario=scenario,
                    likely="values of a row got into the columns of others",
                ) from None  # it is not the driver's fault
        self._require(first, rows, found, scenario)
        return None

    @staticmethod
    def _require_alike_readable(
        bench: Bench, shape: RowShape, rows: Sequence[dict[str, Any]]
    ) -> None:
        """Let the driver read the same rows, all of one shape.

        Raises:
            EndpointError: if it cannot read these either.
        """
        with bench.endpoint() as endpoint:
            put_all(bench, bench.config(endpoint), HOME, _records(bench, (shape,), rows))
            _stored_rows(endpoint)

    @staticmethod
    def _require_way_back(bench: Bench, shape: RowShape) -> None:
        """Unless the sink refuses or drops the new field, it takes a row of the old version after.

        Raises:
            CheckFailedError: if it refuses that row.
        """
        rows = [shape.carrying(text) for text in bench.ledger().enter(3)]
        *before, last = _records(bench, (shape, _longer(shape)), rows)
        with bench.endpoint() as endpoint:
            config = bench.config(endpoint)
            if not _is_stored(bench, endpoint, config, before):
                return
            try:
                with running_sink(bench, config, [HOME], first=last.kafka_offset) as sink:
                    sink.put([last])
                    sink.commit()
            except ConnectError as error:
                raise CheckFailedError(
                    expected=f"the last row stored, with null for {_ADDED.name}",
                    observed=f"{type(error).__name__}: {error}",
                    scenario=_ONE_BY_ONE,
                    likely="the sink requires every field that it has ever stored",
                ) from error

    @staticmethod
    def _require(
        shape: RowShape,
        rows: Sequence[dict[str, Any]],
        found: Sequence[dict[str, Any]],
        scenario: str,
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
                        scenario=scenario,
                        likely="the fields of the first row are taken for those of all",
                    )


def _stored_rows(endpoint: OpenEndpoint) -> list[dict[str, Any]]:
    return [row for row in endpoint.driver.read_rows() if isinstance(row, dict)]


def _longer(shape: RowShape) -> RowShape:
    return RowShape((*shape.fields, _ADDED))


def _is_stored(
    bench: Bench, endpoint: OpenEndpoint, config: Mapping[str, str], records: Sequence[SinkRecord]
) -> bool:
    """Whether the sink stores the added field, when records are put one by one."""
    try:
        put_all(bench, config, HOME, records, batch=1)
    except ConnectError:
        return False
    found = endpoint.driver.read_rows()
    return any(isinstance(row, dict) and row.get(_ADDED.name) is not None for row in found)


def _records(
    bench: Bench, shapes: Sequence[RowShape], rows: Sequence[dict[str, Any]]
) -> list[SinkRecord]:
    """Records of the rows, of these shapes by turns."""
    records = sink_records(rows, HOME, keyed=bench.subject.declaration.claims("upsert"))
    for number, (record, row) in enumerate(zip(records, rows, strict=True)):
        shape = shapes[number % len(shapes)]
        record.value_schema = shape.schema()
        added = {_ADDED.name: f"new in {number}"} if _ADDED in shape.fields else {}
        record.value = shape.struct(record.value_schema, {**row, **added})
    return records
