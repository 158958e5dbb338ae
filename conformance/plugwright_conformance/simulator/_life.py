"""One run of a task: from start to stop, failure or crash point."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from plugwright.worker import (
    AtLeastOnceGuarantee,
    Conversion,
    ExactlyOnceGuarantee,
    SinkClients,
    SinkSettings,
    SinkTaskLoop,
    SourceSettings,
    SourceTaskLoop,
    TaskControl,
    TaskEnvironment,
    TaskIdentity,
)
from plugwright_conformance.processes.open_resources import held, more_than
from plugwright_conformance.simulator._consumer import SimulatedConsumer
from plugwright_conformance.simulator._endpoint_watch import Call, EndpointWatch
from plugwright_conformance.simulator._errors import Refusal
from plugwright_conformance.simulator._offsets import SimulatedOffsetStore
from plugwright_conformance.simulator._producer import (
    LateProducer,
    PromptProducer,
    SimulatedProducer,
    SimulatedTransactions,
)
from plugwright_conformance.simulator._recorder import Recorder
from plugwright_conformance.simulator._slow_answers import SlowAnswers
from plugwright_conformance.simulator.codec import simulated_codec
from plugwright_conformance.simulator.http_requests import BusyAnswer, HttpRequest, HttpRequests
from plugwright_conformance.simulator.life_progress import LifeProgress
from plugwright_conformance.simulator.task_ending import TaskEnding, let_go
from plugwright_conformance.simulator.watch import Crossing
from plugwright_conformance.simulator.world import KINDS as WORLD
from plugwright_conformance.simulator.world import OFFSETS
from plugwright_conformance.subject.names import CONNECTOR, TOPIC
from plugwright_conformance.subject.text_rows import RecordForm

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from plugwright.worker import Boundary, DeliveryGuarantee
    from plugwright_conformance.processes.isolated_process import Host
    from plugwright_conformance.processes.virtual_time import VirtualTime
    from plugwright_conformance.simulator._plan import Plan
    from plugwright_conformance.simulator.world import World

GROUP = f"connect-{CONNECTOR}"
DEAD_LETTERS = f"{TOPIC}-dead-letters"
_PLAIN = RecordForm()
_TICK_S = 0.05
_FLUSH_S = 0.12
_BREATH_S = 0.005
_MOST_TURNS = 1000
_REAL_PATIENCE_S = 3.0  # with tasks that have threads, which need real time


@dataclass(frozen=True, slots=True)
class LifeReport:
    """The observations of one task run.

    Attributes:
        ending: ``stopped``, ``failed``, ``crashed`` or ``hung``.
        world: what Kafka holds now.
        events: names of the boundary events, in order.
        calls: those to the endpoint that a fault may hit, in order.
        drained: whether everything had arrived and was committed at the end.
        ahead: the most records that were taken while the own threads awaited one answer.
        answers: how many such answers there were.
        left: how much of each kind it holds more than before, if that was counted.
        renewed: whether the connector has asked for its tasks to be configured again.
        requests: those by HTTP, in order, where the plan has an answer for one of them.
    """

    ending: str
    world: World
    events: Sequence[str] = ()
    calls: Sequence[Call] = ()
    crossings: Sequence[Crossing] = ()
    error: str = ""
    drained: bool = False
    ahead: int = 0
    answers: int = 0
    left: Mapping[str, int] = field(default_factory=dict)
    renewed: bool = False
    requests: Sequence[HttpRequest] = ()

    @property
    def foreign(self) -> Sequence[Crossing]:
        """Exceptions that the contract does not have."""
        return [crossing for crossing in self.crossings if not crossing.is_connect]

    @property
    def last_words(self) -> str:
        """The error that ended it, or the last one of a task that was never done; maybe empty."""
        if self.error:
            return f"; the task ended with {self.error}"
        if self.drained or self.ending != "stopped" or not self.crossings:
            return ""
        return f"; not done after {len(self.crossings)} errors, the last a {self.crossings[-1]}"


REPORTED = LifeReport, Call, Crossing, HttpRequest, *WORLD
"""The classes that a report is made of."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """The environment of a task, and the records that it receives.

    Attributes:
        world: the durable state before the run, which is changed in place.
        host: seeds the endpoint of a source, and receives the last message.
        time: reports skipped waits.
        slices: how many records must be available after each feeding.
        values: the serialized values of a sink's records.
        seeded: the seeded value from which a source made a record's value.
        form: the parts of a sink's records other than their texts.
    """

    is_source: bool
    world: World
    host: Host
    time: VirtualTime
    slices: Sequence[int]
    values: Sequence[bytes]
    seeded: Callable[[Any], Any] | None = None
    form: RecordForm = _PLAIN


class TaskLife:
    """Runs the worker's loop over a task of the plugin in the simulation.

    To be made and run in a process that is thrown away.

    Args:
        task: fresh.
        config: its configuration.
        plan: what happens to it.
        scene: where it lives.
    """

    def __init__(self, task: Any, config: Mapping[str, str], plan: Plan, scene: Scene) -> None:
        self._plan = plan
        self._world, self._host, self._time = scene.world, scene.host, scene.time
        self._slices, self._values = scene.slices, scene.values
        self._is_source, self._keyed = scene.is_source, scene.form.keyed
        self._set_back_s = plan.set_back_s
        self._time.passed = self._world.clock.advance
        self._time.endless = lambda: self._host.end(self._report("hung"))
        self._recorder = Recorder(
            stop_at=plan.stop_at,
            stop_in=plan.stop_in,
            stop=self._crash,
            feed_at=plan.feed_at,
            feed=self._feed_early,
        )
        self._control = TaskControl()
        self._status = TaskEnding()
        self._idle = self._turns = 0
        self._seen, self._real_s, self._expired_at = -1, 0.0, -1
        self._progress = LifeProgress(self._time, self._world.clock)
        self._letters_arrive: Callable[[], None] = lambda: None
        self._drained = False
        self._pace = SlowAnswers(plan.slow_answers, self._time.sleep)
        plugin = f"{type(task).__module__}.{type(task).__qualname__}"
        identity = TaskIdentity(CONNECTOR, 0, plugin, "", "", self._host.enter)
        self._endpoint = EndpointWatch(
            identity,
            plan.fault,
            self._recorder,
            clock=self._world.clock,
            skip=self._time.skip,
            pace=self._pace,
        )
        self._requests = HttpRequests(plan.busy or BusyAnswer(), self._phase)
        codec = simulated_codec(plan.poison, scene.seeded, scene.form.rows)
        self._environment = self._environment_of(config, Conversion(codec))
        self._loop = self._source(task) if self._is_source else self._sink(task)

    def run(self) -> LifeReport:
        """Live to the end."""
        before = held() if self._plan.census else {}
        self._run_loop()
        if not self._is_source:
            self._consumer.close()
            self._letters_arrive()
        let_go(self._status.failure)
        left = more_than(before) if before else {}
        return replace(self._report(self._status.ending), left=left)

    def _run_loop(self) -> None:
        if self._plan.busy is None:
            self._loop.run()
        else:
            with self._requests.watched():
                self._loop.run()

    def _phase(self) -> str:
        return self._endpoint.identity.phase

    def _environment_of(self, config: Mapping[str, str], conversion: Conversion) -> TaskEnvironment:
        return TaskEnvironment(
            identity=self._endpoint.identity,  # type: ignore[arg-type]  # stands in front of it
            configs=config,
            conversion=conversion,
            control=self._control,
            status=self._status,
            observe=self._source_boundary if self._is_source else self._recorder.boundary,
            clock=self._world.clock,
        )

    def _source(self, task: Any) -> SourceTaskLoop:
        plan = self._plan
        interval_s = 0.0 if plan.commits_always else _FLUSH_S
        settings = SourceSettings(interval_s, 5.0, boundary=plan.boundary, errors=plan.errors)
        return SourceTaskLoop(task, self._environment, self._guarantee(), settings=settings)

    def _guarantee(self) -> DeliveryGuarantee:
        kafka, recorder = self._world.kafka, self._recorder
        held = self._plan.kafka_fault.held
        store = partial(SimulatedOffsetStore, kafka, OFFSETS, CONNECTOR, recorder)
        if self._plan.exactly_once:
            transactions = SimulatedTransactions(kafka, recorder, f"{CONNECTOR}-0", store)
            transactions.hold(held)
            return ExactlyOnceGuarantee(transactions, transactions.offsets)
        producer = SimulatedProducer(kafka, recorder)
        producer.hold(held)
        return AtLeastOnceGuarantee(producer, store())

    def _sink(self, task: Any) -> SinkTaskLoop:
        world, plan = self._world, self._plan
        self._consumer = SimulatedConsumer(
            world.kafka,
            GROUP,
            self._recorder,
            fetch=plan.intake.fetch,
            first=plan.intake.first,
            across=plan.intake.across,
            before_poll=self._before_poll,
        )
        for _ in range(plan.kafka_fault.refused_commits):
            self._consumer.refuse_next_commit(Refusal("REBALANCE_IN_PROGRESS"))
        clients = SinkClients(self._consumer, [TOPIC], self._dead_letters())
        settings = SinkSettings(_FLUSH_S, 5.0, errors=plan.errors)
        return SinkTaskLoop(task, self._environment, clients, settings=settings)

    def _dead_letters(self) -> SimulatedProducer:
        kind = LateProducer if self._plan.late_letters else PromptProducer
        made = kind(self._world.kafka, self._recorder, name="dead-letter")
        if isinstance(made, LateProducer):
            self._time.due = self._letters_arrive = made.arrive
        return made

    def _source_boundary(self, boundary: Boundary) -> None:
        self._recorder.boundary(boundary)
        if boundary.value == "poll.enter":
            self._source_turn()

    def _source_turn(self) -> None:
        """Between two polls: feed, wait, or end, by what has arrived."""
        world = self._world
        self._time.skip(_TICK_S)  # the clocks of the task go on, too
        arrived = world.arrived(committed=self._plan.exactly_once)
        self._idle = 0 if len(arrived) != self._seen else self._idle + 1
        self._progress.look(len(arrived), idle=self._idle > 0)
        self._seen = len(arrived)
        complete = set(self._values[: world.fed]) <= {entry.value for entry in arrived}
        rested = complete and self._idle >= self._plan.idle
        if rested and world.fed < len(self._values):
            self._feed_source()
        elif rested and self._idle_s() > _FLUSH_S:
            self._finish()
        self._lose_patience()

    def _idle_s(self) -> float:
        """For how long nothing has arrived, in polls that return at once, and in those that wait.

        A poll that waits for a thread of its own takes real time, and lives are many.
        """
        return self._idle * _TICK_S + self._progress.waited_s

    def _feed_early(self) -> None:
        if self._world.fed < len(self._values):
            self._feed_source()

    def _feed_source(self) -> None:
        end = self._next_slice()
        self._host.ask((self._world.fed, end))
        self._world.fed = end

    def _next_slice(self) -> int:
        if self._world.fed:
            self._time.set_back(self._set_back_s)
            self._set_back_s = 0.0
        return next(end for end in self._slices if end > self._world.fed)

    def _before_poll(self) -> None:
        """Between two batches of a sink: feed, wait, or end, by what is committed."""
        world = self._world
        self._time.skip(_TICK_S)  # the clocks of the task go on, too
        if self._pace.seen_enough(self._consumer.reached, idle=self._consumer.idle > 0):
            self._crash()
        self._redeliver()
        self._idle = self._consumer.idle
        reached = (self._consumer.reached, world.kafka.lag(GROUP, TOPIC))
        self._progress.look(reached, idle=self._idle > 0)
        rested = self._idle > self._plan.idle
        if rested and world.fed < len(self._values):
            self.feed_sink()
        elif rested and world.kafka.lag(GROUP, TOPIC) == 0:
            self._finish()
        self._lose_patience()

    def feed_sink(self) -> None:
        """Put the next slice into the topic."""
        end = self._next_slice()
        for number in range(self._world.fed, end):
            self._produce(number)
        self._world.fed = end
        self._consumer.idle = 0

    def _produce(self, number: int) -> None:
        keys, share = self._plan.intake.keys, self._plan.intake.share
        key = f"key {number % keys if keys else number}" if keys or self._keyed else ""
        home = min(1, number % share)
        value = self._values[number]
        self._world.kafka.produce(TOPIC, value, key=key.encode() or None, partition=home)

    def _redeliver(self) -> None:
        if self._plan.kafka_fault.redelivered == self._consumer.polls:
            self._consumer.redeliver()

    def _finish(self) -> None:
        self._drained = True
        if self._plan.ends_by_crash:
            self._crash()
        self._control.stop()

    def _lose_patience(self) -> None:
        self._turns += 1
        self._real_s = self._real_s + self._time.breathe(_BREATH_S) if self._idle else 0.0
        patient = self._idle <= self._plan.patience or 0 < self._real_s < _REAL_PATIENCE_S
        endless = self._turns > _MOST_TURNS or self._progress.repeats_itself()
        if patient and not endless and not self._progress.has_waited_long():
            return
        if self._plan.lease_s and self._seen != self._expired_at:
            self._expire_leases()
        else:
            self._control.stop()

    def _expire_leases(self) -> None:
        """Let the endpoint give out again what it holds back for this task."""
        self._expired_at, self._idle, self._turns = self._seen, 0, 0
        self._host.ask(self._plan.lease_s)

    def _crash(self) -> None:
        self._host.end(self._report("crashed"))

    def _report(self, ending: str) -> LifeReport:
        return LifeReport(
            ending,
            self._world,
            self._recorder.events,
            self._endpoint.calls,
            self._endpoint.identity.crossings,
            self._status.error,
            self._drained,
            self._pace.most,
            self._pace.answers,
            requests=self._requests.made,
        )
