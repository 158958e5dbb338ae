"""Values of types that a sink does not declare."""

from __future__ import annotations

import datetime as dt
import decimal
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from plugwright import schema as connect
from plugwright.errors import ConnectError
from plugwright.record import SinkRecord
from plugwright_conformance.catalogue.check import Check, Level
from plugwright_conformance.catalogue.register import registered
from plugwright_conformance.checks._stepped_tasks import put_all
from plugwright_conformance.checks.value_types import short
from plugwright_conformance.evidence.outcome import (
    CheckFailedError,
    Evidence,
    NotApplicableError,
    NotRunError,
)
from plugwright_conformance.subject.names import HOME, TOPIC
from plugwright_conformance.subject.same_values import same
from plugwright_conformance.subject.shape import RowShape

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plugwright_conformance.catalogue.bench import Bench
    from plugwright_conformance.subject.declaration import Declaration

_SAMPLES: Mapping[str, connect.SchemaAndValue] = {
    "boolean": connect.SchemaAndValue(connect.BOOLEAN_SCHEMA, True),
    "int64": connect.SchemaAndValue(connect.INT64_SCHEMA, 7),
    "float64": connect.SchemaAndValue(connect.FLOAT64_SCHEMA, 0.5),
    "string": connect.SchemaAndValue(connect.STRING_SCHEMA, "text"),
    "bytes": connect.SchemaAndValue(connect.BYTES_SCHEMA, b"\x00\x01"),
    "decimal": connect.SchemaAndValue(connect.Decimal.schema(2), decimal.Decimal("1.50")),
    "date": connect.SchemaAndValue(connect.Date.SCHEMA, dt.date(2024, 2, 29)),
    "time": connect.SchemaAndValue(connect.Time.SCHEMA, dt.time(2, 30)),
    "timestamp": connect.SchemaAndValue(
        connect.Timestamp.SCHEMA, dt.datetime(2024, 2, 29, tzinfo=dt.UTC)
    ),
}
_COMMON = ("int64", "float64", "boolean", "bytes")


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

    None that it stores all the same, in whatever form.

    Raises:
        NotApplicableError: if it stores all of them.
    """
    undeclared = _undeclared(bench.subject.declaration)
    common = [undeclared[name] for name in _COMMON if name in undeclared]
    for value in (*common, value_of_unknown_type()):
        if not stored(bench, value).is_there:
            return value
    raise NotApplicableError("the sink stores values of types that it does not declare")


def _undeclared(declaration: Declaration) -> Mapping[str, connect.SchemaAndValue]:
    declared = declared_types(declaration)
    return {name: value for name, value in _SAMPLES.items() if name not in declared}


@dataclass(frozen=True, slots=True)
class PutResult:
    """What became of one value that a sink was given.

    Attributes:
        value: that was given; a struct as a row.
        refusal: the sink's error; ``None`` without one.
        found: all values at the endpoint afterwards.
    """

    value: Any
    refusal: Exception | None
    found: Sequence[Any]

    @property
    def is_kept(self) -> bool:
        """Whether the value is stored as it is."""
        return self.refusal is None and same(list(self.found), [self.value])

    @property
    def is_there(self) -> bool:
        """Whether something is stored, and the sink has no objection."""
        return self.refusal is None and bool(self.found)

    @property
    def is_marked(self) -> bool:
        """Whether the value is stored in a structure that says what it is, and loses nothing.

        A single value in a mapping, or the pairs of a map in a list within one.
        """
        found = next(iter(self.found), None)
        if self.refusal is not None or not isinstance(found, dict) or None in found.values():
            return False
        return not isinstance(self.value, dict) or [*map(type, found.values())] == [list]

    @property
    def is_refused(self) -> bool:
        """Whether there is an error of Connect, and nothing else happened."""
        return isinstance(self.refusal, ConnectError) and not self.found

    def __str__(self) -> str:
        error = f"{type(self.refusal).__name__}: {self.refusal}" if self.refusal else "no error"
        return f"{error}, stored {short(self.found[0]) if self.found else 'nothing'}"


def stored(bench: Bench, value: connect.SchemaAndValue) -> PutResult:
    """Put one value into an empty endpoint."""
    schema, plain = value
    record = SinkRecord(TOPIC, 0, None, None, schema, plain, 0)
    refusal: Exception | None
    with bench.endpoint() as endpoint:
        config, refusal = bench.config(endpoint), None
        try:
            put_all(bench, config, HOME, [record])
        except (CheckFailedError, NotApplicableError, NotRunError):
            raise  # of the suite
        except Exception as error:  # noqa: BLE001  # the check that asked is about it
            refusal = error
        found = list(endpoint.driver.read_rows())
    if isinstance(plain, connect.Struct):
        plain = {each.name: plain[each.name] for each in plain.schema.fields}
    return PutResult(plain, refusal, found)


def _is_distinct(bench: Bench, result: PutResult) -> bool:
    """Whether a value is marked, and no text is stored as it is."""
    if not result.is_marked:
        return False
    texts = [each for each in result.found[0].values() if isinstance(each, str)]
    as_texts = (stored(bench, connect.SchemaAndValue(connect.STRING_SCHEMA, t)) for t in texts)
    return not any(same(list(each.found), list(result.found)) for each in as_texts)


@registered
class UnsupportedTypesAreRefused(Check):
    """Values of undeclared types are rejected."""

    id = "SNK-TYP-02"
    revision = 3
    level = Level.C2
    title = "Unsupported types are rejected, never coerced to null or text"
    why = "A coerced value cannot be distinguished from an intended one."
    mend = "Raise a DataError for every type that the endpoint cannot store."
    origin = "G-Type"

    def run(self, bench: Bench) -> Evidence:
        """Put a value of each undeclared type; expect an error and nothing at the endpoint.

        A sink may store a type that it does not declare, as long as the value stays what it is, or
        is marked as something that the system does not have, like ``{"$time": "02:30:00"}``.
        """
        undeclared = _undeclared(bench.subject.declaration) or {
            "map with structs as keys": value_of_unknown_type()
        }
        for name, value in undeclared.items():
            self._must_refuse(bench, name, value)
        return Evidence(len(undeclared))

    @staticmethod
    def _must_refuse(bench: Bench, name: str, value: connect.SchemaAndValue) -> None:
        found = stored(bench, value)
        if not (found.is_refused or found.is_kept or _is_distinct(bench, found)):
            raise CheckFailedError(
                expected=f"a Connect error for {name}, and nothing at the endpoint",
                observed=str(found),
                scenario=f"put() of {short(value.value)}, a type that is not declared",
            )
