"""Check that a sink stores the boundary values of its types."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from plugwright.errors import DataError
from plugwright.schema import SchemaAndValue
from plugwright_conformance.catalogue.check import Check, Level
from plugwright_conformance.catalogue.register import registered
from plugwright_conformance.checks._stepped_tasks import put_all
from plugwright_conformance.checks.undeclared_types import stored
from plugwright_conformance.checks.value_types import compare, kept, scalar_values, short
from plugwright_conformance.evidence.outcome import CheckFailedError, Evidence
from plugwright_conformance.subject.contexts import sink_records
from plugwright_conformance.subject.names import HOME
from plugwright_conformance.subject.same_values import is_finite
from plugwright_conformance.subject.shape import typed_values

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plugwright.schema import Schema
    from plugwright_conformance.catalogue.bench import Bench


@registered
class SinkKeepsBoundaryValues(Check):
    """Boundary values are written unchanged."""

    id = "SNK-TYP-01"
    revision = 4
    level = Level.C2
    title = "Every declared type reads back equal over its boundary values"
    why = "Trimming and re-encoding lose data silently."
    mend = "Write values unchanged; declare what the endpoint cannot store."

    def run(self, bench: Bench) -> Evidence:
        """Put the values, flush, read back through the endpoint driver.

        Infinities and NaN may also be refused with a DataError: JSON and many systems lack them.
        """
        values = scalar_values(bench)
        declaration = bench.subject.declaration
        typed = typed_values(declaration.types, declaration.excluded_characters)
        self._put_finite(bench, [pair for pair in typed if is_finite(pair[1])])
        refused = self._put_others(bench, [pair for pair in typed if not is_finite(pair[1])])
        return Evidence(len(values), cells=kept(bench, refused))

    @staticmethod
    def _put_finite(bench: Bench, typed: Sequence[tuple[Schema, Any]]) -> None:
        values = [value for _, value in typed]
        records = sink_records(values, HOME)
        for record, (schema, value) in zip(records, typed, strict=True):
            record.value_schema, record.value = schema, value
        with bench.endpoint() as endpoint:
            put_all(bench, bench.config(endpoint), HOME, records)
            found = endpoint.driver.read_back()
        compare(bench, values, found, "put by the task, read at the endpoint")

    @staticmethod
    def _put_others(bench: Bench, typed: Sequence[tuple[Schema, Any]]) -> Mapping[str, int]:
        """Put each alone; how many of each type are refused."""
        refused: Counter[str] = Counter()
        for schema, value in typed:
            result = stored(bench, SchemaAndValue(schema, value))
            if isinstance(result.refusal, DataError) and not result.found:
                refused[schema.type.name.lower()] += 1
            elif not result.is_kept:
                raise CheckFailedError(
                    expected=f"{short(value)} stored, or a DataError and nothing stored",
                    observed=str(result),
                    scenario=f"put() of {short(value)} alone, read at the endpoint",
                    likely="the format has no such number, and another value takes its place",
                )
        return refused
