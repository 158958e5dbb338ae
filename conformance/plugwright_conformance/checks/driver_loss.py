"""The loss of a driver in mid-flow, and what its connectors do afterwards."""

from __future__ import annotations

import time
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING

from plugwright_conformance.checks.delivery import BEGUN_S, open_pipeline, share_of
from plugwright_conformance.evidence.outcome import CheckFailedError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plugwright_conformance.catalogue.bench import Bench
    from plugwright_conformance.checks.delivery import Pipeline
    from plugwright_conformance.evidence.ledger import Reconciliation


@dataclass(frozen=True, slots=True)
class DriverLoss:
    """The results of a connector that continued after the loss of its driver.

    Attributes:
        below: processes of the driver that were killed with it.
    """

    found: Reconciliation
    below: int
    figures: Mapping[str, int | float]


def lost_on_each_engine(bench: Bench) -> Mapping[str, DriverLoss | CheckFailedError]:
    """Lose one driver with a connector on each engine; to start one takes a machine's seconds."""
    engines = bench.subject.declaration.engines
    try:
        return lost_driver(bench, engines)
    except CheckFailedError as failure:
        if len(engines) == 1:
            return dict.fromkeys(engines, failure)
    found: dict[str, DriverLoss | CheckFailedError] = {}
    for engine in engines:  # one alone, to see which of them it was
        try:
            found |= lost_driver(bench, (engine,))
        except CheckFailedError as failure:
            found[engine] = failure
    return found


def lost_driver(bench: Bench, engines: Sequence[str]) -> dict[str, DriverLoss | CheckFailedError]:
    """Lose one driver with a connector on each of these engines."""
    share = share_of(bench)
    with ExitStack() as stack:
        lines = [stack.enter_context(open_pipeline(bench, engine)) for engine in engines]
        for line in lines:
            line.feed(share)
        configs = {line.name: line.config() for line in lines}
        with bench.live.killable_driver(bench.subject, configs) as driver, ExitStack() as flowing:
            for line in lines:
                line.await_committed()
            for line in lines:
                flowing.enter_context(line.trickling(share))
            time.sleep(BEGUN_S + bench.random.random() / 4)
            killed = driver.kill()
            at_s = time.monotonic()
            kind = bench.subject.kind
            after = all(bench.live.has_committed(line.name, kind) for line in lines)
            bench.live.note(
                "kill",
                f"kill -9 of the driver of {' and '.join(configs)} and all below "
                f"{'after' if after else 'before'} a commit of each, in calls that are not known",
                at_s,
            )
        return {line.engine: _gone_on(line, killed) for line in lines}


def _gone_on(line: Pipeline, killed: int) -> DriverLoss | CheckFailedError:
    """The values that arrived after the connector continued elsewhere, or why it could not."""
    begun = time.monotonic()
    try:
        with line.running() as connector:
            line.await_all()
            seconds = time.monotonic() - begun
            connector.stop()
    except CheckFailedError as failure:
        return failure
    figures = {"processes_killed": killed, "back_after_s": round(seconds, 3)}
    return DriverLoss(line.reconcile(), killed - 1, figures)
