"""Check that a record is the same each time it is read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from plugwright_conformance.catalogue.check import SOURCE_ONLY, Check
from plugwright_conformance.catalogue.register import registered
from plugwright_conformance.checks._stepped_tasks import PATIENCE_S, running_source, seeds
from plugwright_conformance.checks.order import positions_after
from plugwright_conformance.checks.value_types import around
from plugwright_conformance.evidence.outcome import (
    CheckFailedError,
    Evidence,
    Level,
    NotApplicableError,
    Severity,
)
from plugwright_conformance.subject.contexts import SourceContext

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plugwright.record import SourceRecord
    from plugwright_conformance.catalogue.bench import Bench

_COUNT = 24
_PLACES = (1, 5, 11, 18)

_Parts = dict[str, str]


@registered
class ReadAgainRecordsAreTheSame(Check):
    """Records read again after a resume have the same key, headers, timestamp and topic."""

    id = "SRC-OFF-18"
    severity = Severity.SHOULD
    kinds = SOURCE_ONLY
    level = Level.C3
    wave = 2
    title = "Key, headers, timestamp and topic of a record are the same when it is read again"
    why = "With another key, a row delivered again becomes a second row, in another partition."
    mend = "Derive key, headers and timestamp from the row itself, not from the rows before it."
    gate = "RESUME"
    origin = "NEW"

    def run(self, bench: Bench) -> Evidence:
        """Read everything, then resume from several positions, then read everything again.

        Parts that differ between the two full reads, such as the time of reading, are ignored.
        """
        with bench.endpoint() as endpoint:
            endpoint.driver.seed(seeds(bench, _COUNT))
            config = bench.config(endpoint)
            first = self._read(bench, config, _COUNT, ())
            places = [place for place in _PLACES if place < len(first)]
            later = {
                n: self._read(bench, config, len(first) - n, positions_after(bench, first[:n]))
                for n in places
            }
            last = _by_value(self._read(bench, config, len(first), ()))
        before = _by_value(first)
        if not places or before.keys() != last.keys():
            raise NotApplicableError("what is read differs from one reading to the next")
        volatile = {part for value in before for part in _changed(before[value], last[value])}
        compared = 0
        for place, records in later.items():
            for value, parts in _by_value(records).items():
                self._compare(place, before.get(value, parts), parts, volatile)
                compared += 1
        return Evidence(compared, figures={"of_the_moment": len(volatile)})

    @staticmethod
    def _read(
        bench: Bench,
        config: Mapping[str, str],
        count: int,
        stored: Sequence[tuple[Mapping[str, Any], Mapping[str, Any]]],
    ) -> Sequence[SourceRecord]:
        with running_source(bench, config, SourceContext(stored)) as task:
            return task.take(count, PATIENCE_S, surplus=False, answering=False)

    @staticmethod
    def _compare(place: int, before: _Parts, now: _Parts, volatile: set[str]) -> None:
        for part in _changed(before, now):
            if part not in volatile:
                one, other = before.get(part, "none"), now.get(part, "none")
                raise CheckFailedError(
                    expected=f"{part} {around(one, other)}, as before",
                    observed=around(other, one),
                    scenario="read from the start, and again after a resume from the offset of "
                    f"record {place - 1}",
                    likely=f"the {part} is that of another record, or depends on those before it",
                )


def _by_value(records: Sequence[SourceRecord]) -> Mapping[str, _Parts]:
    """The parts of each record by its value; values are unique."""
    return {repr(record.value): _parts(record) for record in records}


def _parts(record: SourceRecord) -> _Parts:
    parts = {
        "topic": repr(record.topic),
        "partition": repr(record.kafka_partition),
        "key": repr(record.key),
        "timestamp": repr(record.timestamp),
    }
    for header in record.headers:
        name = f"header {header.key}"
        parts[name] = f"{parts[name]}, {header.value!r}" if name in parts else repr(header.value)
    return parts


def _changed(before: _Parts, now: _Parts) -> Sequence[str]:
    """The names of the parts that differ, in order."""
    names = [*before, *(name for name in now if name not in before)]
    return [name for name in names if before.get(name) != now.get(name)]
