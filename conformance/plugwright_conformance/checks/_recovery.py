"""Checks of repeated batches and of the loss of the driver."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright_conformance.catalogue.check import Check
from plugwright_conformance.catalogue.register import registered
from plugwright_conformance.checks._stepped_tasks import (
    poll_values,
    put_all,
    running_source,
    work_of,
)
from plugwright_conformance.checks.delivery import require_equal, require_no_loss
from plugwright_conformance.checks.driver_loss import lost_on_each_engine
from plugwright_conformance.evidence.outcome import CheckFailedError, Evidence, Level
from plugwright_conformance.processes.isolated import run_isolated
from plugwright_conformance.subject.contexts import SourceContext, sink_records
from plugwright_conformance.subject.names import HOME, TOPIC

if TYPE_CHECKING:
    from plugwright_conformance.catalogue.bench import Bench
    from plugwright_conformance.evidence.ledger import Reconciliation
    from plugwright_conformance.subject.endpoint import OpenEndpoint

_COUNT = 200
_DYING_S = 0.5


@registered
class ReplayLosesNothing(Check):
    """A batch may be repeated."""

    id = "CON-SPK-03"
    level = Level.C3
    title = "A repeated micro-batch loses nothing, and with exactly-once writes each record once"
    why = "Any process may die between writing the data and committing the offset."
    mend = "Mark a batch as done only after its data is durable."
    origin = "SPK"

    def run(self, bench: Bench) -> Evidence:
        """Die between data and commit; the same batch comes again to a new task."""
        ledger = bench.ledger()
        values = ledger.enter(_COUNT)
        with bench.endpoint() as endpoint:
            if bench.subject.kind == "sink":
                self._replay_to_sink(bench, endpoint, values)
                seen = list(endpoint.driver.read_back())
            else:
                endpoint.driver.seed(values)
                config = bench.config(endpoint)
                with running_source(bench, config, SourceContext()) as task:
                    task.take(_COUNT, _DYING_S, answering=False)
                with running_source(bench, config, SourceContext()) as task:
                    records = poll_values(task, _COUNT)
                seen = [endpoint.driver.seeded(record.value) for record in records]
        found = ledger.reconcile(seen)
        scenario = "a batch, kill -9 before its offset was committed, the same batch again"
        once = bench.subject.declaration.exactly_once
        (require_equal if once else require_no_loss)(found, scenario)
        return Evidence(found.entered, found.digest, found.figures())

    @staticmethod
    def _replay_to_sink(bench: Bench, endpoint: OpenEndpoint, values: list[str]) -> None:
        config = bench.config(endpoint)
        with bench.started_connector(config) as connector:
            task_class, props = connector.task_class(), dict(connector.task_configs(1)[0])
        run_isolated(
            bench.subject,
            "put-and-die",
            "a batch put by a process that dies before the commit",
            module=task_class.__module__,
            qualname=task_class.__qualname__,
            config=props,
            topic=TOPIC,
            work=work_of(bench, values),
        )
        put_all(bench, config, HOME, sink_records(values, HOME))


@registered
class DriverLossLosesNothing(Check):
    """The connector survives the loss of the driver and all its processes."""

    id = "CON-SPK-05"
    revision = 3
    level = Level.C4
    after = "CON-REB-02"
    title = "Driver loss: restart from the checkpoint"
    why = "Schedulers restart drivers at any time."
    mend = "Keep nothing in memory that the next start needs."
    origin = "SPK; G-Sys"
    live = True
    other_driver = True
    budget_s = 240.0

    def run(self, bench: Bench) -> Evidence:
        """Kill -9 a driver and all its processes in mid-flow; go on elsewhere; compare."""
        lost = bench.once("driver-loss", lambda: lost_on_each_engine(bench))[bench.engine]
        if isinstance(lost, CheckFailedError):
            raise lost
        found: Reconciliation = lost.found
        require_no_loss(found, f"kill -9 of the driver and its {lost.below} processes in mid-flow")
        return Evidence(found.entered, found.digest, {**found.figures(), **lost.figures})
