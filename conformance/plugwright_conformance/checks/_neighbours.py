"""Check of two connectors of one plugin in one worker."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, NamedTuple

from plugwright_conformance.catalogue.check import Check, Level
from plugwright_conformance.catalogue.register import registered
from plugwright_conformance.checks._stepped_tasks import PATIENCE_S, running_sink, running_source
from plugwright_conformance.evidence.outcome import CheckFailedError, Evidence, NotRunError
from plugwright_conformance.simulator import take_from_all
from plugwright_conformance.subject.contexts import SourceContext, sink_records
from plugwright_conformance.subject.endpoint import EndpointError
from plugwright_conformance.subject.names import HOME

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from plugwright_conformance.catalogue.bench import Bench
    from plugwright_conformance.subject.endpoint import OpenEndpoint

_COUNT = 10
_APART = "the endpoint driver does not provide two separate endpoints"


class _Side(NamedTuple):
    """One of two connectors: its endpoint, what goes through it first, and what later."""

    endpoint: OpenEndpoint
    values: Sequence[str]
    more: Sequence[str]


@registered
class InstancesDoNotInterfere(Check):
    """Connectors of one plugin do not share settings, connections or state."""

    id = "CON-LIF-08"
    level = Level.C2
    wave = 2
    title = "Two instances with different settings do not interfere"
    why = "Workers run several connectors of one plugin; shared state belongs to the last one."
    mend = "Keep settings, clients and positions in instance attributes, not in the class."
    origin = "cloudant#40"

    def run(self, bench: Bench) -> Evidence:
        """Run two tasks with an endpoint each by turns, stop one, and go on with the other."""
        with ExitStack() as stack:
            try:
                both = [stack.enter_context(bench.endpoint()) for _ in range(2)]
            except EndpointError as error:
                raise NotRunError(f"{_APART}: {error}") from error
            ledger = bench.ledger()
            first, second = (_Side(e, ledger.enter(_COUNT), ledger.enter(_COUNT)) for e in both)
            if bench.subject.kind == "source":
                self._read(bench, first, second)
            else:
                self._write(bench, first, second)
        return Evidence(3 * _COUNT)

    def _read(self, bench: Bench, first: _Side, second: _Side) -> None:
        first.endpoint.driver.seed(first.values)
        if set(second.endpoint.driver.read_back()) & set(first.values):
            raise NotRunError(_APART)
        second.endpoint.driver.seed(second.values)
        with running_source(bench, bench.config(first.endpoint), SourceContext()) as stays:
            with running_source(bench, bench.config(second.endpoint), SourceContext()) as goes:
                mine, other = take_from_all([stays, goes], 2 * _COUNT, PATIENCE_S)
            first.endpoint.driver.seed(first.more)
            mine += stays.take(_COUNT, PATIENCE_S)
            seeded = first.endpoint.driver.seeded
            self._compare([*first.values, *first.more], (seeded(r.value) for r in mine), "first")
            seeded = second.endpoint.driver.seeded
            self._compare(second.values, (seeded(r.value) for r in other), "second")

    def _write(self, bench: Bench, first: _Side, second: _Side) -> None:
        keyed = bench.subject.declaration.needs_keys
        with running_sink(bench, bench.config(first.endpoint), [HOME]) as stays:
            with running_sink(bench, bench.config(second.endpoint), [HOME]) as goes:
                stays.put(sink_records(first.values, HOME, keyed=keyed))
                goes.put(sink_records(second.values, HOME, keyed=keyed))
                goes.commit()
            stays.put(sink_records(first.more, HOME, first_offset=_COUNT, keyed=keyed))
            stays.commit()
        mine = first.endpoint.driver.read_back()
        if set(mine) >= {*first.values, *second.values} and mine == list(
            second.endpoint.driver.read_back()
        ):
            raise NotRunError(_APART)
        self._compare([*first.values, *first.more], mine, "first")
        self._compare(second.values, second.endpoint.driver.read_back(), "second")

    @staticmethod
    def _compare(expected: Iterable[str], found: Iterable[str], which: str) -> None:
        wanted, there = sorted(expected, key=repr), sorted(found, key=repr)
        if wanted != there:
            strange = len(set(there) - set(wanted))
            raise CheckFailedError(
                expected=f"the {len(wanted)} values of the {which} connector, and no others",
                observed=f"{len(there)} values, {strange} of them foreign or unknown",
                scenario="two connectors with an endpoint each; the second was stopped first",
                likely="settings or a connection are stored in the class or the module",
            )
