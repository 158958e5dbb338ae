"""Check of repeated restarts and kills under load."""

from __future__ import annotations

import time
from collections import Counter
from typing import TYPE_CHECKING

from plugwright_conformance.catalogue.check import Check
from plugwright_conformance.catalogue.register import registered
from plugwright_conformance.checks._delivery import (
    BEGUN_S,
    await_moving,
    open_pipeline,
    require_no_loss,
    share_of,
)
from plugwright_conformance.evidence.outcome import Evidence, Level
from plugwright_conformance.subject.engines import RESIDENT

if TYPE_CHECKING:
    from plugwright_conformance.catalogue.bench import Bench

_LIVES, _KILLS = 4, 2
_BOUNCES = _LIVES * (_KILLS + 1)
"""Each life of the connector has its kills, and ends in order."""
_PATIENCE = 4
_BUDGET_S = 600.0


@registered
class ManyBouncesLoseNothing(Check):
    """Repeated restarts and kills under load lose nothing."""

    id = "CON-REB-04"
    level = Level.C4
    wave = 2
    title = "Twelve bounces, clean and unclean, under load: nothing lost"
    why = (
        "Spot machines come and go all day; leftovers of the first crash may break the third start."
    )
    mend = "Handle leftovers of killed tasks, however many crashes there were."
    origin = "DUCK"
    live = True
    engines = (RESIDENT,)
    why_not_everywhere = "Spark restarts streamed tasks for every batch"
    budget_s = _BUDGET_S

    def run(self, bench: Bench) -> Evidence:
        """Kill a task twice in each of four lives, in mid-flow, and stop it; compare in the end."""
        share = share_of(bench)
        met: Counter[str] = Counter()
        with open_pipeline(bench) as pipeline:
            for _ in range(_LIVES):
                with pipeline.running() as connector:
                    for _ in range(_KILLS):
                        with pipeline.flowing(share):
                            busiest = await_moving(connector)
                            time.sleep(BEGUN_S * bench.random.random())
                            met[connector.kill_task(busiest).met.partition(",")[0]] += 1
                    pipeline.feed(share)
                    connector.stop()
            with pipeline.running() as connector:
                pipeline.await_all(patience=_PATIENCE)
                connector.stop()
            found = pipeline.reconcile()
        kills = f"{_KILLS * _LIVES} kills of a task's Python process"
        require_no_loss(found, f"{_BOUNCES} restarts while records flow, {kills} among them")
        where = ", ".join(f"{count} {place}" for place, count in met.most_common())
        figures = {**found.figures(), "bounces": _BOUNCES, "kills_met_it": where}
        return Evidence(found.entered, found.digest, figures)
