"""Check of a sink that receives several topics at once."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING

from plugwright.errors import ConnectError
from plugwright.record import TopicPartition
from plugwright_conformance.catalogue.check import Check
from plugwright_conformance.catalogue.register import registered
from plugwright_conformance.checks._stepped_tasks import running_sink
from plugwright_conformance.evidence.outcome import (
    CheckFailedError,
    Evidence,
    Level,
    NotApplicableError,
)
from plugwright_conformance.subject.contexts import sink_records
from plugwright_conformance.subject.names import TOPIC

if TYPE_CHECKING:
    from collections.abc import Mapping

    from plugwright_conformance.catalogue.bench import Bench
    from plugwright_conformance.evidence.ledger import Reconciliation
    from plugwright_conformance.simulator import SteppedSink

_OTHER = f"{TOPIC}-other"
_LOADS: Mapping[TopicPartition, int] = {
    TopicPartition(TOPIC, 0): 9,
    TopicPartition(TOPIC, 1): 2,
    TopicPartition(_OTHER, 0): 4,
    TopicPartition(_OTHER, 1): 7,
}
_ALONE: Mapping[TopicPartition, int] = {TopicPartition(_OTHER, 0): 3}
_BATCH = 1000


@registered
class TopicsAreKeptApart(Check):
    """Records of different topics are kept apart."""

    id = "SNK-TYP-13"
    revision = 2
    level = Level.C2
    wave = 2
    title = "Records of several topics with equal partitions and offsets are kept apart"
    why = "A buffer keyed by partition and offset drops one of two records of different topics."
    mend = "Key buffers by topic and partition together."
    origin = "bigquery#460; neo4j-kafka-connector#643"

    def run(self, bench: Bench) -> Evidence:
        """Put two topics with two partitions each in one batch; compare values and offsets."""
        self._must_be_seen(bench)
        expected = f"all {sum(_LOADS.values())} values, each once"
        scenario = "two topics with two partitions each in one batch, with equal offsets"
        likely = "records are keyed by partition or offset, without the topic"
        try:
            found = self._moved(bench, _LOADS)
        except ConnectError as error:
            observed = f"{type(error).__name__}: {error}"
            raise CheckFailedError(expected, observed, scenario, likely) from error
        if not found.exact:
            raise CheckFailedError(expected, str(found), scenario, likely)
        return Evidence(found.entered, found.digest, found.figures())

    def _must_be_seen(self, bench: Bench) -> None:
        """Whether the driver sees at all what comes from another topic than the configured one."""
        words = "the endpoint driver does not show records of other topics"
        try:
            found = self._moved(bench, _ALONE)
        except Exception as error:
            raise NotApplicableError(f"the sink accepts no other topic: {error}") from error
        if found.lost or found.foreign:
            raise NotApplicableError(words)

    def _moved(self, bench: Bench, loads: Mapping[TopicPartition, int]) -> Reconciliation:
        ledger, partitions = bench.ledger(), sorted(loads)
        keyed = bench.subject.declaration.claims("upsert")  # it stores one value per key
        with bench.endpoint() as endpoint:
            config = bench.config(endpoint)
            with running_sink(bench, config, partitions, batch=_BATCH) as sink:
                records = [
                    record
                    for home in partitions
                    for record in sink_records(ledger.enter(loads[home]), home, keyed=keyed)
                ]
                sink.put(records)
                sink.commit()
                self._must_not_promise_more(sink, loads)
            return ledger.reconcile(endpoint.driver.read_back())

    @staticmethod
    def _must_not_promise_more(sink: SteppedSink, loads: Mapping[TopicPartition, int]) -> None:
        for number, promise in zip(count(), sink.promises, strict=False):
            for home, offset in promise.offsets.items():
                if offset > loads.get(home, 0):
                    raise CheckFailedError(
                        expected=f"no offset above {loads.get(home, 0)} of {home.topic}-"
                        f"{home.partition}, which had so many records",
                        observed=f"commit {offset}, in answer {number} of pre_commit()",
                        scenario="two topics with two partitions each in one batch",
                        likely="the offset of one partition is returned for another one",
                    )
