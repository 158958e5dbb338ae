"""Check that an idle connector writes nothing."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from plugwright_conformance.catalogue.check import Check
from plugwright_conformance.catalogue.register import registered
from plugwright_conformance.checks._stepped_tasks import (
    PATIENCE_S,
    has_work,
    running_sink,
    running_source,
    seeds,
)
from plugwright_conformance.evidence.outcome import (
    CheckFailedError,
    Evidence,
    Level,
)
from plugwright_conformance.subject.contexts import SourceContext, sink_records
from plugwright_conformance.subject.names import HOME

if TYPE_CHECKING:
    from collections.abc import Iterable

    from plugwright_conformance.catalogue.bench import Bench
    from plugwright_conformance.simulator import SteppedSink

_TURNS, _POLLS = 20, 4  # a poll without data may wait
_VALUES = 3


@registered
class IdleBatchesAreHarmless(Check):
    """Without data nothing is written and no offset changes."""

    id = "CON-SPK-10"
    revision = 3
    level = Level.C2
    title = "Empty micro-batches are harmless"
    why = "Many topics are idle most of the time; a marker per empty batch fills the target."
    mend = "Return early if there are no records."
    origin = "SPK"
    budget_s = 60.0

    def run(self, bench: Bench) -> Evidence:
        """Have a worker's loop go round without data, for a sink before and after some records."""
        if bench.subject.kind == "source":
            self._idle_source(bench)
            return Evidence(_POLLS)
        self._idle_sink(bench)
        return Evidence(2 * _TURNS)

    @staticmethod
    def _idle_source(bench: Bench) -> None:
        with bench.endpoint() as endpoint:
            config = bench.config(endpoint)
            seeded = [] if has_work(bench, config) else seeds(bench, _VALUES)
            endpoint.driver.seed(seeded)
            with running_source(bench, config, SourceContext()) as task:
                known = [record.value for record in task.take(len(seeded), PATIENCE_S)]
                for _ in range(_POLLS):
                    task.step()
                    task.acknowledge()
                found = [record.value for record in task.taken()]
        if seeded:  # what a source adds of its own may come late, but no value comes again
            found = [value for value in found if value in known]
        _require_nothing(found, "after all values" if seeded else "no data yet", _POLLS)

    @staticmethod
    def _idle_sink(bench: Bench) -> None:
        with bench.endpoint() as endpoint:
            driver = endpoint.driver
            with running_sink(bench, bench.config(endpoint), [HOME]) as task:
                stored = Counter(driver.read_back())
                _idle(task)
                _require_nothing(
                    (Counter(driver.read_back()) - stored).elements(), "no data yet", _TURNS
                )
                values = bench.ledger().enter(_VALUES)
                task.put(sink_records(values, HOME))
                task.commit()
                stored, offset = Counter(driver.read_back()), task.committed(HOME)
                _idle(task)
                surplus = Counter(driver.read_back()) - stored - (Counter(values) - stored)
                _require_nothing(surplus.elements(), "after some records", _TURNS)
                _require_offset(task.committed(HOME), offset)


def _idle(task: SteppedSink) -> None:
    for _ in range(_TURNS):
        task.step()
        task.ask()


def _require_nothing(surplus: Iterable[Any], when: str, turns: int) -> None:
    written = list(surplus)
    if written:
        raise CheckFailedError(
            expected="nothing written",
            observed=f"{len(written)} values, first {str(written[0])[:60]!r}",
            scenario=f"{turns} turns of a worker without data, {when}",
            likely="a call without records has an effect",
        )


def _require_offset(committed: int, offset: int) -> None:
    if offset == _VALUES != committed:
        raise CheckFailedError(
            expected=f"the committed offset {offset}, unchanged",
            observed=str(committed),
            scenario=f"{_TURNS} turns of a worker without data, after some records",
            likely="pre_commit() counts calls, or returns what it was never given",
        )
