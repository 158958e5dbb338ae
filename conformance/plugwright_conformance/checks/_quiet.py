"""Checks of a connector that is idle, and then receives a few records."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from plugwright_conformance.catalogue.check import Check
from plugwright_conformance.catalogue.register import registered
from plugwright_conformance.checks._delivery import open_pipeline, require_equal
from plugwright_conformance.evidence.outcome import CheckFailedError, Evidence, Level

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plugwright_conformance.catalogue.bench import Bench
    from plugwright_conformance.evidence.ledger import Reconciliation

_IDLE_S = 1.5
_TAIL = 137
_BUDGET_S = 180.0


@dataclass(frozen=True, slots=True)
class _QuietLife:
    """One life of a connector on Spark, in which both checks look at something else.

    Attributes:
        written: what had arrived while there was no data.
        moved: records that the tasks said they had moved until then.
        tail: the few records after that against what has arrived; or what went wrong with them.
    """

    idle_s: float
    written: Sequence[str]
    moved: int
    tail: Reconciliation | CheckFailedError


def _quiet_life(bench: Bench) -> _QuietLife:
    """The life on the engine of a check; there is one in a run, because a start costs seconds.

    The check of the tail comes first, so that its values are those of its own seed.
    """
    return bench.once(f"quiet-{bench.engine}", lambda: _lived(bench))


def _lived(bench: Bench) -> _QuietLife:
    with open_pipeline(bench) as pipeline, pipeline.running() as connector:
        begun = time.monotonic()
        time.sleep(_IDLE_S)
        written, moved = list(pipeline.collect()), connector.records
        seconds = time.monotonic() - begun
        tail: Reconciliation | CheckFailedError
        try:
            pipeline.feed(_TAIL)
            pipeline.await_all()
            tail = pipeline.reconcile()
            connector.stop()
        except CheckFailedError as failure:
            tail = failure
    return _QuietLife(seconds, written, moved, tail)


@registered
class IdleBatchesAreHarmless(Check):
    """Without data nothing is written."""

    id = "CON-SPK-10"
    revision = 2
    level = Level.C2
    after = "CON-DLV-02"
    title = "Empty micro-batches are harmless"
    why = "Many topics are idle most of the time; a marker per empty batch fills the target."
    mend = "Return early if there are no records."
    origin = "SPK"
    live = True
    budget_s = _BUDGET_S

    def run(self, bench: Bench) -> Evidence:
        """Run on Spark with no data for a while; no write, no record."""
        life = _quiet_life(bench)
        if life.written or life.moved:
            raise CheckFailedError(
                expected="nothing written",
                observed=f"{len(life.written)} values, first {str(life.written[:1])[:60]}",
                scenario=f"{life.idle_s:.1f} s on Spark without data",
                likely="put([]) writes something",
            )
        return Evidence(1, figures={"idle_s": round(life.idle_s, 1)})


@registered
class TailArrives(Check):
    """The last records arrive without later ones."""

    id = "CON-DLV-02"
    revision = 2
    level = Level.C3
    after = "CON-SPK-03"
    title = "The last records arrive without further input"
    why = "Data that waits for a full batch arrives hours late, or never."
    mend = "Write the buffer when no more records arrive, at the latest in flush()."
    live = True
    budget_s = _BUDGET_S

    def run(self, bench: Bench) -> Evidence:
        """Feed an odd number of records, nothing after, and wait while the connector runs."""
        found = _quiet_life(bench).tail
        if isinstance(found, CheckFailedError):
            raise found
        require_equal(found, f"{_TAIL} records, then silence, with the connector running")
        return Evidence(found.entered, found.digest, found.figures())
