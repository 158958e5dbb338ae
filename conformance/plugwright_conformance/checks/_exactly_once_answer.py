"""Check of what a source answers when it is asked for exactly-once support (KIP-618)."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from plugwright.config import CaseInsensitiveValidString, ConfigType, ValidString
from plugwright.connector import ExactlyOnceSupport
from plugwright.errors import ConnectError
from plugwright_conformance.catalogue.check import SOURCE_ONLY, Check
from plugwright_conformance.catalogue.register import registered
from plugwright_conformance.evidence.outcome import (
    CheckFailedError,
    Evidence,
    Level,
    NotApplicableError,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from plugwright.config import ConfigKey
    from plugwright_conformance.catalogue.bench import Bench


@registered
class ExactlyOnceAnswerIsTrue(Check):
    """A source that answers whether it delivers exactly once answers as it declares."""

    id = "CON-DLV-09"
    kinds = SOURCE_ONLY
    level = Level.C5
    wave = 2
    gate = "EOS"
    title = "The exactly-once answer to the runtime is one that it knows, and agrees with the claim"
    why = "The runtime rejects exactly.once.support=required, or relies on what is not so."
    mend = "Override exactly_once_support(); return SUPPORTED or UNSUPPORTED for every setting."
    origin = "KIP-618"

    def run(self, bench: Bench) -> Evidence:
        """Ask with the example configuration, and with other values of its settings.

        Crashes show whether an answer is true: see CON-DLV-05, which also crashes a source that
        answers SUPPORTED without a declaration.
        """
        with bench.endpoint() as endpoint:
            config = bench.config(endpoint)
            answer = _asked(bench, config, "the example configuration")
            if answer is None:
                raise NotApplicableError("the answer is None, which means unknown")
            if answer is not ExactlyOnceSupport.SUPPORTED:
                raise CheckFailedError(
                    expected="SUPPORTED, because conformance.toml declares exactly-once",
                    observed=str(getattr(answer, "name", answer)),
                    scenario="exactly_once_support() with the example configuration",
                    likely="the answer of a template is still there",
                )
            variants = list(_variants(bench, config))
            for words, variant in variants:
                _asked(bench, variant, words)
        return Evidence(1 + len(variants))


def _asked(bench: Bench, config: Mapping[str, str], words: str) -> ExactlyOnceSupport | None:
    """The answer for a configuration.

    Raises:
        CheckFailedError: if it is none that the runtime knows.
    """
    connector: Any = bench.connector()
    try:
        answer = connector.exactly_once_support(dict(config))
    except ConnectError:
        raise
    except Exception as error:  # noqa: BLE001  # whatever the plugin raises
        found = f"{type(error).__name__}: {error}"
    else:
        if answer is None or isinstance(answer, ExactlyOnceSupport):
            return answer
        found = repr(answer)
    raise CheckFailedError(
        expected="SUPPORTED, UNSUPPORTED or None",
        observed=found,
        scenario=f"exactly_once_support() with {words}",
    )


def _variants(bench: Bench, config: Mapping[str, str]) -> Iterator[tuple[str, Mapping[str, str]]]:
    """Valid configurations that differ from the given one in one setting, with words for it."""
    definition = bench.connector().config()
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
