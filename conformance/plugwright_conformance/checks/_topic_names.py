"""Checks that a sink distinguishes topics by their whole names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright.errors import ConnectError
from plugwright.record import TopicPartition
from plugwright.schema import STRING_SCHEMA
from plugwright_conformance.catalogue.check import SINK_ONLY, Check, Level, Severity
from plugwright_conformance.catalogue.register import registered
from plugwright_conformance.checks._stepped_tasks import running_sink
from plugwright_conformance.evidence.outcome import (
    CheckFailedError,
    Evidence,
    NotApplicableError,
)
from plugwright_conformance.subject.contexts import sink_records
from plugwright_conformance.subject.endpoint import EndpointError
from plugwright_conformance.subject.names import TOPIC

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plugwright.record import SinkRecord
    from plugwright_conformance.catalogue.bench import Bench
    from plugwright_conformance.evidence.ledger import Reconciliation

_PLAIN = (f"{TOPIC}-one", f"{TOPIC}-two")
_ALIKE = (f"{TOPIC}.eu", f"{TOPIC}-eu", f"{TOPIC}.eu.", f"{TOPIC}eu")
"""Names that Kafka permits beside each other; a dot and an underscore it does not tell apart.

Nor do some databases tell small letters from capital ones.
"""

_EACH = 4


@registered
class TopicNamesAreData(Check):
    """A topic may have any name that Kafka permits."""

    id = "SNK-TYP-21"
    severity = Severity.SHOULD
    kinds = SINK_ONLY
    level = Level.C3
    wave = 2
    title = "Topics with dots, and those that differ in punctuation only, are kept apart"
    why = "Topics are named with dots; two that become one table overwrite each other's rows."
    mend = "Quote the name, or encode what the endpoint cannot have in it so that none collide."
    origin = "hdfs#43; snowflake#47; snowflake#1531"

    def run(self, bench: Bench) -> Evidence:
        """Put such topics in one batch; with exactly-once delivery once more, to a new task."""
        equal_keys = self._keeps_apart(bench, equal_keys=True)
        if not equal_keys and not self._keeps_apart(bench, equal_keys=False):
            raise NotApplicableError("the sink takes one topic, or its driver shows no other")
        names, found = self._together(bench, equal_keys=equal_keys)
        self._insist(found, f"topics {', '.join(names)} in one batch, with equal offsets")
        if bench.subject.declaration.exactly_once:
            again = _moved(bench, names, equal_keys=equal_keys, twice=True)
            self._insist(
                again, f"half of the records of {', '.join(names)}, then all to a new task"
            )
        return Evidence(found.entered, found.digest, found.figures())

    @staticmethod
    def _keeps_apart(bench: Bench, *, equal_keys: bool) -> bool:
        """Whether all records of two topics with plain names are stored and shown."""
        try:
            found = _moved(bench, _PLAIN, equal_keys=equal_keys)
        except Exception:  # noqa: BLE001  # the sink accepts no second topic
            return False
        return found.exact

    @staticmethod
    def _together(bench: Bench, *, equal_keys: bool) -> tuple[Sequence[str], Reconciliation]:
        """The topics that sink and driver can have, and what becomes of their records."""
        try:
            return _ALIKE, _moved(bench, _ALIKE, equal_keys=equal_keys)
        except (ConnectError, EndpointError):
            names = [name for name in _ALIKE if _takes(bench, name)]
            if not names:
                raise NotApplicableError("such names are refused, or not shown") from None
            return names, _moved(bench, names, equal_keys=equal_keys)

    @staticmethod
    def _insist(found: Reconciliation, scenario: str) -> None:
        if not found.exact:
            raise CheckFailedError(
                expected=f"all {found.entered} values, each once, as of topics with plain names",
                observed=str(found),
                scenario=scenario,
                likely="topics are known by a part of their names, or by what is made of them",
            )


def _takes(bench: Bench, name: str) -> bool:
    """Whether a topic is not refused: an endpoint, or its driver, may be unable to have it."""
    try:
        _moved(bench, [name], equal_keys=False)
    except (ConnectError, EndpointError):
        return False
    return True


def _moved(
    bench: Bench, names: Sequence[str], *, equal_keys: bool, twice: bool = False
) -> Reconciliation:
    """What becomes of records of some topics, in one batch.

    Args:
        bench: of the check.
        names: of the topics.
        equal_keys: whether records of different topics have keys in common.
        twice: whether another task has had the first half of them, and has died.
    """
    ledger, homes = bench.ledger(), [TopicPartition(name, 0) for name in sorted(names)]
    values = {home: ledger.enter(_EACH) for home in homes}
    with bench.endpoint() as endpoint:
        for count in (_EACH // 2, _EACH) if twice else (_EACH,):
            with running_sink(bench, bench.config(endpoint), homes, batch=1000) as sink:
                each = (_records(bench, home, values[home][:count], equal_keys) for home in homes)
                sink.put([record for records in each for record in records])
                sink.commit()
        return ledger.reconcile(endpoint.driver.read_back())


def _records(
    bench: Bench, home: TopicPartition, values: Sequence[str], equal_keys: bool
) -> list[SinkRecord]:
    """Records of a topic; where keys matter, with those that the other topics have, too."""
    declaration = bench.subject.declaration
    keyed = declaration.claims("upsert") or declaration.needs_keys
    records = sink_records(values, home, keyed=keyed)
    for record in records if keyed and equal_keys else ():
        record.key_schema, record.key = STRING_SCHEMA, f"key {record.kafka_offset}"
    return records
