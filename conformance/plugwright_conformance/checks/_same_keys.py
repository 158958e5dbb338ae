"""Check that a record has the same key whichever process reads it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright_conformance.catalogue.check import SOURCE_ONLY, Check, Level, Severity
from plugwright_conformance.catalogue.register import registered
from plugwright_conformance.checks._stepped_tasks import PATIENCE_S, running_source, seeds
from plugwright_conformance.evidence.outcome import CheckFailedError, Evidence, NotApplicableError
from plugwright_conformance.processes.isolated import run_isolated
from plugwright_conformance.subject.contexts import SourceContext

if TYPE_CHECKING:
    from collections.abc import Mapping

    from plugwright_conformance.catalogue.bench import Bench

_COUNT = 12
_NO_KEY = "None"
_SCENARIO = "read by two tasks in processes with different hash seeds; nothing was acknowledged"
_HASH_SEED = 40_129
"""Of the other process; this one has a random seed, or one that is usual in tests."""


@registered
class KeysAreTheSameInEveryProcess(Check):
    """A value that another process reads again has the same key."""

    id = "SRC-TYP-08"
    severity = Severity.SHOULD
    kinds = SOURCE_ONLY
    level = Level.C2
    wave = 2
    title = "The same entity always gets the same key"
    why = "With another key after a restart, a row goes to another partition and is there twice."
    mend = "Make the key of columns of the row; hash() of a text differs from process to process."
    origin = "SGR; NEW"

    def run(self, bench: Bench) -> Evidence:
        """Read the same values here and in another process, and compare the keys of each value."""
        with bench.endpoint() as endpoint:
            endpoint.driver.seed(seeds(bench, _COUNT))
            config = bench.config(endpoint)
            here = self._keys_here(bench, config)
            if {*here.values()} <= {_NO_KEY}:
                raise NotApplicableError("no record has a key")
            there = self._keys_there(bench, config)
        again = [value for value in here if value in there]
        if not again:
            raise NotApplicableError("no value can be read again before it is acknowledged")
        for value in again:
            if here[value] != there[value]:
                raise CheckFailedError(
                    expected=f"key {here[value]}, as in the first process",
                    observed=there[value],
                    scenario=_SCENARIO,
                    likely="the key comes from hash(), a random number, or what was read before",
                )
        return Evidence(len(again))

    @staticmethod
    def _keys_here(bench: Bench, config: Mapping[str, str]) -> Mapping[str, str]:
        with running_source(bench, config, SourceContext()) as task:
            records = task.take(_COUNT, PATIENCE_S, surplus=False, answering=False)
        return {repr(record.value): repr(record.key) for record in records}

    @staticmethod
    def _keys_there(bench: Bench, config: Mapping[str, str]) -> Mapping[str, str]:
        task, props = bench.task(config)
        report = run_isolated(
            bench.subject,
            "read-keys",
            _SCENARIO,
            hash_seed=_HASH_SEED,
            module=type(task).__module__,
            qualname=type(task).__qualname__,
            config=dict(props),
            count=_COUNT,
        )
        return dict(report["keys"])
