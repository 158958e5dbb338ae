"""Checks that crash a task at every boundary event."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from plugwright.connector import ExactlyOnceSupport
from plugwright_conformance.catalogue.register import registered
from plugwright_conformance.evidence.outcome import Evidence, Level, NotApplicableError
from plugwright_conformance.simulator import (
    EndpointFault,
    FaultKind,
    KafkaFault,
    SimulatedCheck,
    Sweep,
)

if TYPE_CHECKING:
    from plugwright_conformance.simulator import ExperimentFactory, Plan

_MOST_PAIRS = 60
_RECORDS_A_PAIR = 500


def _pairs(factory: ExperimentFactory) -> int:
    """How many pairs of crashes to try: as many as the size of the run allows for."""
    return min(factory.bench.records // _RECORDS_A_PAIR, _MOST_PAIRS)


def _troubled(factory: ExperimentFactory) -> Plan:
    """The undisturbed life with one standing, passing fault on either side."""
    with factory.experiment() as experiment:
        calls = experiment.live(factory.plan).calls
    plan = replace(factory.plan, kafka_fault=KafkaFault(held=2, refused_commits=1))
    if not calls:
        return plan
    wanted = ("read", "recv", "fetch") if factory.is_source else ("write", "send", "execute")
    likely = [number for number, call in enumerate(calls) if any(w in call.name for w in wanted)]
    number = likely[min(1, len(likely) - 1)] if likely else 0
    return replace(plan, fault=EndpointFault(FaultKind.TRANSIENT, number))


@registered
class NothingIsLostAtAnyCrashPoint(SimulatedCheck):
    """No record is lost, whatever the point of a crash."""

    id = "CON-DLV-03"
    revision = 2
    level = Level.C3
    title = "Zero loss over the exhaustive crash-point sweep"
    why = "Sampling kills does not find a loss that needs a crash between two particular calls."
    mend = "At the reported event, find the write that was treated as done but is not durable."
    budget_s = 300.0

    def experiment(self, factory: ExperimentFactory) -> Evidence:
        """Crash at each boundary event once, at pairs of them, and again with a standing fault.

        Of a life that takes seconds, forty events spread over it are tried.
        """
        plain = Sweep(factory, factory.plan)
        plain.run(pairs=_pairs(factory))
        words = "one call to the endpoint and one commit failing in passing"
        troubled = Sweep(factory, _troubled(factory), words)
        troubled.run()
        found, more = plain.evidence(), troubled.evidence()
        figures = {**found.figures, "points_with_fault": troubled.points, "lives": factory.lives}
        count = found.observations + more.observations
        return Evidence(count, found.digest, figures, (*found.cells, *more.cells))


@registered
class ExactlyOnceAtEveryCrashPoint(SimulatedCheck):
    """No record is lost or repeated, whatever the point of a crash."""

    id = "CON-DLV-05"
    revision = 2
    level = Level.C5
    wave = 2
    title = "Zero loss and zero duplicates over the same sweep"
    why = "Exactly-once is a guarantee about crashes; without them at-least-once looks the same."
    mend = "Give every record its own exact offset, and resume right after the stored one."
    budget_s = 300.0

    def experiment(self, factory: ExperimentFactory) -> Evidence:
        """Crash at each boundary event once, with records and offsets in transactions.

        Of a life that takes seconds, forty events spread over it are tried.
        """
        if not self._claimed(factory):
            raise NotApplicableError("the connector does not declare exactly-once delivery")
        plan = replace(factory.plan, exactly_once=factory.is_source)
        factory.plan = plan
        sweep = Sweep(factory, plan, "exactly once", duplicates=True)
        sweep.run(pairs=_pairs(factory))
        return sweep.evidence()

    @staticmethod
    def _claimed(factory: ExperimentFactory) -> bool:
        bench = factory.bench
        if bench.subject.declaration.exactly_once:
            return True
        if not factory.is_source:
            return False
        with bench.endpoint() as endpoint:
            answer = bench.connector().exactly_once_support(bench.config(endpoint))  # type: ignore[attr-defined]  # sources have it
        return answer is ExactlyOnceSupport.SUPPORTED
