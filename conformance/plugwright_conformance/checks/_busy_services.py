"""Checks of services that are asked by HTTP, and are busy or silent."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from plugwright_conformance.catalogue.check import Level, Severity
from plugwright_conformance.catalogue.register import registered
from plugwright_conformance.checks._faults import healthy_life, require_waited_out, sampled
from plugwright_conformance.evidence.outcome import CheckFailedError, Evidence, NotApplicableError
from plugwright_conformance.simulator import BusyAnswer, SimulatedCheck

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from plugwright_conformance.simulator import ExperimentFactory, HttpRequest, Plan

_AT_WORK = ("poll", "put", "pre_commit")
_NO_REQUEST = "the task makes no request by Python's http.client"
_POINTS = 8
_STATUSES = (503, 429)


@registered
class BusyAnswerIsNoSuccess(SimulatedCheck):
    """What a busy service has not taken or given is written or read later."""

    id = "CON-ERR-08"
    level = Level.C3
    wave = 2
    title = "A service that answers 503 or 429 costs no record"
    why = "A client library that raises no exception for a status lets such records vanish."
    mend = "Look at the status of each answer; raise RetriableError for 429, 502, 503 and 504."
    origin = "seatunnel#12312; RFC 9110, 15.6.4; RFC 6585, 4"
    budget_s = 120.0

    def experiment(self, factory: ExperimentFactory) -> Evidence:
        """Answer requests by HTTP in place of the service, one in each life; reconcile."""
        for plan, scenario in _busy_plans(factory):
            with factory.experiment() as experiment:
                lives = experiment.drain(plan)
                found = factory.require_complete(
                    experiment,
                    lives,
                    scenario,
                    likely="the status of the answer is not looked at",
                )
        return Evidence(factory.lives, found.digest, found.figures())


@registered
class BusyServiceIsWaitedOut(SimulatedCheck):
    """A service that is busy once does not fail the task."""

    id = "CON-ERR-09"
    severity = Severity.SHOULD
    level = Level.C4
    wave = 2
    title = "A service that answers 503 or 429 does not fail the task"
    why = "Services answer so while they are updated, or when a quota is used up for a second."
    mend = "Wait and send the request again, or raise RetriableError; the worker tries again."
    origin = "iceberg-kafka-connect#257; RFC 9110, 15.6.4; RFC 6585, 4"
    budget_s = 120.0

    def experiment(self, factory: ExperimentFactory) -> Evidence:
        """Answer one request by HTTP in place of the service; expect the task to go on."""
        for plan, scenario in _busy_plans(factory):
            with factory.experiment() as experiment:
                life = experiment.live(plan)
            require_waited_out(life, f"{scenario}; the next request would have been served")
        return Evidence(factory.lives)


@registered
class RequestsHaveALimit(SimulatedCheck):
    """A service that says nothing does not hold the task for ever."""

    id = "CON-ERR-10"
    severity = Severity.SHOULD
    level = Level.C4
    wave = 2
    title = "Requests by HTTP have a time limit"
    why = "A service that accepts a request and dies never answers; the task looks healthy."
    mend = "Give the client a timeout: urlopen(..., timeout=), HTTPConnection(..., timeout=)."
    origin = "connectors#6813"
    budget_s = 60.0

    def experiment(self, factory: ExperimentFactory) -> Evidence:
        """Look at the time limit of each request of an undisturbed life."""
        requests = _requests(factory)
        for number, request in enumerate(requests):
            if request.limit_s is None:
                raise CheckFailedError(
                    expected="a time limit for each request",
                    observed=f"{request.method} in {request.phase}() waits for ever",
                    scenario=f"request {number} of {len(requests)}, no fault",
                    likely="the client is given no timeout, and has none by default",
                )
        return Evidence(len(requests))


def _busy_plans(factory: ExperimentFactory) -> Iterator[tuple[Plan, str]]:
    """Lives in which one request of poll(), put() or a commit is answered so, with their scenarios.

    Raises:
        NotApplicableError: if the task makes no such request.
    """
    numbers = [n for n, each in enumerate(_requests(factory)) if each.phase in _AT_WORK]
    if not numbers:
        raise NotApplicableError(_NO_REQUEST)
    for number in sampled(numbers, _POINTS):
        for status in _STATUSES:
            plan = replace(factory.plan, busy=BusyAnswer(number, status))
            yield plan, f"request {number} answered with {status}, Retry-After: 1"


def _requests(factory: ExperimentFactory) -> Sequence[HttpRequest]:
    """The requests of a life without faults.

    Raises:
        NotApplicableError: if there is none.
    """
    life = healthy_life(factory, replace(factory.plan, busy=BusyAnswer()))
    if not life.requests:
        raise NotApplicableError(_NO_REQUEST)
    return life.requests
