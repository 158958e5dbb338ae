"""Check that the same tasks are planned whenever and wherever they are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright_conformance.catalogue.check import Check
from plugwright_conformance.catalogue.register import registered
from plugwright_conformance.checks._stepped_tasks import seeds
from plugwright_conformance.evidence.outcome import (
    CheckFailedError,
    Evidence,
    Level,
    NotRunError,
    Severity,
)
from plugwright_conformance.processes.isolated import run_isolated

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plugwright_conformance.catalogue.bench import Bench

    _Plan = Sequence[Mapping[str, str]]

_LIMITS = (2, 7)
_SEEDED = 14
_HASH_SEEDS = (1, 2)
_WHERE = ("a second call", "another instance", "a second call of another instance")
_CALLS = len(_WHERE) + 1


@registered
class SameTasksArePlanned(Check):
    """task_configs() returns the same list in every call and every process."""

    id = "CON-PAR-10"
    severity = Severity.SHOULD
    level = Level.C2
    wave = 2
    title = "task_configs() is deterministic"
    why = "Workers compare the list with the running tasks, and restart all of them if it differs."
    mend = "Sort what is divided; leave times, random numbers and process ids to the tasks."
    origin = "K-dev; hazelcast#25968"

    def run(self, bench: Bench) -> Evidence:
        """Plan in two processes whose hash seeds differ, four times in each, and compare."""
        with bench.endpoint() as endpoint:
            if bench.subject.kind == "source":
                endpoint.driver.seed(seeds(bench, _SEEDED))
            config = bench.config(endpoint)
            planned = [self._planned(bench, config, seed) for seed in _HASH_SEEDS]
        for place, limit in enumerate(_LIMITS):
            first, *others = (plan for plans in planned for plan in plans[place])
            for number, other in enumerate(others, start=1):
                self._require_same(first, other, f"task_configs({limit}) in {_where(number)}")
        if not (tasks := sum(len(plans[0]) for plans in planned[0])):
            raise NotRunError("the connector has no task, because its endpoint is empty")
        return Evidence(tasks, figures={"plans": len(_HASH_SEEDS) * _CALLS * len(_LIMITS)})

    @staticmethod
    def _planned(bench: Bench, config: Mapping[str, str], seed: int) -> Sequence[Sequence[_Plan]]:
        """The plans of a process: for each limit one of each call."""
        plugin = bench.plugin_class()
        try:
            report = run_isolated(
                bench.subject,
                "plan-tasks",
                "the connector started in a process of its own",
                hash_seed=seed,
                module=plugin.__module__,
                qualname=plugin.__qualname__,
                config=config,
                limits=_LIMITS,
            )
        except CheckFailedError as error:  # whether it has to work there is CON-SPK-01's question
            raise NotRunError(f"no tasks planned in another process: {error.observed}") from error
        plans: Sequence[Sequence[_Plan]] = report["plans"]
        return plans

    @staticmethod
    def _require_same(first: _Plan, other: _Plan, scenario: str) -> None:
        if first == other:
            return
        expected, observed = f"{len(first)} tasks, as before", f"{len(other)} tasks"
        for number, (was, now) in enumerate(zip(first, other, strict=False)):
            if names := sorted(name for name in {*was, *now} if was.get(name) != now.get(name)):
                expected = f"task {number} of {len(first)} with the same settings as before"
                observed = f"another value of {', '.join(names)}"  # which may be a secret
                break
        raise CheckFailedError(
            expected=expected,
            observed=observed,
            scenario=scenario,
            likely="the division depends on the order of a set, on the time or on a random number",
        )


def _where(number: int) -> str:
    """The call that has made a plan, by the number of the plan."""
    process, call = divmod(number, _CALLS)
    return "another process" if process else _WHERE[call - 1]
