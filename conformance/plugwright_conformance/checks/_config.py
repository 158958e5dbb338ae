"""Checks of the configuration's definition and validation (catalogue 3.5.4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright.config import NO_DEFAULT_VALUE, Type
from plugwright_conformance.check import Check
from plugwright_conformance.outcome import CheckFailedError, Evidence, Level

if TYPE_CHECKING:
    from collections.abc import Mapping

    from plugwright_conformance.bench import Bench

__all__ = [
    "ExampleValidates",
    "KeysAreDescribed",
    "MissingKeysAreReported",
    "WrongTypesAreReported",
]

_DESCRIPTION = 20
_BAD = {
    Type.BOOLEAN: "perhaps",
    Type.SHORT: "70000",
    Type.INT: "ten",
    Type.LONG: "1.5",
    Type.DOUBLE: "wide",
}


def _errors(bench: Bench, config: Mapping[str, str]) -> dict[str, list[str]]:
    """Validation messages by key; an exception is itself a failure."""
    try:
        values = bench.connector().validate(config)
    except Exception as error:
        raise CheckFailedError(
            expected="validation messages", observed=f"{type(error).__name__}: {error}"
        ) from error
    return {value.name: list(value.error_messages) for value in values if value.error_messages}


class KeysAreDescribed(Check):
    """Every setting can be understood without reading the code."""

    id = "CON-CFG-02"
    level = Level.C1
    group = "Configuration"
    title = "Every key has a type, an importance and a real description"
    why = "The definition is the documentation."
    mend = "Write a sentence for each key."

    def run(self, bench: Bench) -> Evidence:
        """Look at every key of the definition."""
        keys = list(bench.connector().config().keys.values())
        for key in keys:
            text = (key.documentation or "").strip()
            if len(text) < _DESCRIPTION or text == key.name:
                raise CheckFailedError(
                    expected=f"a description of {key.name} of at least {_DESCRIPTION} characters",
                    observed=repr(text),
                )
        return Evidence(len(keys))


class MissingKeysAreReported(Check):
    """A forgotten setting is named."""

    id = "CON-CFG-04"
    level = Level.C2
    group = "Configuration"
    title = "Each missing required key is reported as an error on that key"
    why = "Otherwise the task fails later with something unrelated."
    mend = "Give required keys no default, and check nothing by hand."

    def run(self, bench: Bench) -> Evidence:
        """Leave out each required key in turn."""
        definition = bench.connector().config()
        required = [k.name for k in definition.keys.values() if k.default_value is NO_DEFAULT_VALUE]
        with bench.endpoint() as endpoint:
            config = bench.config(endpoint)
            for name in required:
                errors = _errors(bench, {k: v for k, v in config.items() if k != name})
                if set(errors) != {name}:
                    raise CheckFailedError(
                        expected=f"an error on {name} alone",
                        observed=f"errors on {', '.join(errors) or 'nothing'}",
                        scenario=f"the example configuration without {name}",
                    )
        return Evidence(len(required) or 1)


class WrongTypesAreReported(Check):
    """A value of the wrong type is named."""

    id = "CON-CFG-05"
    level = Level.C2
    group = "Configuration"
    title = "Each wrongly typed value is reported on its key"
    why = "A number parsed by hand fails in start() with a foreign exception."
    mend = "Declare the type in the definition and read the parsed value."

    def run(self, bench: Bench) -> Evidence:
        """Put a value of the wrong type into each typed key in turn."""
        keys = [k for k in bench.connector().config().keys.values() if k.type in _BAD]
        with bench.endpoint() as endpoint:
            config = bench.config(endpoint)
            for key in keys:
                errors = _errors(bench, {**config, key.name: _BAD[key.type]})
                if key.name not in errors:
                    raise CheckFailedError(
                        expected=f"an error on {key.name}",
                        observed=f"errors on {', '.join(errors) or 'nothing'}",
                        scenario=f"{key.name} = {_BAD[key.type]}",
                    )
        return Evidence(len(keys) or 1)


class ExampleValidates(Check):
    """The example that the package ships is right."""

    id = "CON-CFG-08"
    level = Level.C2
    group = "Configuration"
    title = "Every published example configuration validates without error"
    why = "It is the first thing that a user copies."
    mend = "Correct the example in conformance.toml."

    def run(self, bench: Bench) -> Evidence:
        """Validate the declared example, pointed at the endpoint."""
        with bench.endpoint() as endpoint:
            if errors := _errors(bench, bench.config(endpoint)):
                first = next(iter(errors))
                raise CheckFailedError(expected="no error", observed=f"{first}: {errors[first][0]}")
        return Evidence(1)
