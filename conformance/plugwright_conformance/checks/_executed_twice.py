"""Check that a planned partition can be executed again."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from plugwright.schema import Struct
from plugwright_conformance.catalogue.check import SOURCE_ONLY
from plugwright_conformance.catalogue.register import registered
from plugwright_conformance.checks._stepped_tasks import drained, seeds
from plugwright_conformance.checks.value_types import short
from plugwright_conformance.evidence.outcome import CheckFailedError, Evidence, Level
from plugwright_conformance.simulator import SimulatedCheck

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plugwright.record import SourceRecord
    from plugwright_conformance.simulator import ExperimentFactory
    from plugwright_conformance.subject.endpoint import OpenEndpoint

_COUNT = 24
_TASKS = 3
_DAY_S = 86_400.0


@registered
class ExecutedAgainIsTheSame(SimulatedCheck):
    """A planned partition brings the same values whenever it is executed."""

    id = "CON-SPK-02"
    kinds = SOURCE_ONLY
    level = Level.C3
    wave = 2
    title = "A planned partition that is executed again brings the same values"
    why = "Spark executes a lost partition again; with other values the result is of neither time."
    mend = "Read what the task's configuration and the stored offsets name, whatever the time is."
    gate = "RESUME"
    origin = "SPK"

    def experiment(self, factory: ExperimentFactory) -> Evidence:
        """Plan tasks, execute all of them, and each of them again a day later."""
        bench = factory.bench
        with bench.endpoint() as endpoint:
            endpoint.driver.seed(seeds(bench, _COUNT))
            with bench.started_connector(bench.config(endpoint)) as connector:
                task_class = connector.task_class()
                configs = [dict(config) for config in connector.task_configs(_TASKS)]
            first = drained(task_class, configs, _COUNT)
            if (found := sum(map(len, first))) < _COUNT:
                raise CheckFailedError(
                    f"{_COUNT} records", f"{found} records", f"{len(configs)} planned tasks"
                )
            factory.let_pass(_DAY_S)
            for number, (config, records) in enumerate(zip(configs, first, strict=True)):
                (again,) = drained(task_class, [config], len(records))
                self._compare(factory, endpoint, (records, again), number, configs)
        return Evidence(_COUNT, figures={"planned_partitions": len(configs)})

    @staticmethod
    def _compare(
        factory: ExperimentFactory,
        endpoint: OpenEndpoint,
        executions: tuple[Sequence[SourceRecord], Sequence[SourceRecord]],
        number: int,
        configs: Sequence[Mapping[str, str]],
    ) -> None:
        before, after = (
            Counter(_content(factory, endpoint, record) for record in records)
            for records in executions
        )
        if before == after:
            return
        changed = [*(before - after), *(after - before)]
        raise CheckFailedError(
            expected=f"the same {before.total()} values, each as often",
            observed=f"{after.total()} values, {len(changed)} of them missing, more or changed, "
            f"first {short(changed[0])}",
            scenario=f"planned partition {number} of {len(configs)} executed twice, a day apart",
            likely="what a task reads depends on the time, or on what this process has read before",
        )


def _content(factory: ExperimentFactory, endpoint: OpenEndpoint, record: SourceRecord) -> str:
    """What was seeded, as text; what a source adds of its own may be of the moment."""
    shape, value = factory.bench.subject.declaration.rows, record.value
    if shape is None or not isinstance(value, Struct):
        return repr(endpoint.driver.seeded(value))
    row: dict[str, Any] = shape.row(value)
    return repr(row)
