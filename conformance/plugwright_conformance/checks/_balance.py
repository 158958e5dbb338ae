"""Check that tasks have about equal shares of the work."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright_conformance.catalogue.check import SOURCE_ONLY, Check, Level, Severity
from plugwright_conformance.catalogue.register import registered
from plugwright_conformance.checks._stepped_tasks import drained, seeds
from plugwright_conformance.checks.shares import MOST, division_of
from plugwright_conformance.evidence.outcome import CheckFailedError, Evidence, NotApplicableError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from plugwright_conformance.catalogue.bench import Bench
    from plugwright_conformance.checks.shares import Division

_COUNT = 42
_LIMITS = (2, 3, 4)


@registered
class DivisionIsBalanced(Check):
    """No task has more than twice the work of another one."""

    id = "CON-PAR-06"
    severity = Severity.SHOULD
    kinds = SOURCE_ONLY
    level = Level.C3
    wave = 2
    title = "The division is balanced"
    why = "The slowest task decides how late the data are, however many others have nothing to do."
    mend = "Deal the work out in turn: parts[number::count], or group_partitions(parts, count)."
    gate = "PART"
    origin = "G-Par"

    def run(self, bench: Bench) -> Evidence:
        """Fill the endpoint evenly, and look at what each of two, three and four tasks reads."""
        observations = 0
        for division in self._divisions(bench):
            self._require_balance(division)
            observations += len(division.shares)
        if not observations:
            raise NotApplicableError(
                "there are fewer source partitions than tasks, or the configurations of tasks do "
                "not name them, so that the division may be one by hash"
            )
        return Evidence(observations)

    @classmethod
    def _divisions(cls, bench: Bench) -> Iterator[Division]:
        """Those that can be judged; with more tasks there are no others."""
        for limit in _LIMITS:
            if (found := cls._divided(bench, limit)) is None:
                return
            yield found

    @staticmethod
    def _divided(bench: Bench, limit: int) -> Division | None:
        with bench.endpoint() as endpoint:
            endpoint.driver.seed(seeds(bench, _COUNT))
            with bench.started_connector(bench.config(endpoint)) as connector:
                configs = [dict(config) for config in connector.task_configs(limit)]
                parts = drained(connector.task_class(), configs, _COUNT)
        return division_of(configs, parts)

    @staticmethod
    def _require_balance(division: Division) -> None:
        if not division.balanced:
            counts = ", ".join(str(share.partitions) for share in division.shares)
            raise CheckFailedError(
                expected=f"no task with more than {MOST} times the work of another one",
                observed=f"tasks with {counts} source partitions",
                scenario=f"{len(division.shares)} tasks, {_COUNT} values",
                likely="the last task is given the whole remainder of the division",
            )
