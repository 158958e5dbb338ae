"""Checks of settings, their documentation and their validation."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from plugwright.config import NO_DEFAULT_VALUE, ConfigType
from plugwright.errors import ConfigError, ConnectError
from plugwright_conformance.catalogue.check import Check, Level
from plugwright_conformance.catalogue.register import registered
from plugwright_conformance.checks._stepped_tasks import fresh_task
from plugwright_conformance.evidence.outcome import CheckFailedError, Evidence, NotApplicableError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from plugwright.config import ConfigKey
    from plugwright_conformance.catalogue.bench import Bench

_DESCRIPTION = 20
_WORDS = 3
BAD_VALUES: Mapping[ConfigType, str] = {
    ConfigType.BOOLEAN: "perhaps",
    ConfigType.SHORT: "70000",
    ConfigType.INT: "ten",
    ConfigType.LONG: "1.5",
    ConfigType.DOUBLE: "wide",
}
_NO_NUMBER = "ten"
_ODD_TEXTS: tuple[str | None, ...] = (None, "", " ", "\0", "☃", "x" * 5000)
_FAILED = re.compile(r"failed with (?!ValueError)\w+")
"""What validation says of a validator or recommender that failed instead of refusing."""


def errors_by_key(bench: Bench, config: Mapping[str, str | None]) -> dict[str, list[str]]:
    """Validation messages by key; an exception is itself a failure."""
    connector = bench.connector()
    try:
        values = connector.validate(config)  # type: ignore[arg-type]  # a null is what users send
    except Exception as error:
        raise CheckFailedError(
            expected="validation messages", observed=f"{type(error).__name__}: {error}"
        ) from error
    return {value.name: list(value.error_messages) for value in values if value.error_messages}


def named(errors: Mapping[str, object]) -> str:
    return f"errors on {', '.join(errors)}" if errors else "no error"


def start_objection(bench: Bench, config: Mapping[str, str]) -> Exception | None:
    """The error of start() about validated settings, if any.

    A Connect error that is no `ConfigError`, or one of the operating system, is about the world.
    """
    try:
        worker = fresh_task(bench, config)
        worker.step()
        worker.end()
    except ConfigError as error:
        return error
    except (ConnectError, OSError):
        return None
    except Exception as error:  # noqa: BLE001  # the plugin's, whatever it is
        return error
    return None


@registered
class KeysAreDescribed(Check):
    """Every setting is documented."""

    id = "CON-CFG-02"
    revision = 2
    level = Level.C1
    waivable = True
    title = "Every key has a type, an importance and a real description"
    why = "Users and tools see the definition as the documentation."
    mend = "Pass a documentation string to define() for each key: one sentence on its effect."

    def run(self, bench: Bench) -> Evidence:
        """Look at every key of the definition."""
        keys = list(bench.connector().config().keys.values())
        if not keys:
            raise NotApplicableError("the definition has no key")
        for key in keys:
            text = (key.documentation or "").strip()
            if text == key.name or (len(text) < _DESCRIPTION and len(text.split()) < _WORDS):
                raise CheckFailedError(
                    expected=f"a description of {key.name}: at least {_WORDS} words, or "
                    f"{_DESCRIPTION} characters",
                    observed=repr(text),
                )
        return Evidence(len(keys))


@registered
class MissingKeysAreReported(Check):
    """A missing required setting is reported by name."""

    id = "CON-CFG-04"
    level = Level.C2
    title = "Each missing required key is reported as an error on that key"
    why = "Otherwise the task fails later with an unrelated error."
    mend = "Define required keys without a default, instead of checking them in code."

    def run(self, bench: Bench) -> Evidence:
        """Leave out each key of the example in turn; a start that misses it shows what it is."""
        with bench.endpoint() as endpoint:
            config = bench.config(endpoint)
            keys = [
                key
                for key in bench.connector().config().keys.values()
                if key.name in config or key.default_value is NO_DEFAULT_VALUE
            ]
            if not keys:
                raise NotApplicableError("no key is required, and the example has none")
            for key in keys:
                self._leave_out(bench, key, {k: v for k, v in config.items() if k != key.name})
        return Evidence(len(keys))

    @staticmethod
    def _leave_out(bench: Bench, key: ConfigKey, config: Mapping[str, str]) -> None:
        errors = errors_by_key(bench, config)
        scenario = f"the example configuration without {key.name}"
        if key.default_value is NO_DEFAULT_VALUE and set(errors) != {key.name}:
            raise CheckFailedError(
                expected=f"an error on {key.name} alone",
                observed=named(errors),
                scenario=scenario,
            )
        if not errors and (missed := start_objection(bench, config)):
            raise CheckFailedError(
                expected=f"an error on {key.name} from validate()",
                observed=f"none, and then {type(missed).__name__}: {missed} from start()",
                scenario=scenario,
                likely="the key has a default, but the connector requires a value",
            )


@registered
class WrongTypesAreReported(Check):
    """A value of the wrong type is reported by name."""

    id = "CON-CFG-05"
    revision = 2
    level = Level.C2
    title = "Each wrongly typed value is reported on its key"
    why = "A number parsed in code fails in start() with an exception that names no key."
    mend = "Declare the type in the definition and read the parsed value."

    def run(self, bench: Bench) -> Evidence:
        """Put a bad value into each typed key, and odd ones into text that has rules."""
        with bench.endpoint() as endpoint:
            config = bench.config(endpoint)
            keys = list(bench.connector().config().keys.values())
            typed = [key for key in keys if key.type in BAD_VALUES]
            disguised = [key for key in keys if _is_number_as_text(key, config)]
            judged = [key for key in keys if key.type is ConfigType.STRING and key.validator]
            if not typed and not disguised and not judged:
                raise NotApplicableError("no key is a number or boolean, or has a validator")
            for key in typed:
                self._must_be_reported(bench, config, key.name, BAD_VALUES[key.type])
            for key in disguised:
                self._must_be_text(bench, config, key.name)
            for key in judged:
                self._must_not_fail(bench, config, key.name)
        return Evidence(len(typed) + len(disguised) + len(judged))

    @staticmethod
    def _must_be_reported(bench: Bench, config: Mapping[str, str], name: str, bad: str) -> None:
        errors = errors_by_key(bench, {**config, name: bad})
        if name not in errors:
            raise CheckFailedError(
                expected=f"an error on {name}",
                observed=named(errors),
                scenario=f"{name} = {bad}",
            )

    @staticmethod
    def _must_not_fail(bench: Bench, config: Mapping[str, str], name: str) -> None:
        for text in _ODD_TEXTS:
            for message in errors_by_key(bench, {**config, name: text}).get(name, ()):
                if _FAILED.search(message):
                    raise CheckFailedError(
                        expected=f"{name} to be accepted, or rejected with a reason",
                        observed=message,
                        scenario=f"{name} = {text!r:.40}",
                        likely="the validator assumes the expected type, or raises another error "
                        "than ConfigError",
                    )

    @staticmethod
    def _must_be_text(bench: Bench, config: Mapping[str, str], name: str) -> None:
        bad = {**config, name: _NO_NUMBER}
        if not errors_by_key(bench, bad) and (error := start_objection(bench, bad)):
            raise CheckFailedError(
                expected=f"an error on {name} from validate()",
                observed=f"none, and then {type(error).__name__}: {error} from start()",
                scenario=f"{name} = {_NO_NUMBER}",
                likely="the key is defined as STRING, but the connector parses a number",
            )


def _is_number_as_text(key: ConfigKey, config: Mapping[str, str]) -> bool:
    """Whether a text key has a number as its default or its example value."""
    if key.type is not ConfigType.STRING:
        return False
    try:
        float(config.get(key.name, str(key.default_value)))
    except ValueError:
        return False
    return True


@registered
class ExampleValidates(Check):
    """The shipped example configuration is valid."""

    id = "CON-CFG-08"
    level = Level.C2
    title = "Every published example configuration validates without error"
    why = "Users copy the examples first."
    mend = "Correct the example in conformance.toml."

    def run(self, bench: Bench) -> Evidence:
        """Validate the declared example, pointed at the endpoint."""
        with bench.endpoint() as endpoint:
            config = bench.config(endpoint)
            if errors := errors_by_key(bench, config):
                first = next(iter(errors))
                raise CheckFailedError(
                    expected="no error",
                    observed=f"{first}: {errors[first][0]}",
                    scenario=f"the example of conformance.toml: {', '.join(config)}",
                )
        return Evidence(1)
