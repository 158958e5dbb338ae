"""Check that a slow endpoint holds a sink back."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from plugwright_conformance.catalogue.check import SINK_ONLY
from plugwright_conformance.catalogue.register import registered
from plugwright_conformance.evidence.outcome import (
    CheckFailedError,
    Evidence,
    Level,
    NotApplicableError,
)
from plugwright_conformance.simulator import Intake, SimulatedCheck

if TYPE_CHECKING:
    from plugwright_conformance.simulator import ExperimentFactory, LifeReport

_FETCH = 500
"""As many as a consumer returns at once by default."""


@registered
class SlowEndpointHoldsBack(SimulatedCheck):
    """A slow endpoint holds a sink back, instead of filling the memory."""

    id = "CON-RES-05"
    kinds = SINK_ONLY
    level = Level.C3
    wave = 2
    title = "A slow endpoint produces back-pressure, not an unbounded buffer"
    why = "Kafka is faster than most endpoints: a queue without a limit grows until memory is full."
    mend = "Bound the queue, and block in put(), raise RetriableError or pause the partitions."
    origin = "kinesis#2"

    def experiment(self, factory: ExperimentFactory) -> Evidence:
        """Let all calls of the task's own threads be slow; count what put() takes meanwhile.

        Calls on the worker's thread hold the task back by themselves.
        """
        most = factory.bench.subject.declaration.max_buffered
        if not any(call.own_thread for call in self._lived(factory, 0, 24).calls):
            raise NotApplicableError("the task calls its endpoint on no thread of its own")
        life = self._lived(factory, most + _FETCH, most + 3 * _FETCH)
        if life.ahead > most + _FETCH:
            raise CheckFailedError(
                expected=f"at most {most:,} records in memory, plus one batch",
                observed=f"{life.ahead:,} records taken while none was written",
                scenario="each call of the task's own threads takes a long time; "
                f"put() is given batches of {_FETCH}",
                likely="the queue between put() and the thread has no limit",
            )
        return Evidence(max(life.ahead, 1), figures={"ahead": life.ahead, "answers": life.answers})

    @staticmethod
    def _lived(factory: ExperimentFactory, limit: int, count: int) -> LifeReport:
        plan = replace(factory.plan, slow_answers=limit, intake=Intake(_FETCH, across=True))
        with factory.experiment(0) as experiment:
            experiment.grow(count)
            return experiment.live(plan)
