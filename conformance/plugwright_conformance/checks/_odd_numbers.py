"""Check of numeric settings without a validator."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from plugwright.config import ConfigType
from plugwright.errors import ConnectError
from plugwright_conformance.catalogue.check import SOURCE_ONLY, Check
from plugwright_conformance.catalogue.register import registered
from plugwright_conformance.checks._config import errors_by_key
from plugwright_conformance.checks._stepped_tasks import PATIENCE_S, running_source, seeds
from plugwright_conformance.evidence.outcome import (
    CheckFailedError,
    Evidence,
    Level,
    NotApplicableError,
    Severity,
)
from plugwright_conformance.subject.contexts import SourceContext

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plugwright_conformance.catalogue.bench import Bench

_WHOLE = frozenset({ConfigType.SHORT, ConfigType.INT, ConfigType.LONG})
_ODD = ("0", "-1")
_COUNT = 6
_OF_BATCHES = re.compile(r"\b(batch|page|chunk)\b")
"""Settings for which 0 cannot mean that nothing should be read."""


@registered
class OddNumbersAreRefusedOrWork(Check):
    """A number that passes validation works, or fails with a Connect error."""

    id = "CON-CFG-19"
    severity = Severity.SHOULD
    kinds = SOURCE_ONLY
    level = Level.C3
    wave = 2
    title = "A number that validation accepts works, or gives a Connect error"
    why = "A user enters 0 for unlimited; the task is RUNNING but never reads anything."
    mend = "Give the key a Range, or document and implement the meaning of numbers below 1."
    origin = "NEW"
    budget_s = 120.0

    def run(self, bench: Bench) -> Evidence:
        """Read some values with 0 and -1 for each numeric key without a validator."""
        tried = 0
        for name in self._numbers(bench):
            for value in _ODD:
                self._read(bench, name, value)
                tried += 1
        if not tried:
            raise NotApplicableError("every number has a validator")
        return Evidence(tried)

    @staticmethod
    def _numbers(bench: Bench) -> Sequence[str]:
        with bench.endpoint() as endpoint:
            led = set(endpoint.settings)
        keys = bench.connector().config().keys.values()
        return [
            key.name
            for key in keys
            if key.type in _WHOLE
            and key.validator is None
            and not key.internal
            and key.name not in led
        ]

    @staticmethod
    def _read(bench: Bench, name: str, value: str) -> None:
        with bench.endpoint() as endpoint:
            endpoint.driver.seed(seeds(bench, _COUNT))
            config = {**bench.config(endpoint), name: value}
            if errors_by_key(bench, config):
                return
            try:
                with running_source(bench, config, SourceContext()) as task:
                    found = task.take(1, PATIENCE_S)
            except ConnectError:
                return
            except Exception as error:
                raise CheckFailedError(
                    expected=f"an error from validate() for {name}, or a Connect error",
                    observed=f"{type(error).__name__}: {error}",
                    scenario=f"the example configuration with {name} = {value}",
                    likely="the number is used without being checked",
                ) from error
        if not found and _OF_BATCHES.search(name):
            raise CheckFailedError(
                expected=f"an error for {name}, or the {_COUNT} values that are there",
                observed="no error, and no record",
                scenario=f"the example configuration with {name} = {value}",
                likely="no validator rejects a number with which nothing can be read",
            )
