"""Check that values keep their order while calls fail and are tried again."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING

from plugwright_conformance.catalogue.check import Level
from plugwright_conformance.catalogue.register import registered
from plugwright_conformance.checks._faults import sampled, struck
from plugwright_conformance.checks._stepped_tasks import running_source
from plugwright_conformance.checks.flows import COUNT, KEYS, require_last, require_order
from plugwright_conformance.checks.order import partition_name, promised_order
from plugwright_conformance.evidence.outcome import Evidence
from plugwright_conformance.simulator import FaultKind, Intake, KafkaFault, SimulatedCheck
from plugwright_conformance.subject.contexts import SourceContext

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence

    from plugwright_conformance.simulator import Call, Experiment, ExperimentFactory, Plan

_FETCH = 4
"""The records of a batch, so that one that has failed is followed by others before a commit."""
_BATCHES, _OTHERS = 6, 3
_MOVING = frozenset({"poll", "put"})
_PATIENCE_S = 1.0


@registered
class OrderIsKept(SimulatedCheck):
    """Values of one scope arrive in their order, whatever had to be tried again."""

    id = "CON-DLV-10"
    level = Level.C3
    wave = 2
    title = "Order is kept in its declared scope, also under retries"
    why = "A write that is tried again after newer ones replaces the new value by the old one."
    mend = "Try a failed batch again before anything newer, or seek back to its first record."
    gate = "ORDER"
    origin = "G-OffSnk; redpanda-connect#4387"
    budget_s = 180.0

    def experiment(self, factory: ExperimentFactory) -> Evidence:
        """Fail calls and commits in passing; look at the order of the last arrivals."""
        scope = promised_order(factory.bench)
        intake = Intake(_FETCH, across=True, keys=KEYS if scope == "key" else 0)
        factory.plan = replace(factory.plan, intake=intake)
        plans = self._plans(factory)
        for scenario, plan in plans.items():
            with factory.experiment(COUNT) as experiment:
                lives = experiment.drain(plan)
                flows = _flows(experiment, scope)
                require_order(flows, scope, scenario)
                if lives[-1].drained and factory.bench.subject.declaration.claims("upsert"):
                    require_last(flows, scope, scenario)
        return Evidence(len(plans) * COUNT, figures={"lives_with_faults": len(plans)})

    @staticmethod
    def _plans(factory: ExperimentFactory) -> Mapping[str, Plan]:
        """Lives with one fault each, by what happens in them."""
        with factory.experiment(COUNT) as experiment:
            calls = experiment.live(factory.plan).calls
        kafka = KafkaFault(held=2) if factory.is_source else KafkaFault(redelivered=3)
        plans = {"records delivered again by Kafka": replace(factory.plan, kafka_fault=kafka)}
        for kind, number in _strikes(calls):
            words = f"{kind.value} of {calls[number].name}, call {number} to the endpoint"
            plans[words] = struck(factory, kind, number)
        return plans


def _strikes(calls: Sequence[Call]) -> Iterator[tuple[FaultKind, int]]:
    """The first calls of batches fail; some others fail after they took effect."""
    moving = [number for number, call in enumerate(calls) if call.phase in _MOVING]
    first_of_batches = list({calls[number].at: number for number in reversed(moving)}.values())
    for number in sampled(sorted(first_of_batches), _BATCHES):
        yield FaultKind.TRANSIENT, number
    for number in sampled(range(len(calls)), _OTHERS):
        yield FaultKind.RESET, number


def _flows(experiment: Experiment, scope: str) -> Mapping[Hashable, Sequence[int]]:
    """The numbers of the values that arrived, in order, of each scope."""
    numbers = {value: number for number, value in enumerate(experiment.ledger.values)}
    arrived = [numbers[value] for value in experiment.observed() if value in numbers]
    if not experiment.factory.is_source:
        divisor = KEYS if scope == "key" else 2  # as the simulator deals records out
        return _divided(arrived, {number: number % divisor for number in arrived})
    if scope == "key":
        return _divided(arrived, _keys(experiment, numbers))
    if arrived == sorted(arrived):
        return {"": arrived}
    return _divided(arrived, _partitions(experiment, numbers))


def _divided(
    arrived: Iterable[int], scopes: Mapping[int, Hashable]
) -> Mapping[Hashable, Sequence[int]]:
    flows: dict[Hashable, list[int]] = defaultdict(list)
    for number in arrived:
        if number in scopes:
            flows[scopes[number]].append(number)
    return flows


def _keys(experiment: Experiment, numbers: Mapping[str, int]) -> Mapping[int, Hashable]:
    """The key of each value that a source has sent with one."""
    stored = experiment.world.arrived(committed=experiment.factory.plan.exactly_once)
    sent = [((each.value or b"").decode(), each.key) for each in stored]
    return {numbers[value]: key for value, key in sent if key and value in numbers}


def _partitions(experiment: Experiment, numbers: Mapping[str, int]) -> Mapping[int, Hashable]:
    """The source partition of each value that can be read once more."""
    bench, seeded = experiment.factory.bench, experiment.endpoint.driver.seeded
    with running_source(bench, experiment.config, SourceContext()) as task:
        records = task.take(len(numbers), _PATIENCE_S)
    found = {numbers.get(seeded(record.value)): partition_name(record) for record in records}
    return {number: name for number, name in found.items() if number is not None}
