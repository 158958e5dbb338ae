"""Check that a sink stores its offsets together with its records."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from plugwright_conformance.catalogue.check import SINK_ONLY
from plugwright_conformance.catalogue.register import registered
from plugwright_conformance.checks._faults import sampled
from plugwright_conformance.evidence.outcome import (
    CheckFailedError,
    Evidence,
    Level,
    NotApplicableError,
)
from plugwright_conformance.simulator import SimulatedCheck
from plugwright_conformance.subject.names import TOPIC

if TYPE_CHECKING:
    from collections.abc import Mapping

    from plugwright_conformance.simulator import Experiment, ExperimentFactory

_HOOK = "read_offsets"
_POINTS = 16


@registered
class OffsetsChangeWithRecords(SimulatedCheck):
    """Records and the offsets at the endpoint change together."""

    id = "CON-DLV-08"
    kinds = SINK_ONLY
    level = Level.C5
    wave = 2
    title = "Data and offset at the endpoint change atomically"
    why = "A crash between the two writes loses records or writes them twice."
    mend = "Write records and offsets in one transaction, or in one file that is renamed."
    gate = "EOS"
    origin = "kafka-connect-scylladb#46; G-OffSnk"
    budget_s = 120.0

    def experiment(self, factory: ExperimentFactory) -> Evidence:
        """Crash at many events; compare the stored offsets with the stored records each time."""
        with factory.experiment() as experiment:
            if experiment.endpoint.driver.hook(_HOOK) is None:
                raise NotApplicableError(f"the endpoint driver does not implement {_HOOK}()")
            life = experiment.live(factory.plan)
            factory.require_complete(experiment, [life], "no crash")
            whole = self._compare(experiment, "no crash")
        points = sampled(range(len(life.events)), _POINTS)
        for number in points:
            with factory.experiment() as experiment:
                experiment.live(replace(factory.plan, stop_at=number))
                self._compare(experiment, f"a crash at event {number} ({life.events[number]})")
        return Evidence(len(points), figures={"crashes": len(points), "stored_offsets": whole})

    @staticmethod
    def _compare(experiment: Experiment, scenario: str) -> int:
        """Every record below a stored offset is there, and none above; how many offsets there are.

        Raises:
            CheckFailedError: if they differ.
        """
        stored: Mapping[tuple[str, int], int] = {
            (topic, partition): offset
            for topic, partition, offset in experiment.endpoint.driver.hook(_HOOK) or ()
        }
        present = {str(value) for value in experiment.observed()}
        missing, early = 0, 0
        for partition in range(2):
            log = experiment.world.kafka.log(TOPIC, partition)
            end = stored.get((TOPIC, partition), 0)
            for entry in log.read(0, log.end, committed=False):
                there = (entry.value or b"").decode() in present
                missing += entry.offset < end and not there
                early += entry.offset >= end and there
        if missing or early:
            raise CheckFailedError(
                expected="the records below the stored offsets at the endpoint, and no others",
                observed=f"{missing} records below them missing, {early} from them on there",
                scenario=scenario,
                likely="records and offsets are written in two transactions",
            )
        return len(stored)
