"""Checks of a worker that stands still for so long that another one takes over."""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

from plugwright_conformance.catalogue.check import Check, Level
from plugwright_conformance.catalogue.register import registered
from plugwright_conformance.checks.delivery import (
    open_pipeline,
    require_equal,
    require_no_loss,
    share_of,
)
from plugwright_conformance.evidence.outcome import CheckFailedError, Evidence
from plugwright_conformance.evidence.process_exit import BETWEEN_CALLS
from plugwright_conformance.subject.engines import RESIDENT

if TYPE_CHECKING:
    from collections.abc import Mapping

    from plugwright_conformance.catalogue.bench import Bench
    from plugwright_conformance.checks.delivery import Pipeline
    from plugwright_conformance.evidence.ledger import Reconciliation
    from plugwright_conformance.live.killable_driver import KillableDriver

_AWAKE_S = 4.0
"""How long the worker that wakes up is left alone; a shorter time finds less."""
_PATIENCE = 2
_BACKLOG = 10
"""Shares fed at once, so that the suspended worker has more in hand than one batch."""
_SCENARIO = "a worker was suspended, another one took over, and the first one woke up"
_CALL: Mapping[str, str] = MappingProxyType({"source": "poll", "sink": "put"})
_OVERRIDES: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {"source": {}, "sink": {"consumer.override.session.timeout.ms": "6000"}}
)
"""A sink's partitions go to another worker after the least time that Kafka permits by default."""


@dataclass(frozen=True, slots=True)
class _WokenUp:
    """What arrived although a suspended worker woke up beside its successor.

    Attributes:
        at_work: whether it was suspended while records flowed through a task.
        taken_over: whether the successor delivered the rest before the first worker woke up.
    """

    found: Reconciliation
    at_work: bool
    taken_over: bool

    def evidence(self) -> Evidence:
        facts = {"at_work": int(self.at_work), "taken_over": int(self.taken_over)}
        return Evidence(self.found.entered, self.found.digest, {**self.found.figures(), **facts})


def _woken(bench: Bench) -> _WokenUp:
    exact = bench.subject.declaration.exactly_once
    share, kind = share_of(bench), bench.subject.kind
    taken_over = False
    with open_pipeline(bench, RESIDENT, exactly_once=exact) as pipeline:
        pipeline.feed(share)
        named = {pipeline.name: {**pipeline.config(), **_OVERRIDES[kind]}}
        with pipeline.live.killable_driver(bench.subject, named, exactly_once=exact) as first:
            pipeline.await_committed()
            with pipeline.trickling(_BACKLOG * share, slices=1):
                at_work = first.suspend([_CALL[kind]])
                first.resume()
                first.suspend(BETWEEN_CALLS)
            pipeline.live.note("kill", f"the driver of {pipeline.name} is suspended")
            with suppress(CheckFailedError):  # the first one may still hold what both need
                _take_over(pipeline, first, share)
                taken_over = True
        with pipeline.running() as connector:
            pipeline.await_all(patience=_PATIENCE)
            connector.stop()
        return _WokenUp(pipeline.reconcile(), at_work, taken_over)


def _take_over(pipeline: Pipeline, first: KillableDriver, share: int) -> None:
    """Run the connector in a second worker, and wake the first one when all has arrived."""
    try:
        with pipeline.running() as second:
            pipeline.await_all()
            pipeline.live.note("back", f"the driver of {pipeline.name} wakes up")
            first.resume()
            with pipeline.flowing(share):
                time.sleep(_AWAKE_S)
            pipeline.await_all()
            first.kill()
            second.stop()
    finally:
        first.resume()


class _SuspendedWorker(Check):
    """Common code of these checks."""

    wave = 3
    live = True
    other_driver = True
    engines = (RESIDENT,)
    why_not_everywhere = "two Spark queries with one checkpoint are for Spark to keep apart"
    budget_s = 600.0


@registered
class SuspendedWorkerLosesNothing(_SuspendedWorker):
    """A worker that wakes up after another one took over destroys nothing."""

    id = "CON-REB-03"
    level = Level.C4
    title = "A suspended worker that wakes up does no harm: nothing lost"
    why = (
        "Virtual machines are suspended and moved; one that wakes up does not know that its work "
        "was given away."
    )
    mend = "Write buffers to names that no other task uses, and discard them in close()."
    origin = "K-EOS; NEW"

    def run(self, bench: Bench) -> Evidence:
        """Suspend a worker in mid-flow until another one has done its work; wake it up; compare."""
        woken = bench.once("suspended-worker", lambda: _woken(bench))
        require_no_loss(woken.found, _SCENARIO)
        return woken.evidence()


@registered
class ZombieWritesNothing(_SuspendedWorker):
    """What a task does after another one took over leaves no trace."""

    id = "CON-DLV-12"
    level = Level.C5
    gate = "EOS"
    title = "A task whose work was given to another one writes nothing more"
    why = "Exactly-once must hold against the former task, too, which still has a batch in hand."
    mend = (
        "Compare the batch with the offsets at the endpoint within the transaction that writes it."
    )
    origin = "K-EOS"

    def run(self, bench: Bench) -> Evidence:
        """Suspend a worker in mid-flow until another one has done its work; wake it up; compare."""
        woken = bench.once("suspended-worker", lambda: _woken(bench))
        require_equal(woken.found, _SCENARIO)
        return woken.evidence()
