"""Checks of the transactions of exactly-once sources."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from plugwright.connector import ConnectorTransactionBoundaries
from plugwright.task import TransactionBoundary
from plugwright_conformance.catalogue.check import SOURCE_ONLY, Check
from plugwright_conformance.catalogue.register import registered
from plugwright_conformance.checks.delivery import (
    await_moving,
    open_pipeline,
    require_equal,
    share_of,
)
from plugwright_conformance.evidence.outcome import Evidence, Level
from plugwright_conformance.simulator import SimulatedCheck, Sweep

if TYPE_CHECKING:
    from plugwright_conformance.catalogue.bench import Bench
    from plugwright_conformance.simulator import ExperimentFactory

_PATIENCE = 2
_POINTS = 40
_NEVER_MS = "600000"


@registered
class TransactionsEndWhereDeclared(SimulatedCheck):
    """Nothing is lost or repeated, wherever transactions end."""

    id = "CON-DLV-07"
    level = Level.C5
    wave = 3
    kinds = SOURCE_ONLY
    gate = "EOS"
    title = "Transactions end where declared, and nothing of an aborted one is visible"
    why = (
        "transaction.boundary is the operator's to choose; a source that ends transactions itself "
        "hides every record of one that it forgets."
    )
    mend = "End a transaction after the last record of each unit, and return aborted records again."
    origin = "K-EOS"
    budget_s = 300.0

    def experiment(self, factory: ExperimentFactory) -> Evidence:
        """Crash at boundary events, with transactions by time and by the connector."""
        points, digest = 0, ""
        figures: dict[str, int | float | str] = {}
        for boundary in _boundaries(factory):
            factory.plan = replace(factory.plan, exactly_once=True, boundary=boundary)
            words = f"transaction.boundary={boundary.value}"
            factory.more_settings = {"transaction.boundary": boundary.value}
            sweep = Sweep(factory, factory.plan, words, duplicates=True, most_points=_POINTS)
            sweep.run()
            points, digest = points + sweep.points, sweep.evidence().digest
            figures[f"crash_points_{boundary.value}"] = sweep.points
        return Evidence(points, digest, figures)


def _boundaries(factory: ExperimentFactory) -> list[TransactionBoundary]:
    """Those besides the default, which the sweep of exactly-once delivery has."""
    bench = factory.bench
    with bench.endpoint() as endpoint:
        config = bench.config(endpoint)
        answer = bench.connector().can_define_transaction_boundaries(config)  # type: ignore[attr-defined]  # sources have it
    if answer is ConnectorTransactionBoundaries.SUPPORTED:
        return [TransactionBoundary.INTERVAL, TransactionBoundary.CONNECTOR]
    return [TransactionBoundary.INTERVAL]


@registered
class AbortedTransactionIsReplayed(Check):
    """The records of a transaction that Kafka aborted are delivered by the next one."""

    id = "CON-BRK-09"
    level = Level.C5
    wave = 3
    kinds = SOURCE_ONLY
    gate = "EOS"
    title = "A transaction that Kafka aborts is replayed from the committed position"
    why = "Kafka aborts a transaction that takes too long, and an operator one that hangs."
    mend = "Resume at the stored offset only; a position of one's own is ahead of aborted records."
    origin = "K-EOS"
    live = True
    budget_s = 240.0

    def run(self, bench: Bench) -> Evidence:
        """Abort a transaction with records in it; go on; compare."""
        share = share_of(bench)
        endless = {
            "transaction.boundary": "interval",
            "transaction.boundary.interval.ms": _NEVER_MS,
        }
        with open_pipeline(bench, exactly_once=True) as pipeline:
            with pipeline.running(**endless) as connector:
                pipeline.feed(share)
                await_moving(connector)
                connector.abort_transactions()
                pipeline.feed(share)
            with pipeline.running() as connector:
                pipeline.await_all(patience=_PATIENCE)
                connector.stop()
            found = pipeline.reconcile()
        require_equal(found, "Kafka aborted a transaction with records in it")
        return Evidence(found.entered, found.digest, found.figures())
