"""Check of exactly-once delivery when tasks are killed on Spark."""

from __future__ import annotations

from collections import Counter
from types import MappingProxyType
from typing import TYPE_CHECKING

from plugwright_conformance.catalogue.check import Check, Level
from plugwright_conformance.catalogue.register import registered
from plugwright_conformance.checks._delivery import (
    await_moving,
    open_pipeline,
    require_equal,
    share_of,
)
from plugwright_conformance.evidence.outcome import Evidence

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plugwright_conformance.catalogue.bench import Bench

_BETWEEN = ("", "conversion and transformation of records")
_CALLS: Mapping[str, Sequence[tuple[str, ...]]] = MappingProxyType(
    {
        "source": (("poll",), ("commit",), _BETWEEN, ()),
        "sink": (("put",), ("pre_commit",), _BETWEEN, ()),
    }
)
"""Where the kills of one life meet a task; the last one of a life meets it anywhere."""
_LIVES = 3
_PATIENCE = 4


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
    budget_s = 600.0

    def run(self, bench: Bench) -> Evidence:
        """Kill -9 a task in each kind of call, three times, while records flow; compare."""
        share, met = share_of(bench), Counter[str]()
        with open_pipeline(bench, exactly_once=True) as pipeline:
            for _ in range(_LIVES):
                with pipeline.running() as connector:
                    for calls in _CALLS[bench.subject.kind]:
                        with pipeline.flowing(share):
                            busiest = await_moving(connector)
                            kill = connector.kill_task(busiest, within=calls)
                            met[kill.met.partition(",")[0]] += 1
                    connector.stop()
            with pipeline.running() as connector:
                pipeline.await_all(patience=_PATIENCE)
                connector.stop()
            found = pipeline.reconcile()
        require_equal(found, f"{met.total()} kills of a task's Python process under load")
        where = ", ".join(f"{count} {place}" for place, count in met.most_common())
        return Evidence(found.entered, found.digest, {**found.figures(), "kills_met_it": where})
