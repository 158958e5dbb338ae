"""Checks of the types and schemas of a source's records."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from plugwright.errors import ConnectError, DataError
from plugwright.schema import Schema, Struct, validate_value
from plugwright_conformance.catalogue.check import Check, Level
from plugwright_conformance.catalogue.register import registered
from plugwright_conformance.checks._stepped_tasks import (
    PATIENCE_S,
    poll_values,
    running_source,
    seeds,
)
from plugwright_conformance.checks._wire import wire_formats
from plugwright_conformance.checks.value_types import scalar_values, short
from plugwright_conformance.evidence.outcome import (
    CheckFailedError,
    Evidence,
    NotApplicableError,
    NotRunError,
    TableCell,
)
from plugwright_conformance.subject.contexts import SourceContext
from plugwright_conformance.subject.same_values import finite, same

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plugwright.converters import Converter
    from plugwright.record import SourceRecord
    from plugwright_conformance.catalogue.bench import Bench
    from plugwright_conformance.subject.endpoint import OpenEndpoint
    from plugwright_conformance.subject.shape import RowShape

_BEFORE = 5
_SILENCE = "no error"


def _rows(bench: Bench) -> RowShape:
    rows = bench.subject.declaration.rows
    assert rows is not None  # noqa: S101  # the gate SCHEMA is open
    return rows


def _emitted(bench: Bench, endpoint: OpenEndpoint, values: Sequence[Any]) -> list[SourceRecord]:
    """The task's records for values seeded at the endpoint."""
    endpoint.driver.seed(values)
    with running_source(bench, bench.config(endpoint), SourceContext()) as task:
        return poll_values(task, len(values))


def emitted_rows(bench: Bench, rows: Sequence[Any]) -> list[SourceRecord]:
    """The same, of a fresh endpoint."""
    with bench.endpoint() as endpoint:
        return _emitted(bench, endpoint, rows)


def by_text(records: Sequence[SourceRecord], shape: RowShape) -> Mapping[str, Struct]:
    """The structs of records by the text that their first string field carries."""
    name = shape.text_field
    assert name is not None  # noqa: S101  # it carried the texts
    found = {}
    for record in records:
        if not isinstance(record.value, Struct):
            raise CheckFailedError(
                expected="a struct for each row", observed=short(record.value), likely="it is text"
            )
        found[str(record.value[name])] = record.value
    return found


def carried(bench: Bench, rows: Sequence[dict[str, Any]]) -> tuple[list[dict[str, Any]], list[str]]:
    """Rows that differ in one text each, and the texts."""
    name = next(field.name for field in _rows(bench).fields if field.type == "string")
    texts = bench.ledger().enter(len(rows))
    return [{**row, name: text} for row, text in zip(rows, texts, strict=True)], texts


@registered
class ValuesFitTheirSchema(Check):
    """Every record conforms to its schema."""

    id = "SRC-TYP-01"
    revision = 2
    level = Level.C2
    title = "Every record value conforms to its own schema"
    why = "The converter rejects a mismatching record, and the task fails in production."
    mend = "Set the schema that matches the value, or convert the value."
    gate = "SCHEMA"
    origin = "G-Type; SGR"

    def run(self, bench: Bench) -> Evidence:
        """Validate every record, keys too."""
        rows, _ = carried(bench, _rows(bench).boundary_rows())
        records = emitted_rows(bench, rows)
        for number, record in enumerate(records):
            for part, schema, value in (
                ("key", record.key_schema, record.key),
                ("value", record.value_schema, record.value),
            ):
                self._require_fit(part, number, schema, value)
        return Evidence(len(records))

    @staticmethod
    def _require_fit(part: str, number: int, schema: Schema | None, value: Any) -> None:
        if schema is None:
            if part == "key" or value is None:
                return
            raise CheckFailedError(f"a schema with record {number}", f"none for {short(value)}")
        try:
            validate_value(schema, value)
        except ConnectError as error:
            raise CheckFailedError(
                expected=f"a {part} of record {number} that fits its schema",
                observed=str(error) or repr(error),
            ) from error


@registered
class LogicalTypesArePreserved(Check):
    """Logical types are read as such."""

    id = "SRC-TYP-03"
    revision = 2
    level = Level.C2
    title = "Logical types are preserved"
    why = "A decimal that becomes a float is eventually wrong by a cent."
    mend = "Use plugwright's Decimal, Date, Time and Timestamp for schemas and values."
    gate = "SCHEMA"
    origin = "G-Logical"

    def run(self, bench: Bench) -> Evidence:
        """Compare schema name, scale and value with what was seeded."""
        shape = _rows(bench)
        logical = [field for field in shape.fields if field.logical]
        if not logical:
            raise NotApplicableError("no field is of a logical type")
        rows, texts = carried(bench, shape.boundary_rows())
        found = by_text(emitted_rows(bench, rows), shape)
        compared = 0
        for row, text in zip(rows, texts, strict=True):
            struct = found[text]
            for field in logical:
                self._compare(field.name, field.schema(), row[field.name], struct)
                compared += 1
        kept = f"{len(rows)} kept"
        cells = [TableCell("types", field.type, f"field {field.name}", kept) for field in logical]
        return Evidence(compared, cells=cells)

    @staticmethod
    def _compare(name: str, wanted: Schema, value: Any, struct: Struct) -> None:
        field = struct.schema.field(name)
        schema = field.schema if field is not None else None
        if schema is None or (schema.name, schema.parameters) != (wanted.name, wanted.parameters):
            raise CheckFailedError(
                expected=f"{name} as {wanted.name} {dict(wanted.parameters or {})}".rstrip(" {}"),
                observed=f"{schema.name or schema.type.name}" if schema else "no such field",
                likely="the value is returned as a plain number or text",
            )
        if not same(struct.get_without_default(name), value):
            raise CheckFailedError(
                f"{name}: {value!r}", repr(struct.get_without_default(name)), "logical value"
            )


@registered
class AbsenceIsDistinguished(Check):
    """Null, missing and default values differ."""

    id = "SRC-TYP-04"
    level = Level.C2
    title = "Null, missing and default are distinguished"
    why = "A consumer that cannot distinguish them overwrites data with defaults, or vice versa."
    mend = "Use None for null, and the schema's default for a missing value."
    origin = "SGR; NEW"

    def run(self, bench: Bench) -> Evidence:
        """Seed null, nothing and a value for each optional field."""
        shape = bench.subject.declaration.rows
        optional = [field for field in shape.fields if field.optional] if shape else []
        texts = [field for field in optional if field.type == "string"]
        if shape is None or not texts:
            raise NotApplicableError("no field is optional")
        compared = 0
        carrier = next(field.name for field in shape.fields if field.type == "string")
        for field in [field for field in texts if field.name != carrier]:
            rows, ids = carried(bench, [shape.carrying("") for _ in range(3)])
            rows[0][field.name] = None
            del rows[1][field.name]
            rows[2][field.name] = "a value"
            found = by_text(emitted_rows(bench, rows), shape)
            expected = (None, field.default, "a value")
            for text, value, what in zip(
                ids, expected, ("null", "missing", "a value"), strict=True
            ):
                seen = found[text].get_without_default(field.name)
                if seen != value:
                    raise CheckFailedError(
                        expected=f"{field.name}: {value!r}",
                        observed=repr(seen),
                        scenario=f"{field.name} is {what} at the endpoint",
                    )
                compared += 1
        if not compared:
            raise NotApplicableError("the only optional string identifies the rows")
        return Evidence(compared)


@registered
class UnsupportedTypesAreNamed(Check):
    """A value of an unsupported type causes an error that names it."""

    id = "SRC-TYP-06"
    revision = 2
    level = Level.C2
    title = "Unsupported endpoint types give a Connect error that names field and type"
    why = "A silently dropped column is noticed years later."
    mend = "Raise a DataError that names the field and its type."
    origin = "G-Type"

    def run(self, bench: Bench) -> Evidence:
        """Let the driver seed such a value, alone and after others; look at the error."""
        words, observed = self._outcome(bench, before=0)
        if not all(word in observed for word in words):
            raise CheckFailedError(
                expected=f"a Connect error with {', '.join(words)}",
                observed=observed,
                scenario="a value of a type that the plugin does not declare",
            )
        _, observed = self._outcome(bench, before=_BEFORE)
        if observed.startswith(_SILENCE):
            raise CheckFailedError(
                expected="a Connect error",
                observed=observed,
                scenario=f"after {_BEFORE} others, a value of a type that is not declared",
                likely="the task has gone past it in memory when it was to raise the error",
            )
        return Evidence(2 * len(words))

    @staticmethod
    def _outcome(bench: Bench, before: int) -> tuple[Sequence[str], str]:
        """The words that the error must have, and what was seen of it.

        Args:
            bench: of the check.
            before: how many good values there are before the other one.
        """
        with bench.endpoint() as endpoint:
            if before:
                endpoint.driver.seed(seeds(bench, before))
            words = endpoint.driver.hook("seed_foreign")
            if words is None:
                raise NotRunError("the endpoint driver does not implement seed_foreign()")
            if not words:
                raise NotApplicableError("the endpoint supports no other type")
            try:
                with running_source(bench, bench.config(endpoint), SourceContext()) as task:
                    found = task.take(before + 1, PATIENCE_S)
            except ConnectError as error:
                return words, str(error)
            except Exception as error:  # noqa: BLE001  # plugin code, judged by the caller
                return (*words, "a Connect error"), f"{type(error).__name__}: {error}"
        return words, f"{_SILENCE}, {len(found)} records"


@registered
class ConverterMakesNoDifference(Check):
    """The result does not depend on the converter."""

    id = "SRC-TYP-09"
    revision = 3
    level = Level.C2
    title = "Independent of the converter"
    why = (
        "Users choose the serialization format; a source that writes JSON text restricts them "
        "to JSON."
    )
    mend = "Return values with schemas, and leave serialization to the converter."
    origin = "G-Conv; G-Sys"

    def run(self, bench: Bench) -> Evidence:
        """Send the same records through each format; the content has to be what was seeded."""
        shape = bench.subject.declaration.rows
        if shape is None:
            values = [v for v in scalar_values(bench) if len(str(v)) < 1000]  # noqa: PLR2004  # short is enough
            expected: list[Any] = list(values)
        else:
            values, _ = carried(bench, [finite(row) for row in shape.boundary_rows()])
            expected = [with_defaults(shape, row) for row in values]
        with bench.endpoint() as endpoint:
            records = _emitted(bench, endpoint, values)
            formats = wire_formats(text=all(isinstance(record.value, str) for record in records))
            for name, converter in formats.items():
                found = (_converted(name, converter, record) for record in records)
                seen = [
                    endpoint.driver.seeded(value)
                    if shape is None or not isinstance(value, Struct)
                    else with_defaults(shape, shape.row(value))
                    for value in found
                ]
                _require_same(expected, seen, name)
        return Evidence(len(records) * len(formats))


def _converted(name: str, converter: Converter, record: SourceRecord) -> Any:
    """The value after serialization and deserialization by a converter.

    Raises:
        CheckFailedError: if it cannot be written under the record's schema.
    """
    try:
        data = converter.from_connect_data(record.topic, record.value_schema, record.value)
    except DataError as error:
        raise CheckFailedError(
            expected="a value that can be written under its schema",
            observed=str(error),
            scenario=f"through {name}",
            likely="the value is not of the type that its schema says",
        ) from error
    return converter.to_connect_data(record.topic, data).value


def with_defaults(shape: RowShape, row: Mapping[str, Any]) -> dict[str, Any]:
    """The row with defaults for nulls: formats differ in whether they distinguish the two."""
    defaults = {field.name: field.default for field in shape.fields}
    return {name: defaults[name] if value is None else value for name, value in row.items()}


def _require_same(expected: Sequence[Any], seen: Sequence[Any], name: str) -> None:
    rest = list(seen)
    for value in expected:
        match = next((number for number, item in enumerate(rest) if same(item, value)), None)
        if match is None:
            raise CheckFailedError(
                expected=short(value),
                observed=short(rest[0]) if rest else "nothing",
                scenario=f"through {name}",
                likely="the value suits only one format",
            )
        del rest[match]
