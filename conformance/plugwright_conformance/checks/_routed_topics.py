"""Check of a sink whose topics a transformation routes to one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright.errors import ConnectError
from plugwright.record import TopicPartition
from plugwright_conformance.catalogue.check import SINK_ONLY, Check, Level, Severity
from plugwright_conformance.catalogue.register import registered
from plugwright_conformance.checks._stepped_tasks import running_sink
from plugwright_conformance.evidence.outcome import CheckFailedError, Evidence, NotApplicableError
from plugwright_conformance.subject.contexts import sink_records
from plugwright_conformance.subject.names import TOPIC

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plugwright.record import SinkRecord
    from plugwright_conformance.catalogue.bench import Bench
    from plugwright_conformance.evidence.ledger import Reconciliation

_HOMES = (TopicPartition(TOPIC, 0), TopicPartition(f"{TOPIC}-other", 0))
_EACH = 6


@registered
class RoutedRecordsAreKept(Check):
    """Two topics that a transformation routes to one do not overwrite each other."""

    id = "SNK-TYP-20"
    kinds = SINK_ONLY
    severity = Severity.SHOULD
    level = Level.C3
    wave = 2
    title = "Records of two topics that are routed to one topic are all stored"
    why = "An id of topic, partition and offset after transformations occurs once per routed topic."
    mend = "Identify records by original_topic, original_kafka_partition, original_kafka_offset."
    origin = "KIP-793; bigquery#181"

    def run(self, bench: Bench) -> Evidence:
        """Route one topic, and then two with equal offsets, to a third; compare the values."""
        scenario = f"{_HOMES[0].topic} and {_HOMES[1].topic} were routed to one topic"
        for homes in (_HOMES[:1], _HOMES):
            try:
                found = self._moved(bench, homes)
            except ConnectError as error:
                raise NotApplicableError(f"the sink rejects renamed topics: {error}") from error
            if found.lost and homes != _HOMES:
                raise NotApplicableError("records of a renamed topic are not stored or not shown")
        if found.lost:
            raise CheckFailedError(
                expected=f"all {found.entered} values",
                observed=str(found),
                scenario=scenario,
                likely="records are identified by their coordinates after transformations",
            )
        return Evidence(found.entered, found.digest, found.figures())

    @staticmethod
    def _moved(bench: Bench, homes: Sequence[TopicPartition]) -> Reconciliation:
        ledger = bench.ledger()
        keyed = bench.subject.declaration.claims("upsert")  # it stores one value per key
        with bench.endpoint() as endpoint:
            with running_sink(bench, bench.config(endpoint), homes) as sink:
                for home in homes:
                    records = sink_records(ledger.enter(_EACH), home, keyed=keyed)
                    sink.put(_routed(records))
                sink.commit()
            return ledger.reconcile(endpoint.driver.read_back())


def _routed(records: Sequence[SinkRecord]) -> list[SinkRecord]:
    return [record.new_record(topic=f"{TOPIC}-all") for record in records]
