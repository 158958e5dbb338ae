"""Check of what a sink reports of a record that it cannot write."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from plugwright_conformance.catalogue.capabilities import password_keys
from plugwright_conformance.catalogue.check import SINK_ONLY
from plugwright_conformance.catalogue.register import registered
from plugwright_conformance.checks._canaries import SHORTEST, found_in
from plugwright_conformance.checks._poison import WITH_QUEUE, poisoned
from plugwright_conformance.checks.undeclared_types import undeclared_value
from plugwright_conformance.evidence.outcome import (
    CheckFailedError,
    Evidence,
    Level,
    NotApplicableError,
    Severity,
)
from plugwright_conformance.simulator import DEAD_LETTERS, SimulatedCheck
from plugwright_conformance.subject.names import TOPIC

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from plugwright_conformance.simulator import Experiment, ExperimentFactory

_PREFIX = "__connect.errors."
_PLACE = ("topic", "partition", "offset")
_MESSAGE = "exception.message"
_TEXTS = (_MESSAGE, "exception.stacktrace")
_SCENARIO = "a bad record in the dead-letter queue, with context headers"


@registered
class ReportsNameTheirRecord(SimulatedCheck):
    """A report has the record that the task was given, and an error without secrets."""

    id = "SNK-ERR-09"
    severity = Severity.SHOULD
    kinds = SINK_ONLY
    level = Level.C3
    wave = 2
    title = "Context headers of dead letters are right and clean"
    why = (
        "By topic, partition and offset an operator finds the record and the reason, months later."
    )
    mend = "Report the record that put() was given, with an error that states the reason."
    gate = "DLQ"
    origin = "K-err"

    def experiment(self, factory: ExperimentFactory) -> Evidence:
        """Compare each dead letter with the record at the place that its headers name."""
        errors = replace(WITH_QUEUE, dead_letter_headers=True)
        poison = undeclared_value(factory.bench)
        with poisoned(factory) as experiment:
            experiment.live(replace(factory.plan, errors=errors, poison=poison))
            secrets = _secrets(factory, experiment)
            there = {
                (TOPIC, str(entry.partition), str(entry.offset)): (entry.key, entry.value)
                for entry in experiment.world.kafka.read(TOPIC)
            }
            letters = experiment.world.kafka.read(DEAD_LETTERS)
        for letter in letters:
            context = _context(letter.headers)
            topic, partition, offset = (context[part] for part in _PLACE)
            if there.get((topic, partition, offset)) != (letter.key, letter.value):
                raise CheckFailedError(
                    expected="the record at the place that the headers name",
                    observed=f"another one than that of {topic}-{partition}@{offset}",
                    scenario=_SCENARIO,
                    likely="a copy is reported, which was made without position, key or value",
                )
            self._judge_error(context, secrets)
        if not letters:
            raise NotApplicableError("no record was reported")
        return Evidence(len(letters), figures={"searched_for": len(secrets)})

    @staticmethod
    def _judge_error(context: Mapping[str, str], secrets: Mapping[str, str]) -> None:
        """The error has a message, and none of the secrets."""
        if not context[_MESSAGE]:
            raise CheckFailedError(
                expected="an error that states the reason",
                observed=f"{context['exception.class.name']} without a message",
                scenario=_SCENARIO,
            )
        for key, secret in secrets.items():
            if form := found_in(" ".join(context[name] for name in _TEXTS), secret):
                line = context[_MESSAGE].replace(form, "<secret>")
                raise CheckFailedError(
                    expected=f"an error without the value of {key}",
                    observed=f"it, in the error: {line[:120]}",
                    scenario=_SCENARIO,
                    likely="the settings are part of the error",
                )


def _context(headers: Iterable[tuple[str, bytes | None]]) -> Mapping[str, str]:
    """The context headers, without their prefix."""
    return {
        name.removeprefix(_PREFIX): (value or b"").decode()
        for name, value in headers
        if name.startswith(_PREFIX)
    }


def _secrets(factory: ExperimentFactory, experiment: Experiment) -> Mapping[str, str]:
    """The secret settings, but for those that are short, or part of another setting's value."""
    config = experiment.config
    secret = password_keys(factory.bench)
    others = [value for key, value in config.items() if key not in secret]
    return {
        key: value
        for key in secret
        if len(value := config.get(key, "")) >= SHORTEST
        and not any(found_in(other, value) for other in others)
    }
