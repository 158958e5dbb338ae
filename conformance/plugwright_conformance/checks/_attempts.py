"""Check of two attempts at the same records."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from plugwright_conformance.catalogue.check import SINK_ONLY, Check, Level
from plugwright_conformance.catalogue.register import registered
from plugwright_conformance.checks._stepped_tasks import put_all, running_sink
from plugwright_conformance.checks.delivery import require_equal
from plugwright_conformance.evidence.outcome import Evidence
from plugwright_conformance.subject.contexts import sink_records
from plugwright_conformance.subject.names import HOME

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plugwright.record import SinkRecord
    from plugwright_conformance.catalogue.bench import Bench

_COUNT, _BEFORE = 24, 7


@registered
class AttemptsCommitOnce(Check):
    """Of two attempts at the same records, one takes effect."""

    id = "CON-SPK-04"
    level = Level.C5
    wave = 3
    kinds = SINK_ONLY
    gate = "EOS"
    title = "Duplicate and speculative attempts write each record once"
    why = "Spark starts a second attempt of a slow task while the first one still runs."
    mend = "Compare offsets with those at the endpoint in the transaction that writes the records."
    origin = "SPK"

    def run(self, bench: Bench) -> Evidence:
        """Give the same records to two tasks at once, in two orders of their commits; compare."""
        observed, digest = 0, ""
        for first in ("quick", "slow"):
            ledger = bench.ledger()
            records = sink_records(ledger.enter(_COUNT), HOME)
            with bench.endpoint() as endpoint:
                config = bench.config(endpoint)
                with suppress(Exception):  # a late attempt may be refused
                    _attempt_twice(bench, config, records, first)
                put_all(bench, config, HOME, records)
                found = ledger.reconcile(endpoint.driver.read_back())
            require_equal(found, f"two attempts at {_COUNT} records, the {first} one first")
            observed, digest = observed + found.entered, found.digest
        return Evidence(observed, digest)


def _attempt_twice(
    bench: Bench, config: dict[str, str], records: Sequence[SinkRecord], first: str
) -> None:
    """Let one attempt be slow; the other one begins and ends while it runs."""
    with (
        running_sink(bench, config, [HOME]) as slow,
        running_sink(bench, config, [HOME]) as quick,
    ):
        slow.put(records[:_BEFORE])
        quick.put(records)
        for task in (quick, slow) if first == "quick" else (slow, quick):
            task.commit()
        slow.put(records[_BEFORE:])
        slow.commit()
