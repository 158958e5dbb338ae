"""Checks of revoked and of remaining partitions of a sink task."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from plugwright.record import TopicPartition
from plugwright_conformance.catalogue.check import Check, Level
from plugwright_conformance.catalogue.register import registered
from plugwright_conformance.checks._stepped_tasks import running_sink
from plugwright_conformance.evidence.outcome import CheckFailedError, Evidence, NotApplicableError
from plugwright_conformance.subject.contexts import sink_records
from plugwright_conformance.subject.names import TOPIC

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plugwright.record import SinkRecord
    from plugwright_conformance.catalogue.bench import Bench
    from plugwright_conformance.simulator import SteppedSink

_FEW = 5
_BATCHES = (3, 1, 6, 2)
_NO_PROMISE = "the task returns no offsets from pre_commit()"


def _highest(sink: SteppedSink, home: TopicPartition) -> int:
    """The highest offset that the task has promised for a partition."""
    return max((promise.offsets.get(home, 0) for promise in sink.promises), default=0)


@registered
class OthersKeepTheirBuffers(Check):
    """Revoking one partition does not affect the others."""

    id = "SNK-REB-01"
    revision = 2
    level = Level.C4
    wave = 2
    title = "close() affects only the named partitions"
    why = "Cooperative rebalancing revokes single partitions; buffers of the others must survive."
    mend = "Buffer by partition, and let close() discard only the named ones."
    origin = "storage-cloud#439; storage-cloud#950"

    def run(self, bench: Bench) -> Evidence:
        """Take one of three partitions away, go on with the others, and compare what is there."""
        homes = [TopicPartition(TOPIC, number) for number in range(3)]
        *stay, leaves = homes
        values = {home: bench.ledger().enter(2 * _FEW) for home in homes}
        with bench.endpoint() as endpoint:
            with running_sink(bench, bench.config(endpoint), homes) as sink:
                for home in homes:
                    sink.put(sink_records(values[home][:_FEW], home))
                sink.revoke(leaves)
                for home in stay:
                    sink.put(sink_records(values[home][_FEW:], home, first_offset=_FEW))
                sink.commit()
            found = set(endpoint.driver.read_back())
            promised = {home: _highest(sink, home) for home in stay}
        if not any(promised.values()):
            raise NotApplicableError(_NO_PROMISE)
        for home, end in promised.items():
            self._must_be_there(home, values[home][:end], found)
        return Evidence(sum(promised.values()))

    @staticmethod
    def _must_be_there(home: TopicPartition, committed: Sequence[str], found: set[str]) -> None:
        if gone := [value for value in committed if value not in found]:
            raise CheckFailedError(
                expected=f"the {len(committed)} committed records of {home.topic}-{home.partition}",
                observed=f"{len(gone)} of them missing, first number {committed.index(gone[0])}",
                scenario=f"{TOPIC}-2 was revoked; {TOPIC}-0 and {TOPIC}-1 stayed",
                likely="close() discards the buffers of all partitions",
            )


@registered
class NothingIsWrittenAfterClose(Check):
    """Nothing is written for a revoked partition."""

    id = "SNK-REB-02"
    revision = 2
    level = Level.C4
    wave = 2
    title = "Nothing is written for a partition after close()"
    why = "The next owner starts at the committed offset; late writes would be added to its output."
    mend = "In close(), discard the partitions' buffers, and wait for writes in progress."
    origin = "kusto#33; kusto#69"

    def run(self, bench: Bench) -> Evidence:
        """Take one of two partitions away, go on, commit and stop; look for late writes."""
        stays, leaves = TopicPartition(TOPIC, 0), TopicPartition(TOPIC, 1)
        values = {home: bench.ledger().enter(2 * _FEW) for home in (stays, leaves)}
        with bench.endpoint() as endpoint:
            with running_sink(bench, bench.config(endpoint), [stays, leaves]) as sink:
                for home in (stays, leaves):
                    sink.put(sink_records(values[home][:_FEW], home))
                sink.revoke(leaves)
                before = Counter(endpoint.driver.read_back())
                sink.put(sink_records(values[stays][_FEW:], stays, first_offset=_FEW))
                sink.commit()
            after = Counter(endpoint.driver.read_back())
        if late := [value for value in values[leaves] if after[value] > before[value]]:
            raise CheckFailedError(
                expected=f"no record of {TOPIC}-1 written after close()",
                observed=f"{len(late)} written after close()",
                scenario=f"{TOPIC}-1 was revoked; the task went on with {TOPIC}-0 and was stopped",
                likely="stop(), or a thread, writes the buffers of revoked partitions",
            )
        return Evidence(sum(after.values()))


@registered
class PromisesNeverShrink(Check):
    """The committed offset of a partition never decreases."""

    id = "SNK-OFF-06"
    level = Level.C3
    wave = 2
    title = "Committed offsets never move back while the partition is assigned"
    why = "An offset that moves back makes the next restart deliver records twice."
    mend = "Track the highest offset returned for each partition until it is closed."
    origin = "K-jdoc"

    def run(self, bench: Bench) -> Evidence:
        """Put batches into two partitions by turns, and ask again and again what is durable."""
        homes = [TopicPartition(TOPIC, number) for number in range(2)]
        ends = dict.fromkeys(homes, 0)
        ledger = bench.ledger()
        with (
            bench.endpoint() as endpoint,
            running_sink(bench, bench.config(endpoint), homes) as sink,
        ):
            for number, count in enumerate(_BATCHES):
                home = homes[number % 2]
                sink.put(sink_records(ledger.enter(count), home, first_offset=ends[home]))
                ends[home] += count
                for _ in range(3):
                    sink.ask()
            sink.commit()
        return Evidence(self._compare(sink))

    @staticmethod
    def _compare(sink: SteppedSink) -> int:
        """How many promises were compared with those before them."""
        highest: dict[TopicPartition, int] = {}
        compared = 0
        for promise in sink.promises:
            for home, offset in promise.offsets.items():
                if offset < highest.get(home, 0):
                    raise CheckFailedError(
                        expected=f"{highest[home]} or more for {home.topic}-{home.partition}",
                        observed=f"{offset}, after it had promised {highest[home]}",
                        scenario="put() and pre_commit() were called alternately",
                        likely="the offset is computed from the current buffer",
                    )
                highest[home] = offset
                compared += 1
        if not compared:
            raise NotApplicableError(_NO_PROMISE)
        return compared


@registered
class ReturnedPartitionGoesOn(Check):
    """A task continues a returned partition from the committed offset."""

    id = "SNK-REB-04"
    level = Level.C4
    wave = 2
    title = "A partition that is assigned again continues at the committed offset"
    why = "Stale offsets move the group back, and stale buffers are written again."
    mend = "Discard buffers and offsets of a partition in close(), and reset them in open()."
    origin = "debezium-jdbc#80; splunk#260"

    def run(self, bench: Bench) -> Evidence:
        """Move a partition to another task and back; compare offsets and values."""
        stays, moves = TopicPartition(TOPIC, 0), TopicPartition(TOPIC, 1)
        ledger = bench.ledger()
        values = ledger.enter(4 * _FEW)
        with bench.endpoint() as endpoint:
            config = bench.config(endpoint)
            with running_sink(bench, config, [stays, moves]) as sink:
                sink.put(sink_records(ledger.enter(_FEW), stays))
                sink.put(sink_records(values[:_FEW], moves))
                sink.commit()
                sink.revoke(moves)
                if not (begin := sink.committed(moves)):
                    raise NotApplicableError(_NO_PROMISE)
                end = self._elsewhere(bench, config, moves, values[: 3 * _FEW], begin)
                self._come_back(sink, moves, sink_records(values[:end], moves), end)
                sink.put(sink_records(values[end:], moves, first_offset=end))
                sink.commit()
                promised = sink.committed(moves)
            found = ledger.reconcile(endpoint.driver.read_back())
        scenario = f"{TOPIC}-1 moved to another task at offset {begin} and returned at {end}"
        once = bench.subject.declaration.exactly_once
        if set(found.lost) & set(values[:promised]) or (once and found.duplicated):
            raise CheckFailedError(
                expected=f"all {found.entered} values{', each once' if once else ''}",
                observed=str(found),
                scenario=scenario,
                likely="buffers or positions from before the revocation are used",
            )
        return Evidence(found.entered, found.digest, found.figures())

    @staticmethod
    def _elsewhere(
        bench: Bench,
        config: Mapping[str, str],
        moves: TopicPartition,
        values: Sequence[str],
        begin: int,
    ) -> int:
        """Continue the partition with another task; the offset that it commits."""
        with running_sink(bench, config, [moves], first=begin) as other:
            other.put(sink_records(values[begin:], moves, first_offset=begin))
            other.commit()
            return max(other.committed(moves), begin)

    @staticmethod
    def _come_back(
        sink: SteppedSink, moves: TopicPartition, known: Sequence[SinkRecord], end: int
    ) -> None:
        """Return the partition, and call pre_commit before any record of it is put."""
        before = len(sink.promises)
        sink.regain(moves, known[_FEW:], end)
        for _ in range(3):
            sink.ask()
        for promise in sink.promises[before:]:
            if promise.offsets.get(moves, end) < end:
                raise CheckFailedError(
                    expected=f"{end} or more for {moves.topic}-{moves.partition}, or nothing",
                    observed=f"{promise.offsets[moves]}: the offset moves back",
                    scenario=f"another task has committed {end}, and no record was put since",
                    likely="offsets are kept in a map that close() and open() do not clear",
                )
