"""Check of a connector that is idle, and then receives a few records."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from plugwright_conformance.catalogue.check import Check
from plugwright_conformance.catalogue.register import registered
from plugwright_conformance.checks.delivery import open_pipeline, require_equal
from plugwright_conformance.evidence.outcome import Evidence, Level

if TYPE_CHECKING:
    from plugwright_conformance.catalogue.bench import Bench

_IDLE_S = 1.5
_TAIL = 137
_BUDGET_S = 180.0


@registered
class TailArrives(Check):
    """The last records arrive without later ones."""

    id = "CON-DLV-02"
    revision = 3
    level = Level.C3
    after = "CON-SPK-03"
    title = "The last records arrive without further input"
    why = "Data that waits for a full batch arrives hours late, or never."
    mend = "Write the buffer when no more records arrive, at the latest in flush()."
    live = True
    budget_s = _BUDGET_S

    def run(self, bench: Bench) -> Evidence:
        """Wait without data, feed an odd number of records, and wait for them."""
        with open_pipeline(bench) as pipeline, pipeline.running() as connector:
            time.sleep(_IDLE_S)
            pipeline.feed(_TAIL)
            pipeline.await_all()
            found = pipeline.reconcile()
            connector.stop()
        require_equal(found, f"{_TAIL} records, then silence, with the connector running")
        return Evidence(found.entered, found.digest, found.figures())
