"""Checks of the `ConfigDef` and of validate()."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from plugwright.config import (
    CaseInsensitiveValidString,
    Range,
    ValidList,
    ValidString,
)
from plugwright.errors import ConfigError
from plugwright_conformance.catalogue.check import Check, Level, Severity
from plugwright_conformance.catalogue.register import registered
from plugwright_conformance.checks._config import BAD_VALUES, errors_by_key, named
from plugwright_conformance.checks.census import left_over
from plugwright_conformance.evidence.outcome import CheckFailedError, Evidence, NotApplicableError
from plugwright_conformance.processes.isolated import run_isolated

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from plugwright.config import ConfigKey
    from plugwright_conformance.catalogue.bench import Bench

_RESERVED = frozenset(
    {
        "name",
        "connector.class",
        "connector.plugin.version",
        "tasks.max",
        "tasks.max.enforce",
        "topics",
        "topics.regex",
        "key.converter",
        "value.converter",
        "header.converter",
        "transforms",
        "predicates",
        "config.action.reload",
        "exactly.once.support",
        "transaction.boundary",
        "transaction.boundary.interval.ms",
        "offsets.storage.topic",
    }
)
_RESERVED_PREFIXES = (
    "errors.",
    "transforms.",
    "predicates.",
    "key.converter.",
    "value.converter.",
    "header.converter.",
    "topic.creation.",
    "producer.override.",
    "consumer.override.",
    "admin.override.",
)


@registered
class DefinitionIsDeterministic(Check):
    """The definition is the same in every process."""

    id = "CON-CFG-01"
    level = Level.C1
    title = "config() returns a definition, is never null and is deterministic"
    why = "Documentation, validation and user interfaces use it, each in its own process."
    mend = "Define the keys in a fixed order, preferably in a constant."
    origin = "G-Cfg; K-jdoc"

    def run(self, bench: Bench) -> Evidence:
        """Ask in two processes, whose hash seeds differ, and compare."""
        plugin = bench.plugin_class()
        answers = [
            run_isolated(
                bench.subject,
                "describe-config",
                "config() in a process of its own",
                module=plugin.__module__,
                qualname=plugin.__qualname__,
            )["keys"]
            for _ in range(2)
        ]
        for number, (one, other) in enumerate(zip(*answers, strict=False)):
            if one != other:
                raise CheckFailedError(
                    expected=f"key {number}: {one.split()[0]}, as in another process",
                    observed=other.split()[0],
                    scenario="two processes with different hash seeds",
                )
        if len(answers[0]) != len(answers[1]):
            raise CheckFailedError(f"{len(answers[0])} keys", f"{len(answers[1])} keys")
        return Evidence(len(answers[0]) + 1)


def _keys(bench: Bench) -> Sequence[ConfigKey]:
    return list(bench.connector().config().keys.values())


@registered
class DefaultsAreValid(Check):
    """Every default is valid."""

    id = "CON-CFG-03"
    level = Level.C1
    title = "Defaults satisfy their own type and validators"
    why = "A configuration that relies on an invalid default fails."
    mend = "Correct the default or the validator."
    origin = "G-Cfg; CDT"

    def run(self, bench: Bench) -> Evidence:
        """Parse and validate every default."""
        keys = [key for key in _keys(bench) if key.has_default]
        if not keys:
            raise NotApplicableError("no key has a default")
        for key in keys:
            text = key.default_value
            try:
                parsed = key.parse({key.name: text}, None) if text is not None else None
                if key.validator is not None:
                    key.validator(key.name, parsed)
            except ConfigError as error:
                raise CheckFailedError(
                    expected=f"a default of {key.name} that is valid",
                    observed=f"{text!r}: {error}",
                ) from error
        return Evidence(len(keys))


def edges(key: ConfigKey) -> Iterator[tuple[Any, bool]]:
    """Values at the edge of what is valid, and whether they are."""
    validator = key.validator
    if isinstance(validator, Range):
        if validator.min is not None:
            yield from ((validator.min - 1, False), (validator.min, True))
        if validator.max is not None:
            yield from ((validator.max, True), (validator.max + 1, False))
    elif isinstance(validator, ValidString | CaseInsensitiveValidString):
        members = [member for member in validator.valid_strings if member]
        yield from ((member, True) for member in members)
        yield f"no-{members[0] if members else 'such'}", False
    elif isinstance(validator, ValidList) and validator.valid_string.valid_strings:
        members = [member for member in validator.valid_string.valid_strings if member]
        yield from ((member, True) for member in members)
        yield f"no-{members[0]}", False


@registered
class BoundsHoldAtTheEdge(Check):
    """Validators accept the last valid value and reject the first invalid one."""

    id = "CON-CFG-06"
    level = Level.C2
    title = "Range and enum validators accept the documented limits"
    why = "Users configure the documented limits."
    mend = "Include the bounds: use Range and ValidString instead of comparisons in code."
    origin = "G-Cfg"

    def run(self, bench: Bench) -> Evidence:
        """Try both sides of every bound, every member and one that is none."""
        compared = 0
        with bench.endpoint() as endpoint:
            config = bench.config(endpoint)
            for key in _keys(bench):
                for value, good in edges(key):
                    errors = errors_by_key(bench, {**config, key.name: str(value)})
                    if (key.name not in errors) is not good:
                        raise CheckFailedError(
                            expected=f"{'no ' if good else 'an '}error on {key.name}",
                            observed=named(errors),
                            scenario=f"{key.name} = {value}, where {key.validator} is valid",
                        )
                    compared += 1
        if not compared:
            raise NotApplicableError("no key has a range or a list of valid values")
        return Evidence(compared)


@registered
class AllErrorsAtOnce(Check):
    """validate() reports all errors in one result."""

    id = "CON-CFG-07"
    severity = Severity.SHOULD
    level = Level.C2
    title = "All errors are reported at once"
    why = "Reporting one error at a time costs the user one attempt per error."
    mend = "Do not override validate(), or extend its result instead of raising."
    origin = "G-Cfg; K-jdoc"

    def run(self, bench: Bench) -> Evidence:
        """Break several keys together."""
        with bench.endpoint() as endpoint:
            config = bench.config(endpoint)
            keys = _keys(bench)
            missing = [key.name for key in keys if not key.has_default]
            wrong = {key.name: BAD_VALUES[key.type] for key in keys if key.type in BAD_VALUES}
            broken = {*missing, *wrong}
            if len(broken) < 2:  # noqa: PLR2004  # one error is always all errors
                raise NotApplicableError("fewer than two keys can be invalid")
            kept = {name: value for name, value in config.items() if name not in missing}
            errors = errors_by_key(bench, {**kept, **wrong})
        if not broken <= errors.keys():
            raise CheckFailedError(
                expected=f"errors on {', '.join(sorted(broken))}",
                observed=named(errors),
                scenario=f"{len(broken)} keys wrong at once",
            )
        return Evidence(len(broken))


@registered
class ValidationHasNoSideEffect(Check):
    """validate() changes nothing."""

    id = "CON-CFG-09"
    revision = 3
    level = Level.C2
    title = "validate() is free of side effects and works before start()"
    why = "User interfaces validate on every keystroke."
    mend = "Only inspect in validate(); create things in start()."
    origin = "K-jdoc; G-Cfg"

    def run(self, bench: Bench) -> Evidence:
        """Compare endpoint, configuration and threads before and after."""
        with bench.endpoint() as endpoint:
            if bench.subject.kind == "source":
                endpoint.driver.seed(bench.ledger().enter(3))
            config = bench.config(endpoint)
            given, before, running = dict(config), self._state(endpoint), self._threads()
            for _ in range(3):
                errors_by_key(bench, config)
            started = left_over(running, self._threads)
            after = self._state(endpoint)
        if config != given:
            raise CheckFailedError("an unchanged configuration", f"{config}")
        for name, was in before.items():
            if after[name] != was:
                raise CheckFailedError(
                    expected=f"{name} as before", observed="changed", scenario="validate(), 3 times"
                )
        if started:  # those of the driver's server may end meanwhile
            raise CheckFailedError(
                "threads as before", f"{len(started)} more: {started[0]}", "validate(), 3 times"
            )
        return Evidence(len(before) + 2)

    @staticmethod
    def _state(endpoint: Any) -> dict[str, object]:
        return {
            "the endpoint's content": sorted(map(repr, endpoint.driver.read_back())),
            "the endpoint's files": endpoint.files(),
        }

    @staticmethod
    def _threads() -> list[str]:
        return [f"{thread.name} {thread.ident}" for thread in threading.enumerate()]


@registered
class KeysAreNotReserved(Check):
    """The plugin's keys do not collide with the worker's."""

    id = "CON-CFG-14"
    level = Level.C1
    title = "No key collides with a framework key or prefix"
    why = "Worker and plugin would interpret the same value differently."
    mend = "Add the plugin's own prefix to the name."
    origin = "K-dev"

    def run(self, bench: Bench) -> Evidence:
        """Compare with the names that the worker gives meaning to."""
        keys = _keys(bench)
        for key in keys:
            if key.name in _RESERVED or key.name.startswith(_RESERVED_PREFIXES):
                raise CheckFailedError(
                    expected="names that the worker does not use",
                    observed=f"{key.name}, which the worker reads",
                )
        return Evidence(max(len(keys), 1))
