"""Checks of how work is divided among tasks (catalogue 3.5.15)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from plugwright.record import TopicPartition
from plugwright_conformance.catalogue.check import Check
from plugwright_conformance.catalogue.register import registered
from plugwright_conformance.checks._hand_driven import begun, drained
from plugwright_conformance.evidence.outcome import CheckFailedError, Evidence, Level
from plugwright_conformance.simulator import AttendedSink
from plugwright_conformance.subject.contexts import sink_records
from plugwright_conformance.subject.names import TOPIC

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plugwright_conformance.catalogue.bench import Bench
    from plugwright_conformance.subject.endpoint import OpenEndpoint

_COUNT = 42
_LIMITS = (1, 2, 3, 7, 64)


def _identity(endpoint: OpenEndpoint, value: Any) -> str:
    """What two records of one seeded value have in common."""
    value = endpoint.driver.seeded(value)
    if hasattr(value, "keys"):
        return next(str(value[name]) for name in value.keys() if isinstance(value[name], str))  # noqa: SIM118  # a struct is no dict
    return str(value)


def _seed(bench: Bench, endpoint: OpenEndpoint) -> list[str]:
    """Fill the endpoint with values that can be told apart: rows, where it has them."""
    texts = bench.ledger().enter(_COUNT)
    rows = bench.subject.declaration.rows
    endpoint.driver.seed([rows.carrying(text) for text in texts] if rows else texts)
    return texts


def _per_task(bench: Bench, endpoint: OpenEndpoint, limit: int) -> list[list[str]]:
    """What each task of a source delivers until nothing more comes from any."""
    with bench.started_connector(bench.config(endpoint)) as connector:
        parts = drained(connector.task_class(), connector.task_configs(limit), _COUNT)
    return [[_identity(endpoint, record.value) for record in part] for part in parts]


@registered
class AssignmentsAreDisjoint(Check):
    """Everything has one task that does it."""

    id = "CON-PAR-02"
    level = Level.C3
    title = "Assignments are disjoint and complete"
    why = "What no task has is lost, what two have is doubled."
    mend = "Divide with care for the remainder: parts[number::count] leaves nothing out."
    gate = "PART"
    origin = "G-Par"

    def run(self, bench: Bench) -> Evidence:
        """Run all tasks for several limits; each value comes from exactly one."""
        for limit in _LIMITS:
            with bench.endpoint() as endpoint:
                seeded = _seed(bench, endpoint)
                parts = _per_task(bench, endpoint, limit)
            seen = [value for part in parts for value in part]
            missing = set(seeded) - set(seen)
            if missing or len(seen) != len(seeded):
                raise CheckFailedError(
                    expected=f"{len(seeded)} values, each from one task",
                    observed=f"{len(seen)} values, {len(missing)} missing",
                    scenario=f"task_configs({limit}), {len(parts)} tasks",
                )
        return Evidence(_COUNT * len(_LIMITS))


@registered
class OutputDoesNotMultiply(Check):
    """More tasks are faster, not more."""

    id = "CON-PAR-03"
    level = Level.C3
    title = "No multiplication: total output does not grow with the number of tasks"
    why = "Somebody raises tasks.max, and every record is there four times."
    mend = "Give each task its own part, or return one configuration."
    origin = "cloudant#87; ably#140"

    def run(self, bench: Bench) -> Evidence:
        """Compare what comes out with one task and with four."""
        totals = {limit: self._total(bench, limit) for limit in (1, 4)}
        if totals[1] != totals[4]:
            raise CheckFailedError(
                expected=f"{len(totals[1])} values, as with one task",
                observed=f"{len(totals[4])} values",
                scenario="tasks.max=4",
                likely="every task does everything",
            )
        return Evidence(2 * _COUNT)

    def _total(self, bench: Bench, limit: int) -> list[str]:
        with bench.endpoint() as endpoint:
            if bench.subject.kind == "source":
                _seed(bench, endpoint)
                parts = _per_task(bench, endpoint, limit)
                return [f"value {n}" for n, _ in enumerate(v for part in parts for v in part)]
            self._write(bench, endpoint, limit)
            return [f"value {n}" for n, _ in enumerate(endpoint.driver.read_back())]

    @staticmethod
    def _write(bench: Bench, endpoint: OpenEndpoint, limit: int) -> None:
        """Share four partitions out among the tasks of a sink."""
        homes = [TopicPartition(TOPIC, number) for number in range(4)]
        values = bench.ledger().enter(_COUNT)
        with bench.started_connector(bench.config(endpoint)) as connector:
            configs: Sequence[Any] = connector.task_configs(limit)
            keyed = bench.subject.declaration.needs_keys
            for number, props in enumerate(configs):
                mine = homes[number :: len(configs)]
                task: Any = connector.task_class()()
                with begun(AttendedSink(task, props, mine, keyed=keyed)) as sink:
                    for home in mine:
                        sink.put(sink_records(values[home.partition :: 4], home))
                    sink.commit()
