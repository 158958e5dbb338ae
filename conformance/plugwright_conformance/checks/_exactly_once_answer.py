"""Check of what a source answers when it is asked for exactly-once support (KIP-618)."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from plugwright.config import CaseInsensitiveValidString, ConfigType, ValidString
from plugwright.connector import ExactlyOnceSupport
from plugwright.errors import ConnectError
from plugwright_conformance.catalogue.check import SOURCE_ONLY
from plugwright_conformance.catalogue.register import registered
from plugwright_conformance.checks._faults import sampled
from plugwright_conformance.evidence.outcome import (
    CheckFailedError,
    Evidence,
    Level,
    NotApplicableError,
)
from plugwright_conformance.simulator import SimulatedCheck

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from plugwright.config import ConfigKey
    from plugwright_conformance.simulator import ExperimentFactory

_POINTS = 8
_EXACTLY_ONCE = "exactly-once"


@registered
class ExactlyOnceAnswerIsTrue(SimulatedCheck):
    """A source says whether it delivers exactly once, and that is true."""

    id = "CON-DLV-09"
    kinds = SOURCE_ONLY
    level = Level.C5
    wave = 2
    title = "The exactly-once answer to the runtime is explicit and true"
    why = "The runtime rejects exactly.once.support=required, or relies on what is not so."
    mend = "Override exactly_once_support(); return SUPPORTED or UNSUPPORTED for every setting."
    origin = "KIP-618"
    budget_s = 120.0

    def experiment(self, factory: ExperimentFactory) -> Evidence:
        """Ask with the example configuration, and with other values of its settings; then crash."""
        bench = factory.bench
        declared = bench.subject.declaration.delivery == _EXACTLY_ONCE
        with bench.endpoint() as endpoint:
            config = bench.config(endpoint)
            answer = self._asked(factory, config, "the example configuration", strict=declared)
            if not declared and answer is not ExactlyOnceSupport.SUPPORTED:
                raise NotApplicableError("the connector does not claim exactly-once delivery")
            asked = 1
            for words, variant in _variants(factory, config):
                self._asked(factory, variant, words, strict=True)
                asked += 1
        if answer is not ExactlyOnceSupport.SUPPORTED:
            raise CheckFailedError(
                expected="SUPPORTED, because conformance.toml declares exactly-once",
                observed=str(getattr(answer, "name", answer)),
                scenario="exactly_once_support() with the example configuration",
                likely="the answer of a template or of the base class is still there",
            )
        crashes = self._crash(factory)
        return Evidence(asked + crashes, figures={"configurations": asked, "crashes": crashes})

    @staticmethod
    def _asked(
        factory: ExperimentFactory, config: Mapping[str, str], words: str, *, strict: bool
    ) -> object:
        """The answer for a configuration, which must be one of two if it matters."""
        connector: Any = factory.bench.connector()
        try:
            answer = connector.exactly_once_support(dict(config))
        except ConnectError:
            raise
        except Exception as error:  # noqa: BLE001  # it is no answer
            answer, found = None, f"{type(error).__name__}: {error}"
        else:
            found = repr(answer)
        if strict and not isinstance(answer, ExactlyOnceSupport):
            raise CheckFailedError(
                expected="SUPPORTED or UNSUPPORTED",
                observed=found,
                scenario=f"exactly_once_support() with {words}",
                likely="the method is not overridden, or ends without an answer",
            )
        return answer

    @staticmethod
    def _crash(factory: ExperimentFactory) -> int:
        """Crash some times, with records and offsets in transactions; how often."""
        factory.plan = replace(factory.plan, exactly_once=True)
        with factory.experiment() as experiment:
            life = experiment.live(factory.plan)
            factory.require_complete(experiment, [life], "no crash")
        points = sampled(range(len(life.events)), _POINTS)
        for number in points:
            with factory.experiment() as experiment:
                experiment.live(replace(factory.plan, stop_at=number))
                experiment.drain()
                found = experiment.reconcile()
            if not found.exact:
                raise CheckFailedError(
                    expected=f"all {found.entered} values, once each, as the answer SUPPORTED says",
                    observed=str(found),
                    scenario=f"a crash at event {number} ({life.events[number]}), then a new task",
                    likely="the offset of a record is not where a new task goes on behind it",
                )
        return len(points)


def _variants(
    factory: ExperimentFactory, config: Mapping[str, str]
) -> Iterator[tuple[str, Mapping[str, str]]]:
    """Valid configurations that differ from the given one in one setting, with words for it."""
    definition = factory.bench.connector().config()
    for key in definition.keys.values():
        for value in _other_values(key, config.get(key.name)):
            variant = {**config, key.name: value}
            with suppress(Exception):  # a value may need other settings
                definition.parse(variant)
                yield f"{key.name}={value}", variant


def _other_values(key: ConfigKey, value: str | None) -> Iterator[str]:
    """The other values of a setting that has a list of them."""
    if key.type is ConfigType.BOOLEAN:
        current = key.default_value if value is None else value.lower() == "true"
        yield "false" if current else "true"
    elif isinstance(key.validator, ValidString | CaseInsensitiveValidString):
        yield from (each for each in key.validator.valid_strings if each and each != value)
