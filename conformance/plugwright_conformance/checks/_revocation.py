"""Checks of revoked and of remaining partitions of a sink task."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from plugwright.record import TopicPartition
from plugwright_conformance.catalogue.check import Check, Level
from plugwright_conformance.catalogue.register import registered
from plugwright_conformance.checks._hand_driven import running_sink
from plugwright_conformance.evidence.outcome import CheckFailedError, Evidence, NotApplicableError
from plugwright_conformance.subject.contexts import sink_records
from plugwright_conformance.subject.names import TOPIC

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plugwright_conformance.catalogue.bench import Bench
    from plugwright_conformance.simulator import AttendedSink

_FEW = 5
_BATCHES = (3, 1, 6, 2)
_NO_PROMISE = "the task returns no offsets from pre_commit()"


def _highest(sink: AttendedSink, home: TopicPartition) -> int:
    """The highest offset that the task has promised for a partition."""
    return max((promise.offsets.get(home, 0) for promise in sink.promises), default=0)


@registered
class OthersKeepTheirBuffers(Check):
    """Revoking one partition does not affect the others."""

    id = "SNK-REB-01"
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
    def _compare(sink: AttendedSink) -> int:
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
