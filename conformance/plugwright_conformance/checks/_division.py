"""Checks of the division of work among tasks."""

from __future__ import annotations

from collections import Counter
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from plugwright.errors import ConnectError
from plugwright.record import TopicPartition
from plugwright_conformance.catalogue.check import Check, Level
from plugwright_conformance.catalogue.register import registered
from plugwright_conformance.checks._stepped_tasks import PATIENCE_S, begun, drained
from plugwright_conformance.checks.order import positions_after
from plugwright_conformance.evidence.outcome import (
    CheckFailedError,
    Evidence,
    NotApplicableError,
    NotRunError,
)
from plugwright_conformance.simulator import SteppedSink, SteppedSource, take_from_all
from plugwright_conformance.subject.contexts import SourceContext, sink_records
from plugwright_conformance.subject.names import TOPIC

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plugwright.record import SourceRecord
    from plugwright_conformance.catalogue.bench import Bench
    from plugwright_conformance.evidence.ledger import Ledger
    from plugwright_conformance.subject.endpoint import OpenEndpoint

_COUNT = 42
_TRIES = 6
_LIMITS = (1, 2, 3, 7, 64)


def _identity(endpoint: OpenEndpoint, value: Any) -> str:
    """The identity of a seeded value, equal for all its records."""
    value = endpoint.driver.seeded(value)
    if hasattr(value, "keys"):
        return next(str(value[name]) for name in value.keys() if isinstance(value[name], str))  # noqa: SIM118  # a struct is no dict
    return str(value)


def _seed(bench: Bench, endpoint: OpenEndpoint, ledger: Ledger) -> list[str]:
    """Put values that are all different into the endpoint: rows, where it has them.

    An endpoint has one ledger: two may make the same value.
    """
    texts = ledger.enter(_COUNT)
    rows = bench.subject.declaration.rows
    endpoint.driver.seed([rows.carrying(text) for text in texts] if rows else texts)
    return texts


def _per_task(bench: Bench, endpoint: OpenEndpoint, limit: int) -> list[list[str]]:
    """The records of each task of a source, until no task returns more."""
    with bench.started_connector(bench.config(endpoint)) as connector:
        parts = drained(connector.task_class(), connector.task_configs(limit), _COUNT)
    return [[_identity(endpoint, record.value) for record in part] for part in parts]


@registered
class AssignmentsAreDisjoint(Check):
    """Each part of the work belongs to exactly one task."""

    id = "CON-PAR-02"
    level = Level.C3
    title = "Assignments are disjoint and complete"
    why = "Work assigned to no task is lost; work assigned to two tasks is duplicated."
    mend = "Handle the remainder of the division: parts[number::count] omits nothing."
    gate = "PART"
    origin = "G-Par"
    budget_s = 240.0  # of many sources, each of which may wait when it has nothing

    def run(self, bench: Bench) -> Evidence:
        """Run all tasks for several limits; each value comes from exactly one."""
        for limit in _LIMITS:
            with bench.endpoint() as endpoint:
                seeded = _seed(bench, endpoint, bench.ledger())
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
    """More tasks do not produce more output."""

    id = "CON-PAR-03"
    level = Level.C3
    title = "No multiplication: total output does not grow with the number of tasks"
    why = "With tasks.max=4, every record would be delivered four times."
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
                likely="every task does all the work",
            )
        return Evidence(2 * _COUNT)

    def _total(self, bench: Bench, limit: int) -> list[str]:
        with bench.endpoint() as endpoint:
            if bench.subject.kind == "source":
                _seed(bench, endpoint, bench.ledger())
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
            form = bench.subject.declaration.record_form
            for number, props in enumerate(configs):
                mine = homes[number :: len(configs)]
                task: Any = connector.task_class()()
                with begun(SteppedSink(task, props, mine, form=form)) as sink:
                    for home in mine:
                        sink.put(sink_records(values[home.partition :: 4], home))
                    sink.commit()


@registered
class OthersGoOn(Check):
    """If one task fails, the others keep working."""

    id = "CON-PAR-05"
    revision = 2
    level = Level.C4
    wave = 2
    title = "A failing task leaves the others running"
    why = "A bad record fails one task; if all tasks stop, one table blocks a hundred others."
    mend = "Give each task its own client, and close only that client in stop()."
    gate = "PART"
    origin = "DUCK"

    def run(self, bench: Bench) -> Evidence:
        """Let Kafka reject one task's records; the others must deliver theirs."""
        with bench.endpoint() as endpoint, ExitStack() as stack:
            ledger = bench.ledger()
            seeded = _seed(bench, endpoint, ledger)
            with bench.started_connector(bench.config(endpoint)) as connector:
                task_class: Any = connector.task_class()
                configs = connector.task_configs(3)
            if len(configs) < 2:  # noqa: PLR2004  # one that fails and one that goes on
                raise NotApplicableError("there is only work for one task")
            tasks = [SteppedSource(task_class(), props, SourceContext()) for props in configs]
            failing, *others = [stack.enter_context(begun(task)) for task in tasks]
            found = take_from_all([failing, *others], _COUNT, PATIENCE_S)
            for _ in range(_TRIES):  # which task gets new values is the connector's affair
                seeded += _seed(bench, endpoint, ledger)
                if has_failed := self._has_failed(failing):
                    break
            if not has_failed:
                raise NotRunError("the task whose records were to be rejected gets no new ones")
            brought = self._go_on(others, len(seeded))
            stored = positions_after(bench, found[0])
            again = drained(task_class, configs[:1], len(seeded), stored)
        records = [record for part in (*found, *brought, *again) for record in part]
        came = {_identity(endpoint, record.value) for record in records}
        if missing := [value for value in seeded if value not in came]:
            raise CheckFailedError(
                expected=f"{len(seeded)} values from {len(configs)} tasks",
                observed=f"{len(missing)} of them missing",
                scenario="one task failed because Kafka rejected its records, and was restarted",
            )
        return Evidence(len(seeded))

    @staticmethod
    def _has_failed(failing: SteppedSource) -> bool:
        """Whether the task had a record, which Kafka has rejected."""
        failing.refuse()
        try:
            failing.take(1, PATIENCE_S, answering=False)
        except ConnectError:
            return True
        return False

    @staticmethod
    def _go_on(others: Sequence[SteppedSource], count: int) -> list[list[SourceRecord]]:
        """The records that the other tasks return now."""
        try:
            return take_from_all(others, count, PATIENCE_S)
        except Exception as error:
            raise CheckFailedError(
                expected="records of the other tasks",
                observed=f"{type(error).__name__}: {error}",
                scenario="one task failed because Kafka rejected its records",
                likely="tasks share a client, and the first task that stops closes it",
            ) from error


@registered
class RedivisionLosesNothing(Check):
    """Offsets do not depend on the number of tasks."""

    id = "CON-PAR-07"
    revision = 2
    level = Level.C4
    wave = 2
    title = "Changing tasks.max between restarts loses nothing"
    why = "If offsets depend on the number of tasks, they are not found after tasks.max changes."
    mend = "Key offsets by the data, and read those of everything assigned to the task."
    gate = "PART"
    origin = "G-Par; K-dev"

    def run(self, bench: Bench) -> Evidence:
        """Go on with one task, four and two; every value must come, and none of them again."""
        stored: list[tuple[Mapping[str, Any], Mapping[str, Any]]] = []
        records: list[SourceRecord] = []
        seeded: list[str] = []
        ledger = bench.ledger()
        with bench.endpoint() as endpoint:
            for limit in (1, 4, 2):
                seeded += _seed(bench, endpoint, ledger)
                with bench.started_connector(bench.config(endpoint)) as connector:
                    configs = connector.task_configs(limit)
                    parts = drained(connector.task_class(), configs, _COUNT, stored, settled=True)
                records += [record for part in parts for record in part]
                stored = positions_after(bench, records)
            came = Counter(_identity(endpoint, record.value) for record in records)
        missing = [value for value in seeded if value not in came]
        repeated = sum(came.values()) - len(came)
        if missing or repeated:
            raise CheckFailedError(
                expected=f"{len(seeded)} values, each of them once",
                observed=f"{len(missing)} missing, {repeated} more than once",
                scenario="tasks.max 1, then 4, then 2, each stopped before the next began",
                likely="offsets are stored per task, and other tasks do not find them",
            )
        return Evidence(len(seeded))
