"""Check of the topics under which a sink stores its records."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from plugwright.errors import ConnectError
from plugwright.record import TopicPartition
from plugwright_conformance.catalogue.check import SINK_ONLY, Check, Level, Severity
from plugwright_conformance.catalogue.register import registered
from plugwright_conformance.checks._stepped_tasks import running_sink
from plugwright_conformance.evidence.outcome import CheckFailedError, Evidence, NotApplicableError
from plugwright_conformance.subject.contexts import key_at, sink_records
from plugwright_conformance.subject.names import HOME, TOPIC

if TYPE_CHECKING:
    from plugwright_conformance.catalogue.bench import Bench

_HOMES = (HOME, TopicPartition(f"{TOPIC}-other", HOME.partition))
_EACH = 6


@registered
class TopicsAreStored(Check):
    """Records are stored in the places of their topics."""

    id = "SNK-TYP-22"
    severity = Severity.SHOULD
    kinds = SINK_ONLY
    level = Level.C2
    wave = 2
    title = "Each record is stored in the place of its topic, and equal keys do not meet"
    why = "Orders and customers with the same number overwrite each other in one table."
    mend = "Name the table, index or directory by the record's topic."
    origin = "opensearch-connector#193"

    def run(self, bench: Bench) -> Evidence:
        """Put two topics with equal keys and offsets; compare with what the driver reads.

        A sink may store all topics in one place: the check is for drivers that can tell the topics.
        """
        ledger, wanted = bench.ledger(), {}
        with bench.endpoint() as endpoint:
            if endpoint.driver.hook("read_topics") is None:
                raise NotApplicableError("the endpoint driver does not implement read_topics()")
            with running_sink(bench, bench.config(endpoint), _HOMES) as sink:
                try:
                    for home in _HOMES:
                        records = sink_records(ledger.enter(_EACH), home, keyed=True)
                        for record in records:
                            record.key = key_at(HOME, record.kafka_offset)
                            wanted[record.value] = home.topic
                        sink.put(records)
                    sink.commit()
                except ConnectError as error:
                    raise NotApplicableError(f"the sink accepts no other topic: {error}") from error
            topics: Any = endpoint.driver.hook("read_topics")
            found = dict(zip(endpoint.driver.read_back(), topics, strict=True))
        strange = {v: found.get(v) for v, topic in wanted.items() if found.get(v) != topic}
        if strange:
            value, place = next(iter(strange.items()))
            raise CheckFailedError(
                expected=f"every value stored under its topic, the first under {wanted[value]}",
                observed=f"{len(strange)} of {len(wanted)} elsewhere or missing, the first "
                f"{'missing' if place is None else f'under {place}'}",
                scenario=f"two topics with equal keys, {_EACH} records each",
                likely="all topics are written to one place, where equal keys overwrite each other",
            )
        return Evidence(len(wanted))
