"""Check that locale, time zone and other process settings have no effect."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from plugwright_conformance.catalogue.check import Check, Level, Severity
from plugwright_conformance.catalogue.register import registered
from plugwright_conformance.checks.value_types import around, scalar_values
from plugwright_conformance.evidence.outcome import CheckFailedError, Evidence, NotApplicableError
from plugwright_conformance.processes.isolated import ELSEWHERE, run_isolated
from plugwright_conformance.subject.names import TOPIC

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plugwright_conformance.catalogue.bench import Bench

_LONGEST = 1000
_PLACE = ", ".join(f"{name}={value}" for name, value in ELSEWHERE.items())


@registered
class MachinesMakeNoDifference(Check):
    """A record is the same on every machine."""

    id = "CON-SPK-11"
    revision = 3
    severity = Severity.SHOULD
    level = Level.C3
    wave = 2
    title = "Locale, time zone, working directory and hash seed of an executor have no effect"
    why = "Executors are configured by others; a difference silently changes the data."
    mend = "Specify the encoding of every file and text, and the time zone of every timestamp."

    def run(self, bench: Bench) -> Evidence:
        """Let a task do the same work in two processes whose surroundings differ."""
        values = self._values(bench)
        here, there = (self._outcome(bench, values, elsewhere=e) for e in (False, True))
        if here != there and here != self._outcome(bench, values, elsewhere=False):
            raise NotApplicableError("the task's output differs from run to run")
        missing, strange = (sorted(a - b) for a, b in ((here, there), (there, here)))
        if missing or strange:
            one, other = (found[0] if found else "" for found in (missing, strange))
            raise CheckFailedError(
                expected=around(one, other) or "nothing more",
                observed=around(other, one) or "nothing",
                scenario=f"in a process with {_PLACE}, and an encoding that is not UTF-8",
                likely="an encoding or time zone is not specified, so the machine's is used",
            )
        return Evidence(here.total())

    @staticmethod
    def _values(bench: Bench) -> Sequence[Any]:
        rows = bench.subject.declaration.rows
        if rows is not None:
            made = rows.boundary_rows(bench.subject.declaration.excluded_characters)
            return [row for row in made if len(str(row)) < 2 * _LONGEST]
        return [v for v in scalar_values(bench) if len(str(v)) < _LONGEST]

    @staticmethod
    def _outcome(bench: Bench, values: Sequence[Any], *, elsewhere: bool) -> Counter[str]:
        """The output for the values, unordered."""
        scenario = f"the same work with {_PLACE}" if elsewhere else "the work in another process"
        source = bench.subject.kind == "source"
        with bench.endpoint() as endpoint:
            if source:
                endpoint.driver.seed(values)
            task, config = bench.task(bench.config(endpoint))
            fields = bench.subject.declaration.capabilities.get("fields", {})
            work = {
                "topic": TOPIC,
                "keyed": bench.subject.declaration.needs_keys,
                "types": bench.subject.declaration.types,
                "fields": fields,
                "excluded": bench.subject.declaration.excluded_characters,
            }
            more: dict[str, Any] = {"count": len(values)} if source else {"work": work}
            report = run_isolated(
                bench.subject,
                "read-through" if source else "write-through",
                scenario,
                elsewhere=elsewhere,
                module=type(task).__module__,
                qualname=type(task).__qualname__,
                config=dict(config),
                **more,
            )
            if source:
                return Counter(report["values"])
            return Counter(map(repr, endpoint.driver.read_rows()))
