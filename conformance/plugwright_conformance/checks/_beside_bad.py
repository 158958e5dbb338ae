"""Check of the records that share a batch with one that cannot be written."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from plugwright.schema import OPTIONAL_STRING_SCHEMA, SchemaAndValue
from plugwright_conformance.catalogue.check import SINK_ONLY, Check, Level, Severity
from plugwright_conformance.catalogue.register import registered
from plugwright_conformance.checks._poison import WITH_QUEUE
from plugwright_conformance.checks._stepped_tasks import running_sink
from plugwright_conformance.checks.undeclared_types import undeclared_value
from plugwright_conformance.checks.value_types import short
from plugwright_conformance.evidence.outcome import CheckFailedError, Evidence, NotApplicableError
from plugwright_conformance.subject.contexts import sink_records
from plugwright_conformance.subject.names import HOME

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from plugwright_conformance.catalogue.bench import Bench

_PLAIN = 5
_PLACE = 3
_ODD = ("", "cafe\u0301", " padded\t", None)
"""Texts that slower code for single records likes to change: composed, stripped, taken for null."""


class _Batch(NamedTuple):
    """What came of a batch.

    Attributes:
        error: the name of the error that ended it; maybe empty.
        reported: how many records were reported.
        rows: at the endpoint.
    """

    error: str
    reported: int
    rows: Counter[str]


@registered
class NeighboursOfBadRecords(Check):
    """A record that cannot be written changes nothing for those of its batch."""

    id = "SNK-ERR-13"
    severity = Severity.SHOULD
    kinds = SINK_ONLY
    level = Level.C3
    wave = 3
    title = "Records beside a reported one are written as without it"
    why = (
        "A batch with a bad record often goes another way, record by record, which few tests take."
    )
    mend = "Write the good records of such a batch once, by the code that writes any other."
    gate = "DLQ"
    origin = "NEW"

    def run(self, bench: Bench) -> Evidence:
        """Write a batch with and without a bad record to new endpoints, and compare these."""
        values, alone = self._accepted(bench)
        observed = 0
        for name, bad in _bad_values(bench):
            beside = _written(bench, values, bad)
            if beside.reported and not beside.error:
                _require_same(alone, beside, name)
                observed += len(values)
        if not observed:
            raise NotApplicableError("no record was reported")
        return Evidence(observed)

    @staticmethod
    def _accepted(bench: Bench) -> tuple[Sequence[str | None], _Batch]:
        """Texts that the sink writes, odd ones too if it can, and what comes of them."""
        texts = bench.ledger().enter(_PLAIN)
        odd = [*texts, texts[1], *_ODD]
        found = _written(bench, odd)
        if found.error or found.reported:
            return texts, _written(bench, texts)
        return odd, found


def _bad_values(bench: Bench) -> Iterator[tuple[str, SchemaAndValue]]:
    yield "a value of an undeclared type", undeclared_value(bench)
    if bench.subject.declaration.record_form.rows is None:
        yield "a text with half a surrogate pair", SchemaAndValue(OPTIONAL_STRING_SCHEMA, "\ud800")


def _written(
    bench: Bench, values: Sequence[str | None], bad: SchemaAndValue | None = None
) -> _Batch:
    """Put values as one batch, with a bad one in their midst, into a new endpoint.

    Without it its offset is missing, so that the others have the same keys and offsets.
    """
    given = [*values[:_PLACE], None, *values[_PLACE:]]
    records = sink_records(given, HOME, keyed=bench.subject.declaration.needs_keys)
    if bad is None:
        del records[_PLACE]
    else:
        records[_PLACE].value_schema, records[_PLACE].value = bad
    with bench.endpoint() as endpoint:
        error, reported = "", 0
        config = bench.config(endpoint)
        try:
            with running_sink(bench, config, [HOME], batch=len(records), errors=WITH_QUEUE) as sink:
                sink.put(records, spaced=True)
                sink.commit()
                reported = sink.reported
        except Exception as refusal:  # noqa: BLE001  # what a sink may raise is for other checks
            error = type(refusal).__name__
        return _Batch(error, reported, Counter(map(repr, endpoint.driver.read_rows())))


def _require_same(alone: _Batch, beside: _Batch, name: str) -> None:
    missing, extra = alone.rows - beside.rows, beside.rows - alone.rows
    if missing or extra:
        raise CheckFailedError(
            expected=f"the {alone.rows.total()} values that are there without it",
            observed=f"{extra.total()} more, and {missing.total()} missing"
            + "".join(f"; first {short(each)}" for each in [*missing, *extra][:1]),
            scenario=f"{name} in a batch, reported to the dead-letter queue",
            likely="the records of such a batch are written one by one, by other code",
        )
