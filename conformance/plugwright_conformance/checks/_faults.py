"""Shared code of checks that inject faults into endpoint calls."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from plugwright_conformance.evidence.outcome import CheckFailedError, NotRunError
from plugwright_conformance.simulator import EndpointFault

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from plugwright_conformance.evidence.ledger import Reconciliation
    from plugwright_conformance.simulator import (
        Call,
        ExperimentFactory,
        FaultKind,
        LifeReport,
        Plan,
    )

FOR_EVER_S = 1e9


def healthy_calls(factory: ExperimentFactory, *phases: str) -> dict[int, Call]:
    """The calls to the endpoint in a life without faults, in these phases, by number.

    Raises:
        NotRunError: if none is seen, so that there is nothing to strike at.
        CheckFailedError: if even that life goes wrong.
    """
    life = healthy_life(factory, factory.plan)
    found = {n: call for n, call in enumerate(life.calls) if not phases or call.phase in phases}
    if not found:
        raise NotRunError(
            "the suite cannot intercept the task's calls to its endpoint, so none can fail"
        )
    return found


def healthy_life(factory: ExperimentFactory, plan: Plan) -> LifeReport:
    """A life by a plan without faults.

    Raises:
        CheckFailedError: if even that goes wrong.
    """
    with factory.experiment() as experiment:
        life = experiment.live(plan)
        factory.require_complete(experiment, [life], "no fault")
    return life


def require_waited_out(life: LifeReport, scenario: str) -> None:
    """Object to a task that a passing error has failed.

    Raises:
        CheckFailedError: if it has.
    """
    if life.ending == "failed":
        raise CheckFailedError(
            expected="another attempt by the task, or RetriableError",
            observed=life.error,
            scenario=scenario,
            likely="a temporary error is treated as fatal",
        )


def struck(factory: ExperimentFactory, kind: FaultKind, number: int, seconds: float = 5.0) -> Plan:
    """The undisturbed life, with a fault from this call on."""
    return replace(factory.plan, fault=EndpointFault(kind, number, seconds))


def sampled(numbers: Sequence[int], most: int) -> list[int]:
    """At most so many of the numbers, evenly spread, the first and the last among them."""
    if len(numbers) <= most:
        return list(numbers)
    return [numbers[i * (len(numbers) - 1) // (most - 1)] for i in range(most)]


def _anything(_: LifeReport, __: int, ___: str) -> None:
    """Every end of a life is permitted."""


def complete_after_each(
    factory: ExperimentFactory,
    kinds: Iterable[FaultKind],
    numbers: Sequence[int],
    likely: str,
    require: Callable[[LifeReport, int, str], None] = _anything,
) -> tuple[Reconciliation, int, int]:
    """Strike once with each kind of fault at each of the calls, and insist on every record.

    Args:
        factory: of the check.
        kinds: of faults.
        numbers: of the calls to the endpoint.
        likely: the usual cause of a loss.
        require: objects to a life that a fault has struck, given the call and the scenario.

    Returns:
        What the last life left at the endpoint, how many lives there were, and how many of them
        repeated records.

    Raises:
        CheckFailedError: if records are missing.
    """
    lives = repeated = 0
    for kind in kinds:
        for number in numbers:
            scenario = f"{kind.value} at call {number} to the endpoint"
            with factory.experiment() as experiment:
                ends = experiment.drain(struck(factory, kind, number))
                found = factory.require_complete(experiment, ends, scenario, likely=likely)
                require(ends[0], number, scenario)
            lives += 1
            repeated += bool(found.duplicated)
    return found, lives, repeated


def require_calm(lives: Sequence[LifeReport], scenario: str) -> None:
    """Object to exceptions that the contract does not have.

    Raises:
        CheckFailedError: if there was one.
    """
    for life in lives:
        if life.foreign:
            raise CheckFailedError(
                expected="ConnectError, RetriableError or a subclass, or no error",
                observed=str(life.foreign[0]),
                scenario=scenario,
                likely="a library's exception is not converted",
            )
