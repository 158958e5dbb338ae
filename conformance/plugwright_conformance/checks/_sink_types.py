"""Checks of how a sink stores values of every type."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from plugwright import schema as connect
from plugwright.errors import ConnectError, DataError
from plugwright.record import SinkRecord
from plugwright_conformance.catalogue.check import Check, Level
from plugwright_conformance.catalogue.register import registered
from plugwright_conformance.checks._stepped_tasks import put_all
from plugwright_conformance.checks._upserts import deletes
from plugwright_conformance.checks._wire import wire_formats
from plugwright_conformance.checks.order import arranged
from plugwright_conformance.checks.value_types import compare, scalar_values, short
from plugwright_conformance.evidence.outcome import (
    CheckFailedError,
    Evidence,
    NotApplicableError,
    TableCell,
)
from plugwright_conformance.subject.contexts import sink_records
from plugwright_conformance.subject.names import HOME, TOPIC

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plugwright.schema import Schema
    from plugwright_conformance.catalogue.bench import Bench
    from plugwright_conformance.subject.shape import RowShape

_LONGEST = 1000
_AROUND = ("one", "two", "one")
"""The values around a tombstone."""

_NAMES = (
    "it's",
    'the "name"',
    "a.b.c",
    "select",
    "x; DROP TABLE rows; --",
    "{braces} ${dollar} %s {{x}}",
    "back\\slash`tick",
)


def _records(schema: Schema | None, values: Sequence[Any], first: int = 0) -> list[SinkRecord]:
    return [
        SinkRecord(TOPIC, 0, None, None, schema, value, offset)
        for offset, value in enumerate(values, first)
    ]


def stored_by(
    bench: Bench, records: Sequence[SinkRecord], *, batch: int | None = None
) -> list[Any]:
    """The values at the endpoint after put, of so many records at most, and flush.

    Texts, or rows if these were put.
    """
    texts = all(isinstance(record.value, str | None) for record in records)
    with bench.endpoint() as endpoint:
        put_all(bench, bench.config(endpoint), HOME, records, batch=batch)
        driver = endpoint.driver
        return list(driver.read_back() if texts else driver.read_rows())


def _must_be_stored_without_schema(bench: Bench, values: Sequence[Any], how: str) -> int:
    """Put values without a schema and compare; returns how many the sink has taken.

    A sink without rows may refuse maps and lists with a DataError.
    """
    try:
        stored = stored_by(bench, _records(None, values))
    except DataError:
        single = [value for value in values if not isinstance(value, dict | list)]
        if bench.subject.declaration.rows is not None or len(single) == len(values):
            raise
        return _must_be_stored_without_schema(bench, single, how) if single else 0
    compare(bench, values, stored, how)
    return len(values)


def _rows(bench: Bench) -> RowShape:
    rows = bench.subject.declaration.rows
    assert rows is not None  # noqa: S101  # the gate SCHEMA is open
    return rows


def must_be_stored(
    bench: Bench, rows: Sequence[Mapping[str, Any]], stored: Sequence[Mapping[str, Any]], how: str
) -> None:
    """Insist on every field of every row, in value and in type.

    Args:
        bench: of the check.
        rows: that were put.
        stored: what the endpoint has.
        how: ends the scenario.

    Raises:
        CheckFailedError: if a row or a value is another one.
    """
    if len(stored) != len(rows):
        raise CheckFailedError(f"{len(rows)} rows", f"{len(stored)} rows", f"put, {how}")
    fields = _rows(bench).fields
    found = [{field.name: row.get(field.name) for field in fields} for row in stored]
    for number, (row, seen) in enumerate(zip(rows, arranged(bench, rows, found), strict=False)):
        for field in fields:
            if not field.may_hold(seen.get(field.name), row[field.name]):
                raise CheckFailedError(
                    expected=f"row {number}, {field.name}: {short(row[field.name])}",
                    observed=short(seen.get(field.name)),
                    scenario=f"{field.type} put, {how}",
                )


@registered
class LogicalTypesAreStored(Check):
    """Logical types are stored as such."""

    id = "SNK-TYP-03"
    revision = 4
    level = Level.C2
    title = "Logical types are preserved"
    why = "A decimal without its scale is wrong by powers of ten."
    mend = "Convert Decimal, Date, Time and Timestamp to the endpoint's own types."
    gate = "SCHEMA"
    origin = "G-Logical"

    def run(self, bench: Bench) -> Evidence:
        """Put rows with every edge of every field; read them back as native values."""
        shape = _rows(bench)
        if not any(field.logical for field in shape.fields):
            raise NotApplicableError("no field is of a logical type")
        rows = shape.boundary_rows(bench.subject.declaration.excluded_characters)
        schema = shape.schema()
        stored = stored_by(bench, _records(schema, [shape.struct(schema, row) for row in rows]))
        must_be_stored(bench, rows, stored, "read at the endpoint")
        kept = f"{len(rows)} kept"
        cells = [
            TableCell("types", field.type, f"field {field.name}", kept) for field in shape.fields
        ]
        return Evidence(len(rows) * len(shape.fields), cells=cells)


@registered
class SchemalessValuesAreStored(Check):
    """Values without a schema keep their types."""

    id = "SNK-TYP-04"
    revision = 3
    level = Level.C2
    title = "Schemaless maps are typed and stored"
    why = "Most topics contain JSON without schemas."
    mend = "Check the Python type of every value, including those in lists and maps."
    gate = "SCHEMALESS"
    origin = "G-Schemaless"

    def run(self, bench: Bench) -> Evidence:
        """Put maps, lists and scalars without schema; read them back."""
        values: list[Any] = [
            {"id": 1, "name": "one", "ratio": 0.5, "good": True, "nothing": None},
            {"list": [1, "two", None], "map": {"deep": {"deeper": 3}}},
            [1, 2, 3],
            "text",
            7,
            2.5,
            False,
        ]
        return Evidence(_must_be_stored_without_schema(bench, values, "put without schema"))


@registered
class AbsenceIsStored(Check):
    """Null is stored as null."""

    id = "SNK-TYP-05"
    revision = 4
    level = Level.C2
    title = "Null, optional and default fields are stored as declared"
    why = "An empty string is not the absence of a string."
    mend = "Store null, or the field's default if it has one, and no other value."
    origin = "SGR optional_attributes"

    def run(self, bench: Bench) -> Evidence:
        """Put null and values for each optional field, and nothing for text."""
        shape = bench.subject.declaration.rows
        optional = [field for field in shape.fields if field.optional] if shape else []
        if shape is None or not optional:
            raise NotApplicableError("no field is optional")
        schema = shape.schema()
        compared = 0
        for field in optional:
            rows = [shape.carrying("row") for _ in range(3)]
            rows[0][field.name] = None
            if field.type == "string":
                rows[1][field.name] = ""
                rows[2][field.name] = "a value"
            found = stored_by(bench, _records(schema, [shape.struct(schema, r) for r in rows]))
            put = [row[field.name] for row in rows]
            stored = arranged(bench, put, [row.get(field.name) for row in found])
            for value, seen in zip(put, stored, strict=True):
                if not field.may_hold(seen, value):
                    raise CheckFailedError(
                        expected=f"{field.name}: {value!r}",
                        observed=repr(seen),
                        scenario="put by the task, read at the endpoint",
                    )
                compared += 1
        return Evidence(compared)


@registered
class TombstonesFollowPolicy(Check):
    """Tombstones are handled as declared."""

    id = "SNK-TYP-06"
    revision = 7
    level = Level.C2
    title = "A tombstone follows the declared policy and never crashes"
    why = "Compacted topics contain many tombstones; a crash stops the task there for ever."
    mend = "Handle value None first, as declared by tombstones in conformance.toml."
    origin = "storage-cloud#42; jdbc#744; snowflake#416"

    def run(self, bench: Bench) -> Evidence:
        """Put a null value with a key in each place of a batch, among values that are equal.

        Converters differ in whether a null has the schema of other values, or none.
        """
        cases = [(place, bare) for place in range(len(_AROUND) + 1) for bare in (False, True)]
        for place, bare in cases:
            how = " without a schema, put one by one," if bare else ""
            where = f"a null value{how} in place {place}"
            values: list[str | None] = [*_AROUND]
            values.insert(place, None)
            records = sink_records(values, HOME)
            for record in records:
                record.key_schema, record.key = connect.STRING_SCHEMA, f"key {record.kafka_offset}"
            if bare:
                records[place].value_schema = None
            try:
                found = stored_by(bench, records, batch=1 if bare else None)
            except ConnectError as error:
                if self._may_refuse(bench, error):
                    continue
                raise self._failure(where, f"{type(error).__name__}: {error}") from error
            except Exception as error:
                raise self._failure(where, f"{type(error).__name__}: {error}") from error
            self._require_policy(bench, found, where)
        return Evidence(len(cases))

    def _require_policy(self, bench: Bench, found: Sequence[Any], where: str) -> None:
        observed = f"{len(found)} values: {found!r}"
        texts = [value for value in found if value in _AROUND]
        if deletes(bench.subject.declaration) and len(found) > len(texts):
            raise self._failure(where, observed, ", and no others")
        if arranged(bench, _AROUND, texts) != [*_AROUND]:
            raise self._failure(where, observed)
        if self._is_kept(bench) and None not in found:
            raise self._failure(where, observed, ", and a null")

    @staticmethod
    def _is_kept(bench: Bench) -> bool:
        policy = bench.subject.declaration.capabilities.get("tombstones", "")
        return str(policy).startswith("written as null")

    @staticmethod
    def _may_refuse(bench: Bench, error: ConnectError) -> bool:
        """Whether that is the policy; who declares none may object to the record."""
        policy = bench.subject.declaration.capabilities.get("tombstones")
        if policy is None:
            return isinstance(error, DataError)
        return str(policy).startswith(("refused", "error"))

    @staticmethod
    def _failure(where: str, observed: str, more: str = "") -> CheckFailedError:
        return CheckFailedError(
            expected=f"the values around the tombstone stored, in their order{more}",
            observed=observed,
            scenario=f"{where} of a batch of {len(_AROUND) + 1}",
        )


@registered
class FormatMakesNoDifference(Check):
    """The result does not depend on the converter."""

    id = "SNK-TYP-09"
    revision = 3
    level = Level.C2
    title = "Independent of the converter"
    why = "Users choose the serialization format; a sink that parses JSON restricts them to JSON."
    mend = "Use the value and its schema as they are; do not parse."
    origin = "G-Conv; G-Sys"

    def run(self, bench: Bench) -> Evidence:
        """Bring the same values in each format; the endpoint must hold the same."""
        texts = [v for v in scalar_values(bench) if isinstance(v, str) and len(v) < _LONGEST]
        if not texts:
            raise NotApplicableError("the plugin declares no text")
        formats = wire_formats(text=True)
        for name, converter in formats.items():
            records = []
            for offset, text in enumerate(texts):
                data = converter.from_connect_data(TOPIC, connect.STRING_SCHEMA, text)
                found = converter.to_connect_data(TOPIC, data)
                records.append(SinkRecord(TOPIC, 0, None, None, found.schema, found.value, offset))
            try:
                stored = stored_by(bench, records)
            except Exception as error:
                raise CheckFailedError(
                    expected="the same content in every format",
                    observed=f"{type(error).__name__}: {error}",
                    scenario=f"through {name}",
                ) from error
            compare(bench, texts, stored, f"through {name}")
        return Evidence(len(texts) * len(formats))


@registered
class NamesAreData(Check):
    """Data is never interpreted as code."""

    id = "SNK-TYP-12"
    revision = 3
    level = Level.C2
    title = "Names and values are data, never syntax"
    why = "A quote in a name breaks the statement, or injects another one."
    mend = "Use parameters, and quote identifiers with the endpoint's own function."
    origin = "SQLA DifficultParametersTest; NEW"

    def run(self, bench: Bench) -> Evidence:
        """Put difficult values, and fields with difficult names where there are fields."""
        stored = stored_by(bench, sink_records(_NAMES, HOME))
        compare(bench, _NAMES, stored, "values that look like code")
        compared = len(_NAMES)
        if bench.subject.declaration.claims("schemaless"):
            rows = [{name: name} for name in _NAMES]
            how = "field names that look like code"
            compared += _must_be_stored_without_schema(bench, rows, how)
        return Evidence(compared)
