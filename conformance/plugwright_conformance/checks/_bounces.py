"""Checks of repeated restarts and kills under load."""

from __future__ import annotations

import time
from collections import Counter
from types import MappingProxyType
from typing import TYPE_CHECKING

from plugwright_conformance.catalogue.check import Check
from plugwright_conformance.catalogue.register import registered
from plugwright_conformance.checks.delivery import (
    BEGUN_S,
    await_moving,
    open_pipeline,
    require_equal,
    require_no_loss,
    share_of,
)
from plugwright_conformance.evidence.outcome import Evidence, Level
from plugwright_conformance.evidence.process_exit import BETWEEN_CALLS
from plugwright_conformance.subject.engines import RESIDENT

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from plugwright_conformance.catalogue.bench import Bench
    from plugwright_conformance.checks.delivery import Pipeline

_LIVES, _KILLS = 4, 2
_BOUNCES = _LIVES * (_KILLS + 1)
"""Each life of the connector has its kills, and ends in order."""
_PATIENCE = 4
_EXACT_LIVES = 3
_CALLS: Mapping[str, Sequence[Collection[str]]] = MappingProxyType(
    {
        "source": (("poll",), ("commit",), BETWEEN_CALLS, ()),
        "sink": (("put",), ("pre_commit",), BETWEEN_CALLS, ()),
    }
)
"""The calls during which a task is killed in each life, by kind of plugin; lastly anywhere."""
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
        with open_pipeline(bench) as pipeline:
            where = _bounced(pipeline, _LIVES, [()] * _KILLS)
            found = pipeline.reconcile()
        kills = f"{_KILLS * _LIVES} kills of a task's Python process"
        require_no_loss(found, f"{_BOUNCES} restarts while records flow, {kills} among them")
        figures = {**found.figures(), "bounces": _BOUNCES, "kills_met_it": where}
        return Evidence(found.entered, found.digest, figures)


@registered
class ExactlyOnceUnderKills(Check):
    """On Spark and a live Kafka, no record is lost or repeated when tasks are killed."""

    id = "CON-DLV-06"
    level = Level.C5
    wave = 3
    gate = "EOS"
    title = "Zero loss and zero duplicates on live Kafka, with tasks killed in every kind of call"
    why = (
        "A simulated crash is one that the suite has thought of; the kernel ends a process "
        "anywhere, without exit handlers."
    )
    mend = "Keep progress in the same transaction as the data, and nowhere else."
    origin = "DUCK; G-Sys"
    live = True
    budget_s = _BUDGET_S

    def run(self, bench: Bench) -> Evidence:
        """Kill -9 a task in each kind of call, three times, while records flow; compare."""
        kills = _CALLS[bench.subject.kind]
        with open_pipeline(bench, exactly_once=True) as pipeline:
            where = _bounced(pipeline, _EXACT_LIVES, kills)
            found = pipeline.reconcile()
        count = _EXACT_LIVES * len(kills)
        require_equal(found, f"{count} kills of a task's Python process under load")
        return Evidence(found.entered, found.digest, {**found.figures(), "kills_met_it": where})


def _bounced(pipeline: Pipeline, lives: int, kills: Sequence[Collection[str]]) -> str:
    """Let a connector live several times under load, each time with kills and an orderly end.

    Args:
        pipeline: of the connector.
        lives: how many.
        kills: of each life, the calls during which to kill a task; empty for anywhere.

    Returns:
        Where the kills met tasks, and how often.
    """
    share = share_of(pipeline.bench)
    met: Counter[str] = Counter()
    for _ in range(lives):
        with pipeline.running() as connector:
            for calls in kills:
                with pipeline.flowing(share):
                    busiest = await_moving(connector)
                    time.sleep(BEGUN_S * pipeline.bench.random.random())
                    kill = connector.kill_task(busiest, within=calls)
                    met[kill.met.partition(",")[0]] += 1
            pipeline.feed(share)
            connector.stop()
    with pipeline.running() as connector:
        pipeline.await_all(patience=_PATIENCE)
        connector.stop()
    return ", ".join(f"{count} {place}" for place, count in met.most_common())
