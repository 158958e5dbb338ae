"""Check that a source returns no more at once than it declares."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright_conformance.catalogue.check import SOURCE_ONLY, Check, Level, Severity
from plugwright_conformance.catalogue.register import registered
from plugwright_conformance.checks._stepped_tasks import PATIENCE_S, running_source, seeds
from plugwright_conformance.evidence.outcome import (
    CheckFailedError,
    Evidence,
    NotApplicableError,
    NotRunError,
)
from plugwright_conformance.subject.contexts import SourceContext
from plugwright_conformance.subject.declared_keys import MOST_SEEDED

if TYPE_CHECKING:
    from collections.abc import Iterator

    from plugwright_conformance.catalogue.bench import Bench
    from plugwright_conformance.simulator import SteppedSource

_TIMES = 3
"""So many of the largest batches wait, as long as that is not too much to seed."""


@registered
class PollBatchesAreBounded(Check):
    """One poll() returns no more records than declared, however many wait."""

    id = "CON-RES-06"
    severity = Severity.SHOULD
    kinds = SOURCE_ONLY
    level = Level.C3
    wave = 2
    title = "Poll batches are bounded"
    why = "A backlog that one poll() returns as a whole fills the memory of the worker."
    mend = "End a batch after a number of records, and go on from there in the next poll()."
    origin = "FAU; KAFKA-4335"
    budget_s = 120.0

    def run(self, bench: Bench) -> Evidence:
        """Let more values wait than the declared maximum; count what each poll() returns."""
        most = bench.subject.declaration.max_poll_records
        if most is None:
            raise NotApplicableError("max_poll_records is not declared")
        count = min(_TIMES * most, MOST_SEEDED)
        with bench.endpoint() as endpoint:
            endpoint.driver.seed(seeds(bench, count))
            with running_source(bench, bench.config(endpoint), SourceContext()) as task:
                batches = list(_batches(task, count))
        largest = max(batches, default=0)
        if largest > most:
            raise CheckFailedError(
                expected=f"at most {most:,} records from one poll()",
                observed=f"{largest:,} records",
                scenario=f"{count:,} values wait, and max_poll_records = {most}",
                likely="poll() returns everything that is there",
            )
        if sum(batches) < count:
            raise NotRunError(f"{sum(batches):,} of {count:,} values arrived")
        return Evidence(len(batches), figures={"values": count, "largest": largest})


def _batches(task: SteppedSource, count: int) -> Iterator[int]:
    """The size of each batch, until so many records have come or nothing more comes."""
    while count > 0 and (batch := len(task.take(1, PATIENCE_S, surplus=False))):
        count -= batch
        yield batch
