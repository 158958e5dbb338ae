"""Check that performs random legal operations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright_conformance.catalogue.register import registered
from plugwright_conformance.evidence.outcome import Evidence, Level
from plugwright_conformance.simulator import SimulatedCheck

if TYPE_CHECKING:
    from plugwright_conformance.simulator import ExperimentFactory


@registered
class RandomWalkKeepsInvariants(SimulatedCheck):
    """No order of legal operations loses records."""

    id = "CON-DLV-13"
    revision = 2
    level = Level.C3
    title = "A random walk over legal operations keeps the invariants"
    why = "Some losses need a rebalance, then a fault, then a flush; few tests cover that."
    mend = "Follow the script in the message, one operation at a time."
    budget_s = 300.0

    def experiment(self, factory: ExperimentFactory) -> Evidence:
        """Produce, pause, crash, restart, rebalance, strike and heal, in any order."""
        from plugwright_conformance.simulator.machine import random_walk  # noqa: PLC0415  # an extra

        done = random_walk(factory, factory.random.getrandbits(32))
        worlds = done.pop("worlds")
        steps = sum(done.values())
        figures = {"worlds": worlds, "steps": steps, "lives": factory.lives, **done}
        return Evidence(steps, figures=figures)
