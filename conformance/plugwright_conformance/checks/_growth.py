"""Check that a task's memory does not grow with every record."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from plugwright_conformance.catalogue.check import Check
from plugwright_conformance.catalogue.register import registered
from plugwright_conformance.checks._stepped_tasks import (
    PATIENCE_S,
    running_sink,
    running_source,
    seeds,
)
from plugwright_conformance.evidence.outcome import (
    CheckFailedError,
    Evidence,
    Level,
    NotRunError,
    Severity,
)
from plugwright_conformance.subject.contexts import SourceContext, sink_records
from plugwright_conformance.subject.names import HOME
from plugwright_conformance.subject.retained import Kept, kept_by, names_pruned

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plugwright_conformance.catalogue.bench import Bench
    from plugwright_conformance.simulator import SteppedSink, SteppedSource

_FIRST, _ROUND = 20, 120
_IDLE = 3


@registered
class MemoryIsBounded(Check):
    """The task keeps nothing about records that are already committed."""

    id = "CON-RES-12"
    severity = Severity.SHOULD
    level = Level.C3
    wave = 2
    title = "Memory of a task does not grow with every record"
    why = "One entry per record fills the memory within weeks, and the process is killed."
    mend = "Remove entries once they are committed, or keep one position per partition."
    origin = "redis-kafka-connect#54; kafka-connect-elasticsearch#446"

    def run(self, bench: Bench) -> Evidence:
        """Move values in rounds; look for containers that grow by one element per value.

        Everything is acknowledged or committed before the containers are counted. Containers that
        the plugin's code removes elements from are skipped: they may have a higher limit.
        """
        with bench.endpoint() as endpoint:
            config = bench.config(endpoint)
            if bench.subject.kind == "source":
                endpoint.driver.seed(seeds(bench, _FIRST))
                with running_source(bench, config, SourceContext(), settled=True) as source:
                    self._read(source, _FIRST)
                    rounds = [self._kept(bench, source)]
                    for _ in range(2):
                        endpoint.driver.seed(seeds(bench, _ROUND))
                        streams = self._read(source, _ROUND)
                        rounds.append(self._kept(bench, source))
            else:
                streams = 0
                with running_sink(bench, config, [HOME]) as sink:
                    rounds = self._written(bench, sink)
        self._judge(bench, rounds, streams)
        return Evidence(_FIRST + 2 * _ROUND, figures={"containers": len(rounds[-1])})

    @staticmethod
    def _read(source: SteppedSource, count: int) -> int:
        """Read, acknowledge, poll idly; return the number of source partitions."""
        records = source.take(count, PATIENCE_S)
        if len(records) < count:
            raise NotRunError(f"{len(records)} of {count} values arrived")
        source.acknowledge()
        for _ in range(_IDLE):
            source.step()
        return len({repr(record.source_partition) for record in records})

    def _written(self, bench: Bench, sink: SteppedSink) -> list[Mapping[int, Kept]]:
        rounds, first = [], 0
        for count in (_FIRST, _ROUND, _ROUND):
            sink.put(sink_records(bench.ledger().enter(count), HOME, first_offset=first))
            first += count
            sink.commit()
            rounds.append(self._kept(bench, sink))
        return rounds

    @staticmethod
    def _kept(bench: Bench, stepped: SteppedSource | SteppedSink) -> Mapping[int, Kept]:
        return kept_by(stepped.task, bench.subject.root)

    @staticmethod
    def _judge(bench: Bench, rounds: Sequence[Mapping[int, Kept]], streams: int) -> None:
        """Fail for a container that grew by half a round or more in both rounds."""
        first, second, third = rounds
        grown = [
            kept
            for key, kept in third.items()
            if key in first
            and key in second
            and kept.size - second[key].size >= streams + _ROUND // 2
            and second[key].size - first[key].size >= streams + _ROUND // 2
        ]
        if not grown:
            return
        pruned: Any = names_pruned(bench.subject.root)
        for kept in grown:
            if kept.name not in pruned:
                sizes = [found[id(kept.container)].size for found in rounds]
                raise CheckFailedError(
                    expected="as much kept as before, or removed at some time",
                    observed=f"{kept.name} had {sizes[0]}, then {sizes[1]}, then {sizes[2]} "
                    "elements, and nothing is ever taken out of it",
                    scenario=f"{_FIRST} values, {_ROUND} more and {_ROUND} more; all of them done",
                    likely="every record leaves an entry that stays until the task stops",
                )
