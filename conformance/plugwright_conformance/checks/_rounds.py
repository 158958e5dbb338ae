"""Check of offsets over several rounds of reading."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright_conformance.catalogue.check import Check
from plugwright_conformance.catalogue.register import registered
from plugwright_conformance.checks._stepped_tasks import poll_values, running_source
from plugwright_conformance.checks.order import continues, positions_after
from plugwright_conformance.evidence.outcome import CheckFailedError, Evidence, Level
from plugwright_conformance.subject.contexts import SourceContext

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plugwright.record import SourceRecord
    from plugwright_conformance.catalogue.bench import Bench

_ROUNDS, _COUNT = 3, 8


@registered
class OffsetsGoForward(Check):
    """Offsets increase over several rounds of reading."""

    id = "SRC-OFF-07"
    level = Level.C3
    wave = 2
    title = "Offsets never move back within a partition"
    why = "The last stored offset counts; if it is an earlier position, records are repeated."
    mend = "Count from the start of the data, not from the start of a query or a task."
    gate = "RESUME"
    origin = "K-dev; NEW"
    budget_s = 180.0

    def run(self, bench: Bench) -> Evidence:
        """Read in rounds, as data come in; resume at the begin and the end of each round."""
        with bench.endpoint() as endpoint:
            ledger, config = bench.ledger(), bench.config(endpoint)
            records: list[SourceRecord] = []
            endpoint.driver.seed(ledger.enter(_COUNT))
            with running_source(bench, config, SourceContext()) as task:
                records += poll_values(task, _COUNT)
                for _ in range(_ROUNDS - 1):
                    endpoint.driver.seed(ledger.enter(_COUNT))
                    records += poll_values(task, _COUNT)
            places = [
                place
                for begin in range(0, len(records), _COUNT)
                for place in (begin, begin + _COUNT - 1)
            ]
            for place in places:
                self._resume(bench, config, records, place)
        return Evidence(len(places))

    @staticmethod
    def _resume(
        bench: Bench, config: Mapping[str, str], records: Sequence[SourceRecord], place: int
    ) -> None:
        rest = records[place + 1 :]
        with running_source(
            bench, config, SourceContext(positions_after(bench, records[: place + 1]))
        ) as task:
            try:
                found, said = poll_values(task, len(rest)), ""
            except CheckFailedError as error:
                found, said = [], error.observed
        if not continues(bench, rest, found):
            raise CheckFailedError(
                expected=f"the {len(rest)} records after it, and none before it",
                observed=said or f"{len(found)} records that differ",
                scenario=f"resumed from the offset of record {place}, of {_ROUNDS} rounds of "
                f"{_COUNT}",
                likely="offsets are counted from the last query, or from the start of the task",
            )
