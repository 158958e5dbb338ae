"""Checks of delivery on Spark against a live Kafka."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from threading import Event
from typing import TYPE_CHECKING

from plugwright_conformance.catalogue.check import Check
from plugwright_conformance.catalogue.register import registered
from plugwright_conformance.evidence.outcome import CheckFailedError, Evidence, Level, Severity
from plugwright_conformance.subject.engines import STREAM
from plugwright_conformance.subject.text_rows import CONVERTER_SETTINGS, parsed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from plugwright.spark import TaskStatus
    from plugwright_conformance.catalogue.bench import Bench
    from plugwright_conformance.evidence.ledger import Ledger, Reconciliation
    from plugwright_conformance.live.connector import LiveConnector
    from plugwright_conformance.live.system import LiveSystem
    from plugwright_conformance.subject.endpoint import OpenEndpoint
    from plugwright_conformance.subject.text_rows import TextRows

_SINK_PARTITIONS = 2
_BUDGET_S = 180.0
_SHARE = 201
_SLICES = 40
_SLICE_PAUSE_S = 0.02
_DRIP = 50
_DRIP_PAUSE_S = 0.1
BEGUN_S = 0.2
"""Something is on the way this long after it was first fed, and more comes."""


@dataclass
class Pipeline:
    """One direction of data between the ledger and the far end, whatever the plugin's kind.

    Attributes:
        exactly_once: whether records and offsets of a source are committed in transactions.
    """

    bench: Bench
    live: LiveSystem
    endpoint: OpenEndpoint
    ledger: Ledger
    topic: str
    name: str
    checkpoints: Path
    engine: str
    exactly_once: bool = False

    @property
    def is_source(self) -> bool:
        """Whether the plugin is a source connector."""
        return self.bench.subject.kind == "source"

    @cached_property
    def _rows(self) -> TextRows | None:
        return self.bench.subject.declaration.text_rows

    @property
    def _is_structured(self) -> bool:
        """Whether values are rows, or records of which the driver says what was seeded."""
        return self.endpoint.driver.unwraps if self.is_source else self._rows is not None

    def feed(self, count: int) -> None:
        """Enter new values and put them where the connector reads."""
        values = self.ledger.enter(count)
        if self.is_source:
            self.endpoint.driver.seed(values)
        else:
            keyed, rows = self.bench.subject.declaration.needs_keys, self._rows
            payloads = [rows.serialized(each) if rows else each.encode() for each in values]
            self.live.write(self.topic, payloads, keyed=keyed)

    def trickle(self, count: int, slices: int = _SLICES) -> None:
        """Feed in small slices, so that something is always on the way."""
        done = [count * number // slices for number in range(slices + 1)]
        for first, last in pairwise(done):
            self.feed(last - first)
            time.sleep(_SLICE_PAUSE_S)

    @contextmanager
    def trickling(self, count: int, slices: int = _SLICES) -> Iterator[None]:
        """Feed in the background; everything is fed at the end."""
        with ThreadPoolExecutor(1) as feeder:
            feeding = feeder.submit(self.trickle, count, slices)
            yield
            feeding.result()

    @contextmanager
    def flowing(self, count: int) -> Iterator[None]:
        """Feed in the background; a stream, whose batch takes all there is, as long as it lasts."""
        over = Event()

        def flow() -> None:
            self.trickle(count)
            while self.engine == STREAM and not over.wait(_DRIP_PAUSE_S):
                self.feed(_DRIP)

        with ThreadPoolExecutor(1) as feeder:
            feeding = feeder.submit(flow)
            try:
                yield
            finally:
                over.set()
            feeding.result()

    def collect(self) -> Sequence[str]:
        """The values that arrived, read without the connector."""
        if self.is_source:
            found = self.live.read(self.topic)
            seeded = self.endpoint.driver.seeded
            return [str(seeded(parsed(each))) for each in found] if self._is_structured else found
        return list(self.endpoint.driver.read_back())

    def arrived(self) -> int:
        """The number of values that arrived: exact for topics, read back for endpoints."""
        return self.live.size(self.topic) if self.is_source else len(self.collect())

    def await_all(self, *, unless: Callable[[], bool] = lambda: False, patience: int = 1) -> None:
        """Wait until everything that was fed has arrived, as long as something moves.

        The number alone proves nothing: after a crash it may be reached by repetitions.

        Args:
            unless: whether to wait no longer.
            patience: how often nothing may move for a while.
        """
        wanted = len(self.ledger.values)

        def over() -> bool:
            return unless() or (self.arrived() >= wanted and not self.reconcile().lost)

        for _ in range(patience):
            if self.live.wait_until(over, self.arrived, self.engine):
                break

    def await_committed(self) -> None:
        """Wait until what has arrived is on the record: a start now would not be the first one."""
        self.live.wait_until(
            lambda: self.live.has_committed(self.name, self.bench.subject.kind),
            self.arrived,
            self.engine,
        )

    def config(self) -> dict[str, str]:
        """The connector's configuration."""
        tasks = str(_SINK_PARTITIONS if self.bench.subject.declaration.parallel else 1)
        more = {"tasks.max": tasks} | (CONVERTER_SETTINGS if self._is_structured else {})
        if self.engine == STREAM:
            more["spark.engine"] = STREAM
            more["spark.engine.checkpoint.location"] = self.checkpoints.as_uri()
        return self.bench.config(self.endpoint, self.topic, **more)

    @contextmanager
    def running(self, **more: str) -> Iterator[LiveConnector]:
        """The connector, on Spark, with more settings."""
        config = self.config() | more
        with self.live.running(
            self.bench.subject, config, self.name, exactly_once=self.exactly_once
        ) as connector:
            yield connector

    def reconcile(self) -> Reconciliation:
        """Compare the values fed with those that arrived."""
        return self.ledger.reconcile(self.collect())


@contextmanager
def open_pipeline(
    bench: Bench,
    engine: str = "",
    live: LiveSystem | None = None,
    topic: str = "",
    *,
    exactly_once: bool = False,
) -> Iterator[Pipeline]:
    """A pipeline whose endpoint was tried on its own first (conformance rule 5).

    Args:
        bench: of the check.
        engine: where the connector runs, by default on the engine of the check.
        live: the Kafka and Spark to use, by default those of the run.
        topic: the topic to use, which need not exist; by default a fresh one.
        exactly_once: whether records and offsets of a source are committed in transactions.
    """
    live, engine = live or bench.live, engine or bench.engine
    with bench.endpoint() as endpoint:
        probe = bench.ledger().enter(3)
        endpoint.driver.seed(probe)
        if sorted(map(str, endpoint.driver.read_back())) != sorted(probe):
            raise AssertionError("the endpoint driver does not read back its seeded values")
    with bench.endpoint() as endpoint:
        partitions = 1 if bench.subject.kind == "source" else _SINK_PARTITIONS
        topic, name = topic or live.create_topic(partitions), live.fresh_name(bench.subject.kind)
        ledger, checkpoints = bench.ledger(), bench.directory()
        yield Pipeline(
            bench, live, endpoint, ledger, topic, name, checkpoints, engine, exactly_once
        )


def require_no_loss(found: Reconciliation, scenario: str) -> None:
    """Fail if a value was lost, or an unknown one arrived."""
    if found.lost or found.foreign:
        raise CheckFailedError(
            expected=f"all {found.entered} values, and no others",
            observed=str(found),
            scenario=scenario,
            evidence=Evidence(found.entered, found.digest, found.figures()),
        )


def require_equal(found: Reconciliation, scenario: str) -> None:
    """Fail unless every value has come, once."""
    require_no_loss(found, scenario)
    if found.duplicated:
        raise CheckFailedError(
            expected=f"all {found.entered} values once each",
            observed=str(found),
            scenario=scenario,
            evidence=Evidence(found.entered, found.digest, found.figures()),
        )


@registered
class DeliveryIsComplete(Check):
    """Without faults, output equals input."""

    id = "CON-DLV-01"
    level = Level.C3
    title = "Without faults, output equals input as a multiset"
    why = (
        "Complete delivery is the purpose of a connector; losing one record in a hundred is a "
        "fault."
    )
    mend = "Follow the first lost id through the connector."
    live = True
    budget_s = _BUDGET_S

    def run(self, bench: Bench) -> Evidence:
        """Move the whole ledger, half of it while the connector runs; compare both directions."""
        with open_pipeline(bench) as pipeline:
            half = bench.records // 2
            pipeline.feed(half)
            with pipeline.running() as connector:
                pipeline.feed(bench.records - half)
                pipeline.await_all()
                connector.stop()
            found = pipeline.reconcile()
        require_equal(found, f"{bench.records} records through Spark and Kafka, without faults")
        return Evidence(found.entered, found.digest, found.figures())


@registered
class CleanRestartIsExact(Check):
    """A clean restart of a source neither loses nor repeats records."""

    id = "SRC-OFF-02"
    level = Level.C3
    title = "A clean restart neither loses nor repeats"
    why = "Every deployment restarts every connector."
    mend = "Store the offset of every record, and resume right after it."
    live = True
    budget_s = _BUDGET_S

    def run(self, bench: Bench) -> Evidence:
        """Stop in mid-flow, go on, stop at rest, feed more, go on; compare the union."""
        return _stop_and_start(bench)


@registered
class CleanWorkerStop(Check):
    """A clean stop of a sink's tasks neither loses nor repeats records."""

    id = "CON-REB-02"
    severity = Severity.SHOULD
    level = Level.C4
    wave = 2
    title = "Clean worker stop: nothing lost, nothing repeated"
    why = "Every deployment stops every worker."
    mend = "In the final pre_commit() or commit, include everything that is durable."
    live = True
    budget_s = _BUDGET_S

    def run(self, bench: Bench) -> Evidence:
        """Stop in mid-flow, go on, stop at rest, feed more, go on; compare the union."""
        return _stop_and_start(bench)


def await_moving(connector: LiveConnector) -> int:
    """Wait until some task has moved records; the number of the one that has moved most.

    Not every task has to: while a group forms, its first member may drain all partitions.
    """

    def moved(task: TaskStatus) -> int:
        return int(task.counters.get("records", 0))

    connector.await_tasks(lambda tasks: any(map(moved, tasks)), "moving records")
    statuses = connector.job.statuses
    return max(range(len(statuses)), key=lambda number: moved(statuses[number]))


def share_of(bench: Bench) -> int:
    """A part of the records; odd, so that no round number of the plugin's divides it."""
    return max(bench.records // 10, _SHARE) | 1


def _stop_and_start(bench: Bench) -> Evidence:
    share = share_of(bench)
    with open_pipeline(bench) as pipeline:
        with pipeline.running() as connector, pipeline.trickling(share):
            await_moving(connector)
            connector.stop()
        for more in (0, share):
            pipeline.feed(more)
            with pipeline.running() as connector:
                pipeline.await_all()
                connector.stop()
        found = pipeline.reconcile()
    require_equal(found, "stopped cleanly, while records flowed and while idle, and restarted")
    return Evidence(found.entered, found.digest, found.figures())


@registered
class ProcessLossLosesNothing(Check):
    """A killed task process loses no records."""

    id = "CON-REB-01"
    revision = 2
    level = Level.C4
    title = "Unclean worker loss: nothing lost"
    why = "Machines fail without warning."
    mend = "Commit only what is durable, and resume at the committed offset."
    live = True
    budget_s = _BUDGET_S

    def run(self, bench: Bench) -> Evidence:
        """Kill -9 the Python process of a task on Spark in mid-flow, go on, compare."""
        share = share_of(bench)
        with open_pipeline(bench) as pipeline:
            pipeline.feed(share)
            with pipeline.running() as connector:
                busiest = await_moving(connector)
                pipeline.await_committed()
                with pipeline.flowing(share):
                    time.sleep(BEGUN_S + bench.random.random() / 4)
                    kill = connector.kill_task(busiest)
                pipeline.await_all()
                connector.stop()
            found = pipeline.reconcile()
        require_no_loss(found, "kill -9 of a task's Python process while records flowed")
        figures = {**found.figures(), "back_after_s": round(kill.back_after_s, 3)}
        figures["kill_met_it"] = kill.met
        return Evidence(found.entered, found.digest, figures)
