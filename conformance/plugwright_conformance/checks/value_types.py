"""Checks of boundary values, and of records that stay unchanged."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from plugwright_conformance.catalogue.check import Check, Level
from plugwright_conformance.catalogue.register import registered
from plugwright_conformance.checks._stepped_tasks import poll_values, put_all, running_source
from plugwright_conformance.checks.order import arranged
from plugwright_conformance.evidence.outcome import (
    CheckFailedError,
    Evidence,
    NotApplicableError,
    NotRunError,
    TableCell,
)
from plugwright_conformance.subject.boundaries import boundary_values
from plugwright_conformance.subject.contexts import SourceContext, sink_records
from plugwright_conformance.subject.names import HOME
from plugwright_conformance.subject.same_values import same

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plugwright.record import ConnectRecord
    from plugwright_conformance.catalogue.bench import Bench

_FEW = 12
_NONE_REFUSED: Mapping[str, int] = MappingProxyType({})


def scalar_values(bench: Bench) -> list[Any]:
    """The edges of every declared type of a single value.

    Raises:
        NotApplicableError: if every value is a row.
        NotRunError: if a declared type is none that the suite has values of.
    """
    declaration = bench.subject.declaration
    if not declaration.types:
        raise NotApplicableError("the plugin declares fields and no types: every value is a row")
    try:
        return [
            value
            for kind in declaration.types
            for value in boundary_values(kind, declaration.excluded_characters)
        ]
    except KeyError as error:
        raise NotRunError(f"the suite has no boundary values for {error}") from error


def kept(bench: Bench, refused: Mapping[str, int] = _NONE_REFUSED) -> list[TableCell]:
    """The cells of the report's type table when all values are unchanged, or refused.

    Args:
        bench: of the check.
        refused: how many values of a type are refused.
    """
    declaration = bench.subject.declaration
    cells = []
    for kind in declaration.types:
        if values := boundary_values(kind, declaration.excluded_characters):
            count = refused.get(kind, 0)
            text = f"{len(values) - count} kept" + (f", {count} refused" if count else "")
            cells.append(TableCell("types", kind, "values", text))
    return cells


def compare(bench: Bench, expected: Sequence[object], found: Sequence[object], where: str) -> None:
    """Insist on equal values, in type, and in the order that the plugin promises."""
    found = arranged(bench, expected, found)
    for number, (value, seen) in enumerate(zip(expected, found, strict=False)):
        if not same(value, seen):
            raise CheckFailedError(
                expected=f"value {number}: {short(value)}",
                observed=short(seen),
                scenario=where,
                likely="a value is trimmed, re-encoded or converted",
            )
    if len(found) > len(expected):
        raise CheckFailedError(
            expected=f"{len(expected)} values",
            observed=f"{len(found)}, first surplus {short(found[len(expected)])}",
            scenario=where,
        )


def short(value: object) -> str:
    """A value on one line."""
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:60]}… ({len(text)} characters)"  # noqa: PLR2004  # fits a line


@registered
class SourceKeepsBoundaryValues(Check):
    """Boundary values are read unchanged."""

    id = "SRC-TYP-02"
    revision = 4
    level = Level.C2
    title = "Every declared type survives its boundary values, from the endpoint to the record"
    why = "Trimming and re-encoding lose data silently."
    mend = "Pass values through unchanged; declare what the endpoint cannot store."

    def run(self, bench: Bench) -> Evidence:
        """Seed the endpoint directly, poll, compare typed values."""
        values = scalar_values(bench)
        with bench.endpoint() as endpoint:
            endpoint.driver.seed(values)
            config = bench.config(endpoint)
            with running_source(bench, config, SourceContext()) as task:
                records = poll_values(task, len(values))
                found = [endpoint.driver.seeded(record.value) for record in records]
        compare(bench, values, found, "seeded at the endpoint, polled by the task")
        few = [value for value in values if len(str(value)) < _FEW][:_FEW]
        self._one_by_one(bench, few)
        return Evidence(len(values) + len(few), cells=kept(bench))

    @staticmethod
    def _one_by_one(bench: Bench, values: Sequence[Any]) -> None:
        """Seed each value as the only one that is new, and the last one that there is."""
        with bench.endpoint() as endpoint:
            endpoint.driver.seed(values)  # so that every place has something
            with running_source(bench, bench.config(endpoint), SourceContext()) as task:
                poll_values(task, len(values))
                for value in values:
                    endpoint.driver.seed([value])
                    try:
                        records = poll_values(task, 1, settle=False)
                    except CheckFailedError as error:
                        raise CheckFailedError(
                            expected=f"{short(value)}, which is the last value",
                            observed=f"{error.observed}: values are lost",
                            scenario="each value seeded after the previous ones had arrived",
                        ) from error
                    found = [endpoint.driver.seeded(record.value) for record in records]
                    compare(bench, [value], found, "each seeded after the previous ones arrived")


def _snapshot(records: Sequence[ConnectRecord]) -> list[str]:
    return [repr(record) for record in records]


def around(text: str, other: str) -> str:
    """The part of a text where it begins to differ from another."""
    differing = (n for n, (a, b) in enumerate(zip(text, other, strict=False)) if a != b)
    start = max(next(differing, min(len(text), len(other))) - 40, 0)
    return f"{'…' if start else ''}{text[start : start + 120]}"


@registered
class ReturnedRecordsAreNotReused(Check):
    """Returned records stay unchanged."""

    id = "SRC-TYP-07"
    level = Level.C2
    title = "Returned records are not reused or modified"
    why = "Records wait in buffers while the task polls again; a reused one is delivered twice."
    mend = "Create a new record, and new maps, for each value."

    def run(self, bench: Bench) -> Evidence:
        """Remember every record, poll on, compare."""
        count = 40
        with bench.endpoint() as endpoint:
            ledger = bench.ledger()
            endpoint.driver.seed(ledger.enter(count))
            config = bench.config(endpoint)
            with running_source(bench, config, SourceContext()) as task:
                records = poll_values(task, count)
                before = _snapshot(records)
                endpoint.driver.seed(ledger.enter(count))
                poll_values(task, count)
                after = _snapshot(records)
        if len({id(record) for record in records}) != len(records):
            raise CheckFailedError(
                expected="a separate object for each record", observed="one object several times"
            )
        for number, (was, now) in enumerate(zip(before, after, strict=True)):
            if was != now:
                raise CheckFailedError(
                    expected=f"record {number} as returned: {around(was, now)}",
                    observed=f"after later polls: {around(now, was)}",
                    likely="one map or record object is reused",
                )
        return Evidence(count)


@registered
class InputIsNotChanged(Check):
    """Records passed to the task stay unchanged."""

    id = "SNK-TYP-10"
    level = Level.C2
    title = "Input records are not modified"
    why = "Retries and the dead-letter queue need the original record."
    mend = "Copy a record, for example with new_record(), before you change it."

    def run(self, bench: Bench) -> Evidence:
        """Compare the records before put and after flush."""
        count = 40
        with bench.endpoint() as endpoint:
            keyed = bench.subject.declaration.needs_keys
            records = sink_records(bench.ledger().enter(count), HOME, keyed=keyed)
            for record in records:
                bench.subject.declaration.record_form.give(record, HOME, record.kafka_offset)
            before = _snapshot(records)
            put_all(bench, bench.config(endpoint), HOME, records)
            after = _snapshot(records)
        for number, (was, now) in enumerate(zip(before, after, strict=True)):
            if was != now:
                raise CheckFailedError(
                    expected=f"record {number} as given: {around(was, now)}",
                    observed=f"after put and flush: {around(now, was)}",
                )
        return Evidence(count)
