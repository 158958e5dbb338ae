"""Experiments with a plugin: simulated Kafka, endpoint, task runs and results."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from plugwright_conformance.evidence.outcome import CheckFailedError
from plugwright_conformance.processes.isolated_process import run_in_child
from plugwright_conformance.simulator._life import (
    DEAD_LETTERS,
    GROUP,
    REPORTED,
    LifeReport,
    Scene,
    TaskLife,
)
from plugwright_conformance.simulator._plan import Plan
from plugwright_conformance.simulator.codec import POISON
from plugwright_conformance.simulator.world import World
from plugwright_conformance.subject.names import TOPIC

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from random import Random

    from plugwright_conformance.catalogue.bench import Bench
    from plugwright_conformance.evidence.ledger import Ledger, Reconciliation
    from plugwright_conformance.processes.isolated_process import Host
    from plugwright_conformance.processes.virtual_time import VirtualTime
    from plugwright_conformance.simulator._log import Stored
    from plugwright_conformance.subject.endpoint import OpenEndpoint

_HANG_S = 10.0
_LEASE_S = 3600.0  # longer than any that is usual
_NOTICED_S = 60.0  # by then a group has put a silent member out
_RESTARTS = 6
_SLICE = 10


@dataclass
class Experiment:
    """One simulated Kafka with one endpoint, and consecutive task runs.

    Attributes:
        world: what is durable on Kafka's side.
        ledger: the book of what went in.
        payloads: what the records of a sink hold, serialized.
        denied_after: how many values a source's endpoint is given before it refuses for good.
    """

    factory: ExperimentFactory
    endpoint: OpenEndpoint
    ledger: Ledger
    world: World
    payloads: list[bytes] = field(default_factory=list)
    denied_after: int | None = None

    @property
    def config(self) -> dict[str, str]:
        """The connector's configuration."""
        more = self.factory.more_settings
        return self.factory.bench.config(self.endpoint, TOPIC, **more)

    def enter(self, count: int) -> list[str]:
        """Enter values into the book and line them up to be fed."""
        values = self.ledger.enter(count)
        self.payloads += [value.encode() for value in values]
        return values

    def grow(self, count: int) -> None:
        """Enter values that are there before the next task starts."""
        begin = self.world.fed
        self.enter(count)
        self.world.fed = len(self.payloads)
        if self.factory.is_source:
            self._seed((begin, self.world.fed))
            return
        keyed = self.factory.bench.subject.declaration.needs_keys
        for number in range(begin, self.world.fed):
            key = f"key {number}".encode() if keyed else None
            self.world.kafka.produce(TOPIC, self.payloads[number], key=key, partition=number % 2)

    def let_in(self, count: int) -> None:
        """Give the endpoint of a source so many of the values that were entered."""
        if end := min(self.world.fed + count, len(self.payloads)):
            self._seed((self.world.fed, end))
            self.world.fed = end

    def live(self, plan: Plan) -> LifeReport:
        """Let one task live by a plan; the world is what it leaves behind.

        If it was never done, and its connector has asked for its tasks to be configured again, it
        goes on as after a restart by the worker. Calls and events are those before.
        """
        first = last = self._lived(plan)
        for _ in range(_RESTARTS):
            if not last.renewed:
                break
            last = self._lived(self.factory.plan)
        return replace(
            first, ending=last.ending, world=last.world, error=last.error, drained=last.drained
        )

    def _lived(self, plan: Plan) -> LifeReport:
        factory = self.factory

        def body(host: Host) -> LifeReport:
            return factory.live(self, plan, host)

        report: LifeReport | None = run_in_child(body, self._answer, _HANG_S, REPORTED)
        factory.count_life()
        if report is None:
            return LifeReport("hung", self.world)
        self.take(report)
        return report

    def take(self, report: LifeReport) -> None:
        """Go on with the world that a life has left behind, some time later."""
        self.world = report.world
        self.world.clock.advance(_NOTICED_S)

    def drain(self, first: Plan | None = None) -> list[LifeReport]:
        """Start tasks, as an operator would after a failure, until everything has arrived.

        Args:
            first: the plan of the first of them; to the others nothing happens. Only a fault that
                lasts is a reason for a life that neither fails nor brings everything.
        """
        lives: list[LifeReport] = []
        while len(lives) < _RESTARTS:
            plan = self.factory.plan if lives or first is None else first
            life = self.live(plan)
            lives.append(life)
            excused = plan.fault is not None and plan.fault.lasts and not life.drained
            if life.ending == "hung" or (life.ending == "stopped" and not excused):
                break
        return lives

    def observed(self) -> Sequence[str]:
        """The values that arrived, read without the connector."""
        if self.factory.is_source:
            committed = self.factory.plan.exactly_once
            stored = self.world.arrived(committed=committed)
            return [(entry.value or b"").decode() for entry in _without_tombstones(stored)]
        return list(self.endpoint.driver.read_back())

    def dead_letters(self) -> Sequence[bytes | None]:
        """The values in the dead-letter queue."""
        return [entry.value for entry in self.world.kafka.read(DEAD_LETTERS)]

    def reconcile(self) -> Reconciliation:
        """Compare the values that went in with those that arrived."""
        return self.ledger.reconcile(self.observed())

    def poison(self, number: int) -> None:
        """Put a value of a type that the sink does not declare among the payloads."""
        self.payloads.insert(number, POISON + str(number).encode())

    def committed(self, partition: int) -> int:
        """The group's committed offset in a partition of the topic."""
        offsets = self.world.kafka.group(GROUP).offsets
        return next((o for p, o in offsets.items() if p == (TOPIC, partition)), 0)

    def not_durable(self) -> Sequence[str]:
        """Places of values below a committed offset that are not on the other side."""
        present = {str(value) for value in self.observed()}
        missing = []
        for partition in range(2):
            log = self.world.kafka.log(TOPIC, partition)
            for entry in log.read(0, log.end, committed=False):
                value = (entry.value or b"").decode()
                poisoned = value.startswith(POISON.decode())
                below = entry.offset < self.committed(partition)
                if below and not poisoned and value not in present:
                    missing.append(f"{TOPIC}-{partition}@{entry.offset}")
        return missing

    def _answer(self, request: tuple[int, int] | float) -> None:
        """Do what a life asks for: seed values, or let time pass at the endpoint, too."""
        if isinstance(request, float):
            self.factory.let_pass(request)
        else:
            self._seed(request)

    def _seed(self, request: tuple[int, int]) -> None:
        begin, end = request
        if self.denied_after is not None and begin >= self.denied_after:
            self.endpoint.driver.hook("deny")
            return
        self.endpoint.driver.seed(self.ledger.values[begin:end])


def _without_tombstones(stored: Iterable[Stored]) -> Iterator[Stored]:
    """The entries, but for tombstones after an entry of their key in the same partition.

    Entries of other keys may be between them: a task may read several source partitions.
    """
    keys: set[tuple[str, int, bytes | None]] = set()
    for entry in stored:
        key = (entry.topic, entry.partition, entry.key)
        if entry.value is not None or entry.key is None or key not in keys:
            yield entry
        keys.add(key)


class ExperimentFactory:
    """Creates experiments with one plugin.

    Attributes:
        bench: the workbench of the check.
        random: the source of contents and samples.
        plan: the life of a task without faults.
        lives: how many task runs there were so far.
        more_settings: settings of the connector in addition to the declared ones.
        waiting: how many values a source finds when its first task starts.

    Args:
        bench: the workbench of the check.
        time: the virtual time of tasks.
        exactly_once: whether sources produce in transactions.
        progress: called after each life.
    """

    def __init__(
        self,
        bench: Bench,
        time: VirtualTime,
        *,
        exactly_once: bool = False,
        progress: Callable[[], None] = lambda: None,
    ) -> None:
        self.bench = bench
        self.random: Random = bench.random
        own_offsets = bench.subject.declaration.keeps_own_offsets
        self.plan = Plan(exactly_once=exactly_once, lease_s=_LEASE_S if own_offsets else 0.0)
        self.lives = 0
        self.more_settings: dict[str, str] = {}
        self.waiting = 0
        self._time, self._progress = time, progress
        self._ledger_state = self.random.getstate()

    @property
    def is_source(self) -> bool:
        """Whether the plugin is a source."""
        return self.bench.subject.kind == "source"

    def count_life(self) -> None:
        """Count one task run."""
        self.lives += 1
        self._progress()

    def let_pass(self, seconds: float) -> None:
        """Let time go by for whatever runs in this process."""
        self._time.skip(seconds)

    @contextmanager
    def experiment(
        self, records: int = 24, *, cooperative: bool = False, idle_partitions: int = 0
    ) -> Iterator[Experiment]:
        """A fresh world and endpoint, and that many records; always the same ones.

        Idle partitions of a sink's topic never have a record.
        """
        self.random.setstate(self._ledger_state)
        with self.bench.endpoint() as endpoint:
            world = World(cooperative=cooperative)
            world.kafka.create_topic(TOPIC, 1 if self.is_source else 2 + idle_partitions)
            made = Experiment(self, endpoint, self.bench.ledger(), world)
            made.enter(records)
            made.let_in(self.waiting)
            yield made

    def live(
        self, experiment: Experiment, plan: Plan, host: Host, kind: type[TaskLife] = TaskLife
    ) -> LifeReport:
        """Run a task in an experiment; called in a process that ends afterwards.

        Its connector runs as long, and longer if the task was not done, because it may request
        another task.
        """
        total = len(experiment.payloads)
        size = max(_SLICE, plan.intake.fetch)
        slices = [*range(size, total, size), total]
        with ExitStack() as stack:
            try:
                if self.is_source and total and not self.has_task(experiment):
                    host.ask((0, slices[0]))
                    experiment.world.fed = slices[0]
                assignment = stack.enter_context(self.bench.assignment(experiment.config))
                task, config = assignment.task()
            except Exception as error:  # noqa: BLE001  # the connector does not get as far as a task
                error_text = f"{type(error).__name__}: {error}"
                return LifeReport("failed", experiment.world, error=error_text)
            life = kind(task, config, plan, self._scene(experiment, host, slices))
            if not self.is_source and experiment.world.fed == 0 and total:
                life.feed_sink()
            report = life.run()
            over = report.ending != "stopped" or report.drained
            renewed = not over and assignment.await_renewal(self._time)
            return replace(report, renewed=renewed)

    def _scene(self, experiment: Experiment, host: Host, slices: Sequence[int]) -> Scene:
        return Scene(
            is_source=self.is_source,
            world=experiment.world,
            host=host,
            time=self._time,
            slices=slices,
            values=experiment.payloads,
            seeded=experiment.endpoint.driver.seeded if self.is_source else None,
            form=self.bench.subject.declaration.record_form,
        )

    def has_task(self, experiment: Experiment) -> bool:
        """Whether the connector has something to do as it is now."""
        with self.bench.started_connector(experiment.config) as connector:
            return bool(connector.task_configs(1))

    def require_complete(
        self, experiment: Experiment, lives: Sequence[LifeReport], scenario: str, **more: Any
    ) -> Reconciliation:
        """Compare, and object to a loss.

        Raises:
            CheckFailedError: if something is lost, invented, or the task hangs.
        """
        if lives and lives[-1].ending == "hung":
            raise CheckFailedError(
                expected="calls that return", observed="a task that hangs", scenario=scenario
            )
        found = experiment.reconcile()
        if found.lost or found.foreign:
            error = lives[-1].last_words if lives else ""
            raise CheckFailedError(
                expected=f"all {found.entered} values, and no others",
                observed=f"{found}{error}",
                scenario=scenario,
                **more,
            )
        return found
