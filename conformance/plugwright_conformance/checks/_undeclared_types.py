"""Values of types that a sink does not declare."""

from __future__ import annotations

import datetime as dt
import decimal
from typing import TYPE_CHECKING, Any

from plugwright import schema as connect
from plugwright.errors import ConnectError
from plugwright.record import SinkRecord
from plugwright_conformance.catalogue.check import Check, Level
from plugwright_conformance.catalogue.register import registered
from plugwright_conformance.checks._stepped_tasks import put_all
from plugwright_conformance.checks._types import short
from plugwright_conformance.evidence.outcome import CheckFailedError, Evidence, NotApplicableError
from plugwright_conformance.subject.names import HOME, TOPIC
from plugwright_conformance.subject.shape import RowShape, same

if TYPE_CHECKING:
    from collections.abc import Mapping

    from plugwright.schema import Schema
    from plugwright_conformance.catalogue.bench import Bench
    from plugwright_conformance.subject.declaration import Declaration

_SAMPLES: Mapping[str, tuple[Schema, Any]] = {
    "boolean": (connect.BOOLEAN_SCHEMA, True),
    "int64": (connect.INT64_SCHEMA, 7),
    "float64": (connect.FLOAT64_SCHEMA, 0.5),
    "string": (connect.STRING_SCHEMA, "text"),
    "bytes": (connect.BYTES_SCHEMA, b"\x00\x01"),
    "decimal": (connect.Decimal.schema(2), decimal.Decimal("1.50")),
    "date": (connect.Date.SCHEMA, dt.date(2024, 2, 29)),
    "time": (connect.Time.SCHEMA, dt.time(2, 30)),
    "timestamp": (connect.Timestamp.SCHEMA, dt.datetime(2024, 2, 29, tzinfo=dt.UTC)),
}


def declared_types(declaration: Declaration) -> frozenset[str]:
    """Names of the types that a sink has a place for: of values, of fields, or without schema."""
    fields = {field.type for field in (declaration.rows or RowShape(())).fields}
    bare = {"boolean", "int64", "float64"} if declaration.claims("schemaless") else set()
    return frozenset({*declaration.types, *fields, *bare})


def value_of_unknown_type() -> connect.SchemaAndValue:
    """A map with keys that are structs, for a sink that declares all that a declaration can."""
    inner = connect.SchemaBuilder.struct().field("x", connect.INT64_SCHEMA).build()
    schema = connect.SchemaBuilder.map(inner, connect.INT64_SCHEMA).build()
    return connect.SchemaAndValue(schema, {connect.Struct(inner).put("x", 1): 1})


def undeclared_value(bench: Bench) -> connect.SchemaAndValue:
    """A value of a type that the sink does not declare, not even for a field or without schema.

    None that it stores all the same, as it is.

    Raises:
        NotApplicableError: if it stores all of them.
    """
    for value in _undeclared(bench.subject.declaration):
        if not _is_kept(bench, value):
            return value
    raise NotApplicableError("the sink stores values of types that it does not declare")


def _record(value: connect.SchemaAndValue) -> SinkRecord:
    return SinkRecord(TOPIC, 0, None, None, value.schema, value.value, 0)


def _is_kept(bench: Bench, value: connect.SchemaAndValue) -> bool:
    """Whether the sink stores a value as it is."""
    with bench.endpoint() as endpoint:
        try:
            put_all(bench, bench.config(endpoint), HOME, [_record(value)])
        except Exception:  # noqa: BLE001  # the check that asked is about it
            return False
        found = list(endpoint.driver.read_rows())
    return len(found) == 1 and same(found[0], value.value)


def _undeclared(declaration: Declaration) -> list[connect.SchemaAndValue]:
    candidates = {
        "int64": connect.SchemaAndValue(connect.INT64_SCHEMA, 4711),
        "float64": connect.SchemaAndValue(connect.FLOAT64_SCHEMA, 0.5),
        "boolean": connect.SchemaAndValue(connect.BOOLEAN_SCHEMA, True),
        "bytes": connect.SchemaAndValue(connect.BYTES_SCHEMA, b"poison"),
    }
    declared = declared_types(declaration)
    undeclared = [value for name, value in candidates.items() if name not in declared]
    return [*undeclared, value_of_unknown_type()]


@registered
class UnsupportedTypesAreRefused(Check):
    """Values of undeclared types are rejected."""

    id = "SNK-TYP-02"
    revision = 2
    level = Level.C2
    title = "Unsupported types are rejected, never coerced to null or text"
    why = "A coerced value cannot be distinguished from an intended one."
    mend = "Raise a DataError for every type that the endpoint cannot store."
    origin = "G-Type"

    def run(self, bench: Bench) -> Evidence:
        """Put a value of each undeclared type; expect an error and nothing at the endpoint.

        A sink may store a type that it does not declare, as long as the value stays what it is.
        """
        declared = declared_types(bench.subject.declaration)
        undeclared = [name for name in _SAMPLES if name not in declared]
        if not undeclared:
            return self._refuses_unknown(bench)
        for name in undeclared:
            self._must_refuse(bench, name, connect.SchemaAndValue(*_SAMPLES[name]))
        return Evidence(len(undeclared))

    def _refuses_unknown(self, bench: Bench) -> Evidence:
        """All that can be declared is declared."""
        self._must_refuse(bench, "map with structs as keys", value_of_unknown_type())
        return Evidence(1)

    @staticmethod
    def _must_refuse(bench: Bench, name: str, value: connect.SchemaAndValue) -> None:
        with bench.endpoint() as endpoint:
            try:
                put_all(bench, bench.config(endpoint), HOME, [_record(value)])
                refused = False
            except ConnectError:
                refused = True
            after = list(endpoint.driver.read_rows())
        kept = not refused and len(after) == 1 and same(after[0], value.value)
        if not kept and (after or not refused):
            raise CheckFailedError(
                expected=f"a Connect error for {name}, and nothing at the endpoint",
                observed=f"{'an error' if refused else 'no error'}, "
                f"stored {short(after[0]) if after else 'nothing'}",
                scenario=f"put() of {short(value.value)}, a type that is not declared",
            )
