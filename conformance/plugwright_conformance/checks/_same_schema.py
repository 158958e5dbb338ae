"""Check that the schema of an unchanged structure stays the same."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from plugwright.schema import Type
from plugwright_conformance.catalogue.check import SOURCE_ONLY, Check, Level, Severity
from plugwright_conformance.catalogue.register import registered
from plugwright_conformance.checks._source_types import carried
from plugwright_conformance.checks._stepped_tasks import (
    PATIENCE_S,
    poll_values,
    running_source,
    seeds,
)
from plugwright_conformance.evidence.outcome import CheckFailedError, Evidence, NotApplicableError
from plugwright_conformance.subject.contexts import SourceContext

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from plugwright.record import SourceRecord
    from plugwright.schema import Schema
    from plugwright_conformance.catalogue.bench import Bench

_COUNT = 8
_SHORT = 2000
_PROPERTIES = ("type", "optional", "default", "name", "version", "doc", "parameters")


@registered
class SchemaStaysTheSame(Check):
    """Rows of one structure have one schema."""

    id = "SRC-SCH-02"
    severity = Severity.SHOULD
    kinds = SOURCE_ONLY
    level = Level.C3
    wave = 2
    title = "Unchanged structure gives an equal schema"
    why = "Every other schema becomes a version in the registry, and sinks start new files for it."
    mend = "Build the schema from the structure of the object, not from its rows or the moment."
    gate = "SCHEMA"
    origin = "G-Migr"

    def run(self, bench: Bench) -> Evidence:
        """Read rows without nulls, then rows with every edge, then all again with a new task.

        Different objects may have different schemas: topic, source partition and name of the
        schema tell them apart.
        """
        edges = _edges(bench)
        count = _COUNT + len(edges)
        with bench.endpoint() as endpoint:
            endpoint.driver.seed(seeds(bench, _COUNT))
            config = bench.config(endpoint)
            with running_source(bench, config, SourceContext()) as task:
                records = poll_values(task, _COUNT)
                endpoint.driver.seed(edges)
                records += poll_values(task, len(edges))
            with running_source(bench, config, SourceContext()) as task:
                records += task.take(count, PATIENCE_S, surplus=False, answering=False)
        compared = sum(self._require_one(*found) for found in _schemas(records).items())
        if not compared:
            raise NotApplicableError("no record has a schema")
        return Evidence(compared)

    @staticmethod
    def _require_one(place: str, schemas: Sequence[Schema]) -> int:
        """How many schemas of one object were compared."""
        first = schemas[0]
        for schema in schemas:
            if schema != first or hash(schema) != hash(first):
                one, other = next(_differences(first, schema), ("its hash", "another hash"))
                raise CheckFailedError(
                    expected=f"{one}, as in the record before",
                    observed=other,
                    scenario=f"the schema of the {place}, whose structure has not changed",
                    likely="the schema is derived from the values of a row or a batch",
                )
        return len(schemas)


def _edges(bench: Bench) -> Sequence[Mapping[str, Any]]:
    """Rows that together hold the short edges of every field, each with a text of its own."""
    shape = bench.subject.declaration.rows
    assert shape is not None  # noqa: S101  # the gate SCHEMA is open
    plain = shape.carrying("")
    rows = [
        {name: value if len(str(value)) < _SHORT else plain[name] for name, value in row.items()}
        for row in shape.boundary_rows(bench.subject.declaration.excluded_characters)
    ]
    return carried(bench, rows)[0]


def _schemas(records: Sequence[SourceRecord]) -> Mapping[str, list[Schema]]:
    """The schemas of keys and values, by object."""
    found: dict[str, list[Schema]] = {}
    for record in records:
        for part, schema in (("key", record.key_schema), ("value", record.value_schema)):
            if schema is not None:
                place = f"{record.topic}, {record.source_partition}, {schema.name}"
                found.setdefault(f"{part}s of {place}", []).append(schema)
    return found


def _differences(one: Schema, other: Schema, path: str = "") -> Iterator[tuple[str, str]]:
    """What differs in two schemas: in one, and in the other."""
    for name in _PROPERTIES:
        mine, theirs = getattr(one, name), getattr(other, name)
        if mine != theirs:
            yield f"{path}{name} {mine!s}", f"{path}{name} {theirs!s}"
    if one.type is other.type is Type.STRUCT:
        names, others = ([field.name for field in each.fields] for each in (one, other))
        if names != others:
            yield f"{path}the fields {', '.join(names)}", f"{path}the fields {', '.join(others)}"
        for field in one.fields:
            if there := other.field(field.name):
                yield from _differences(field.schema, there.schema, f"{path}{field.name}: ")
