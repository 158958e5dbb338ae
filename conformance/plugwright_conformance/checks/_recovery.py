"""Checks of replay, of idle time, and of the loss of the driver (catalogue 3.5.22)."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from plugwright.record import TopicPartition
from plugwright_conformance.bench import TOPIC
from plugwright_conformance.check import Check
from plugwright_conformance.checks._delivery import (
    COMMITTED_S,
    open_pipeline,
    require_equal,
    require_no_loss,
    share_of,
)
from plugwright_conformance.drive import (
    SourceContext,
    poll_values,
    running_sink,
    running_source,
    sink_records,
)
from plugwright_conformance.isolated import run_isolated
from plugwright_conformance.outcome import CheckFailedError, Evidence, Level

if TYPE_CHECKING:
    from plugwright_conformance.bench import Bench
    from plugwright_conformance.endpoint import OpenEndpoint

__all__ = ["DriverLossLosesNothing", "IdleBatchesAreHarmless", "ReplayLosesNothing"]

_HOME = TopicPartition(TOPIC, 0)
_COUNT = 200
_IDLE_S = 1.5


class ReplayLosesNothing(Check):
    """The same batch may come again."""

    id = "CON-SPK-03"
    level = Level.C3
    group = "Spark"
    title = "Replay of a micro-batch loses nothing, and with exactly-once writes once"
    why = "Between the write of the data and the commit of the offset any process may die."
    mend = "Remember a batch as done only after its data is durable."
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
                    poll_values(task, _COUNT)
                with running_source(bench, config, SourceContext()) as task:
                    seen = [record.value for record in poll_values(task, _COUNT)]
        found = ledger.reconcile(seen)
        scenario = "a batch, kill -9 before its offset was committed, the same batch again"
        once = bench.subject.declaration.delivery == "exactly-once"
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
            values=values,
        )
        with running_sink(bench, config, [_HOME]) as task:
            task.put(sink_records(values, _HOME))
            task.pre_commit({_HOME: len(values)})


class IdleBatchesAreHarmless(Check):
    """Without data nothing happens."""

    id = "CON-SPK-10"
    level = Level.C2
    group = "Spark"
    title = "Empty micro-batches are harmless"
    why = "Most of the day many topics are quiet; a marker for each batch fills the target."
    mend = "Return early when there are no records."
    origin = "SPK"
    live = True
    budget_s = 60.0

    def run(self, bench: Bench) -> Evidence:
        """Run on Spark with no data for a while; no write, no record."""
        with open_pipeline(bench) as pipeline, pipeline.running() as connector:
            begun = time.monotonic()
            time.sleep(_IDLE_S)
            arrived, moved = list(pipeline.collect()), connector.records
            seconds = time.monotonic() - begun
            connector.stop()
        if arrived or moved:
            raise CheckFailedError(
                expected="nothing written",
                observed=f"{len(arrived)} values, first {str(arrived[:1])[:60]}",
                scenario=f"{seconds:.1f} s on Spark without data",
                likely="put([]) writes something",
            )
        return Evidence(1, figures={"idle_s": round(seconds, 1)})


class DriverLossLosesNothing(Check):
    """The machine with everything on it may go."""

    id = "CON-SPK-05"
    level = Level.C4
    group = "Spark"
    title = "Driver loss: restart from the checkpoint"
    why = "Drivers are restarted by schedulers that ask nobody."
    mend = "Keep nothing in memory that the next start needs."
    origin = "SPK; G-Sys"
    live = True
    budget_s = 180.0

    def run(self, bench: Bench) -> Evidence:
        """Kill -9 a driver and all its processes in mid-flow; go on elsewhere; compare."""
        share = share_of(bench)
        with open_pipeline(bench) as pipeline:
            pipeline.feed(share)
            config, name = pipeline.config(), pipeline.name
            with bench.live.doomed(bench.subject, config, name) as driver:
                pipeline.await_some()
                time.sleep(COMMITTED_S)
                with pipeline.trickling(share):
                    time.sleep(0.2 + bench.random.random() / 4)
                    killed = driver.kill()
                    bench.live.note("kill", f"kill -9 of the driver of {name} and all below it")
            begun = time.monotonic()
            with pipeline.running() as connector:
                pipeline.await_all()
                seconds = time.monotonic() - begun
                connector.stop()
            found = pipeline.reconcile()
        require_no_loss(found, f"kill -9 of the driver and its {killed - 1} processes in mid-flow")
        figures = {**found.figures(), "processes_killed": killed, "back_after_s": round(seconds, 3)}
        return Evidence(found.entered, found.digest, figures)
