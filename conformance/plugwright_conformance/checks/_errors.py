"""Checks of the exceptions that a plugin raises."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from plugwright.config import ConfigType
from plugwright_conformance.catalogue.check import Level
from plugwright_conformance.catalogue.register import registered
from plugwright_conformance.checks._faults import require_calm, sampled, struck
from plugwright_conformance.checks.places import Places
from plugwright_conformance.evidence.outcome import CheckFailedError, Evidence, NotApplicableError
from plugwright_conformance.simulator import (
    EndpointFault,
    FaultKind,
    KafkaFault,
    SimulatedCheck,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from plugwright_conformance.simulator import ExperimentFactory

_POINTS = 12
_KINDS = (
    FaultKind.FOREIGN,
    FaultKind.HANG,
    FaultKind.RESET,
    FaultKind.EXPIRED,
    FaultKind.THROTTLED,
)
_SHORTEST = 4


@registered
class OnlyConnectErrors(SimulatedCheck):
    """Plugins raise only exceptions of the API."""

    id = "CON-ERR-01"
    level = Level.C2
    title = "Only Connect exception classes cross the API"
    why = "The runtime cannot tell from a library's exception whether the error is temporary."
    mend = "Catch the library's exceptions, and raise ConnectError or RetriableError from them."
    budget_s = 300.0  # a source that others call may wait in each of its lives

    def experiment(self, factory: ExperimentFactory) -> Evidence:
        """Make calls to the endpoint fail in five ways; collect every exception that comes out."""
        with factory.experiment() as experiment:
            healthy = experiment.live(factory.plan)
        require_calm([healthy], "no fault")
        points = sampled(range(len(healthy.calls)), _POINTS)
        crossings = 0
        for kind in _KINDS:
            for number in points:
                call = healthy.calls[number]
                with factory.experiment() as experiment:
                    lives = experiment.drain(struck(factory, kind, number))
                words = f"{kind.value} at call {number} to the endpoint, {call.name}"
                require_calm(lives, f"{words} in {call.phase}()")
                crossings += sum(len(life.crossings) for life in lives)
        figures = {"cells": len(points) * len(_KINDS), "exceptions": crossings}
        return Evidence(1 + len(points) * len(_KINDS), figures=figures)


@registered
class EveryFaultEndsWell(SimulatedCheck):
    """Whatever happens to a call, the task neither hangs nor loses records."""

    id = "CON-ERR-05"
    revision = 2
    level = Level.C4
    wave = 2
    title = "Every endpoint call and fault ends in retry-success, Retriable or Connect error"
    why = "Half-open connections and lost responses are common in production."
    mend = (
        "Set a timeout for every wait, and treat a lost response as a write that may have happened."
    )
    budget_s = 600.0  # twice as many lives as in CON-ERR-01

    def experiment(self, factory: ExperimentFactory) -> Evidence:
        """Let each fault that it can have strike each call, Kafka redeliver; heal, reconcile."""
        with factory.experiment() as experiment:
            calls = experiment.live(factory.plan).calls
        plans = {
            f"{kind.value} at call {number} to the endpoint, {calls[number].name}": (
                f"{calls[number].phase}: {calls[number].name}",
                kind.value,
                struck(factory, kind, number),
            )
            for kind in FaultKind
            for number in sampled(range(len(calls)), _POINTS)
        }
        if not factory.is_source:
            for poll in range(1, _POINTS):
                fault = KafkaFault(redelivered=poll)
                plan = replace(factory.plan, kafka_fault=fault)
                words = f"duplicate delivery after poll {poll}"
                plans[words] = "Kafka: poll", "duplicate delivery", plan
        repeated, places = 0, Places("faults")
        for words, (row, column, plan) in plans.items():
            with factory.experiment() as experiment, places.at(row, column):
                lives = experiment.drain(plan)
                require_calm(lives, words)
                found = factory.require_complete(experiment, lives, words)
            places.reconciled(column, found)
            repeated += bool(found.duplicated)
        if not any(call.name.startswith("socket.") for call in calls):
            raise NotApplicableError(
                "the task opens no network connection, and survives other faults", places.cells()
            )
        figures = {"cells": len(plans), "cells_with_repetition": repeated}
        return Evidence(len(plans), figures=figures, cells=places.cells())


@registered
class UnreachableIsExplained(SimulatedCheck):
    """A connection error names the host and shows no credentials."""

    id = "CON-ERR-03"
    revision = 2
    level = Level.C2
    title = "Unreachable endpoint gives a Connect error with host and without secret"
    why = "Every user sees this error first, and pastes it into tickets."
    mend = "Raise ConnectError with the host that was tried, and without credentials."

    def experiment(self, factory: ExperimentFactory) -> Evidence:
        """Refuse every connection, and read the error."""
        plan = replace(factory.plan, fault=EndpointFault(FaultKind.UNREACHABLE))
        factory.more_settings = self._canaries(factory)
        with factory.experiment() as experiment:
            life = experiment.live(plan)
            config = experiment.config
        if not any(call.name == "socket.connect" for call in life.calls):
            raise NotApplicableError("the task opens no network connection")
        require_calm([life], "every connection refused")
        if not life.crossings:
            raise CheckFailedError(
                expected="a ConnectError that names the host",
                observed="no error",
                scenario="every connection refused",
            )
        text = life.crossings[0].message
        self._must_name_host(text, config, factory)
        self._must_keep_secrets(text, config, factory)
        return Evidence(len(life.crossings), figures={"exceptions": len(life.crossings)})

    @staticmethod
    def _canaries(factory: ExperimentFactory) -> dict[str, str]:
        """A recognizable password for every setting that takes one."""
        keys = factory.bench.connector().config().keys
        declared = factory.bench.subject.declaration.config
        secret = f"canary-{factory.random.getrandbits(64):x}"
        secrets = [name for name, key in keys.items() if key.type is ConfigType.PASSWORD]
        return {name: secret for name in secrets if name not in declared}

    @staticmethod
    def _must_name_host(text: str, config: Mapping[str, str], factory: ExperimentFactory) -> None:
        keys = factory.bench.connector().config().keys
        defaults = factory.bench.connector().config().default_values
        values = [config.get(name, str(defaults.get(name))) for name in keys]
        hosts = {urlsplit(v if "//" in v else f"//{v}").hostname or v for v in values}
        if not any(host in text.lower() for host in hosts if len(host) >= _SHORTEST):
            raise CheckFailedError(
                expected="the host that was tried, in the message",
                observed=text,
                scenario="every connection refused",
            )

    @staticmethod
    def _must_keep_secrets(
        text: str, config: Mapping[str, str], factory: ExperimentFactory
    ) -> None:
        for name, key in factory.bench.connector().config().keys.items():
            secret = config.get(name, "")
            if key.type is ConfigType.PASSWORD and len(secret) >= _SHORTEST and secret in text:
                raise CheckFailedError(
                    expected=f"no part of {name} in the message",
                    observed=text.replace(secret, "[hidden]"),
                    scenario="every connection refused",
                )
