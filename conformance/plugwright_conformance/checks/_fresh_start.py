"""Check of where a source begins that has no stored offset."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright_conformance.catalogue.check import SOURCE_ONLY, Check, Level, Severity
from plugwright_conformance.catalogue.register import registered
from plugwright_conformance.checks._stepped_tasks import PATIENCE_S, has_work, running_source
from plugwright_conformance.checks.order import reads_all
from plugwright_conformance.evidence.outcome import CheckFailedError, Evidence, NotApplicableError
from plugwright_conformance.subject.contexts import SourceContext

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plugwright.record import SourceRecord
    from plugwright_conformance.catalogue.bench import Bench
    from plugwright_conformance.simulator import SteppedSource
    from plugwright_conformance.subject.endpoint import OpenEndpoint

_COUNT = 8
_IDLE = 2
_LIKELY = "the place to begin is looked up again, as long as no offset is stored"


@registered
class FreshStartIsComplete(Check):
    """Without a stored offset, a source begins where it always does."""

    id = "SRC-OFF-13"
    severity = Severity.SHOULD
    kinds = SOURCE_ONLY
    level = Level.C3
    wave = 2
    title = "No stored offset means the declared starting point"
    why = "Values from before the first stored offset are lost, and no error says so."
    mend = "Decide in start() where to begin; an endpoint that is empty then has its own beginning."
    gate = "RESUME"
    origin = "K-dev; estuary#5143"
    budget_s = 120.0

    def run(self, bench: Bench) -> Evidence:
        """Start with values there; start with none there, and add some in the same life and later.

        A source may begin with what comes after its start. Then only that is looked for.
        """
        with bench.endpoint() as endpoint:
            moved, earliest = self._with_values(bench, endpoint)
        for restarted in (False, True) if earliest else (False,):
            with bench.endpoint() as endpoint:
                if has_work(bench, bench.config(endpoint)):
                    moved += self._without_values(bench, endpoint, restarted=restarted)
        return Evidence(moved)

    @staticmethod
    def _with_values(bench: Bench, endpoint: OpenEndpoint) -> tuple[int, bool]:
        """How many values a task has read, and whether those that were there are among them."""
        ledger = bench.ledger()
        before, later = ledger.enter(_COUNT), ledger.enter(_COUNT)
        endpoint.driver.seed(before)
        with running_source(bench, bench.config(endpoint), SourceContext()) as task:
            records = _read(task, _COUNT)
            if records:
                _require(bench, endpoint, before, records, f"{_COUNT} values were there")
                return _COUNT, True
            endpoint.driver.seed(later)
            records = _read(task, _COUNT)
        if not records:
            raise NotApplicableError("the source returns neither what is there nor what comes")
        _require(bench, endpoint, later, records, "none of those that were there, then the next")
        return _COUNT, False

    @staticmethod
    def _without_values(bench: Bench, endpoint: OpenEndpoint, *, restarted: bool) -> int:
        """Start a task that has nothing to read, and let values come; how many it has read."""
        values, config = bench.ledger().enter(_COUNT), bench.config(endpoint)
        scenario = "none were there; after idle polls there were"
        with running_source(bench, config, SourceContext(), settled=True) as task:
            for _ in range(_IDLE):
                task.step()
            if not restarted:
                endpoint.driver.seed(values)
                records = _read(task, _COUNT)
        if restarted:
            scenario = "none were there; the task was stopped, and started again when there were"
            endpoint.driver.seed(values)
            with running_source(bench, config, SourceContext()) as task:
                records = _read(task, _COUNT)
        _require(bench, endpoint, values, records, scenario)
        return _COUNT


def _read(task: SteppedSource, count: int) -> Sequence[SourceRecord]:
    return task.take(count, PATIENCE_S)


def _require(
    bench: Bench,
    endpoint: OpenEndpoint,
    values: Sequence[str],
    records: Sequence[SourceRecord],
    scenario: str,
) -> None:
    """All the values are there, in the order that is promised.

    Raises:
        CheckFailedError: if they are not.
    """
    if reads_all(bench, endpoint.driver, values, records):
        return
    first = endpoint.driver.seeded(records[0].value) if records else "nothing"
    raise CheckFailedError(
        expected=f"{len(values)} values, from the first one on",
        observed=f"{len(records)} records, first {str(first)[:30]!r}",
        scenario=f"no stored offset; {scenario}",
        likely=_LIKELY,
    )
