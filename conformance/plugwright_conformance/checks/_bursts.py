"""Check of values that all have the same time at the endpoint."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from plugwright_conformance.catalogue.check import SOURCE_ONLY, Check, Level
from plugwright_conformance.catalogue.register import registered
from plugwright_conformance.checks._stepped_tasks import PATIENCE_S, running_source
from plugwright_conformance.checks.order import continues, positions_after, reads_all
from plugwright_conformance.evidence.outcome import CheckFailedError, Evidence, NotApplicableError
from plugwright_conformance.subject.contexts import SourceContext

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plugwright.record import SourceRecord
    from plugwright_conformance.catalogue.bench import Bench

_AROUND, _AT_ONCE = 5, 250
_PLACES = (3, 80, 200)


@registered
class BurstsAreReadWhole(Check):
    """Many values of one time are all read."""

    id = "SRC-OFF-20"
    kinds = SOURCE_ONLY
    level = Level.C3
    wave = 2
    title = "Values that have the same time are all read, however many they are"
    why = "An import gives thousands of rows one time; a source that goes on by time skips most."
    mend = "Read every page of a time, and continue within it by a second, unique column."
    gate = "RESUME"
    origin = "jdbc#1093; kafka-connect-http#88; airbyte#54713"
    budget_s = 120.0

    def run(self, bench: Bench) -> Evidence:
        """Seed values one by one, many at once, and others again; read all, and resume amid."""
        ledger = bench.ledger()
        with bench.endpoint() as endpoint:
            first, crowd, last = (ledger.enter(n) for n in (_AROUND, _AT_ONCE, _AROUND))
            endpoint.driver.seed(first)
            if endpoint.driver.hook("seed_at_once", crowd) is None:
                raise NotApplicableError("the endpoint driver does not implement seed_at_once()")
            endpoint.driver.seed(last)
            values, config = [*first, *crowd, *last], bench.config(endpoint)
            records = self._read(bench, config, len(values), ())
            if not reads_all(bench, endpoint.driver, values, records):
                self._object(len(values), records, "from the start")
            for place in _PLACES:
                rest = records[place:]
                found = self._read(bench, config, len(rest), records[:place])
                if not continues(bench, rest, found):
                    self._object(len(rest), found, f"on from the offset of record {place - 1}")
        return Evidence(len(values) * (1 + len(_PLACES)))

    @staticmethod
    def _read(
        bench: Bench, config: Mapping[str, str], count: int, before: Sequence[SourceRecord]
    ) -> Sequence[SourceRecord]:
        with running_source(bench, config, SourceContext(positions_after(bench, before))) as task:
            return task.take(count, PATIENCE_S)

    @staticmethod
    def _object(count: int, found: Sequence[SourceRecord], where: str) -> NoReturn:
        missing = count - len(found)
        raise CheckFailedError(
            expected=f"{count} records",
            observed=f"{missing} of them missing" if missing > 0 else "records that differ",
            scenario=f"{_AT_ONCE} values have the same time at the endpoint; read {where}",
            likely="only the first page of a time is read, or equal times are skipped",
        )
