"""One run of a task: from start to stop, failure or crash point."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from plugwright.worker import (
    SinkSettings,
    SinkTaskLoop,
    SourceSettings,
    SourceTaskLoop,
    TaskControl,
    TaskIdentity,
)
from plugwright_conformance.processes.open_resources import held, more_than
from plugwright_conformance.simulator._calls import READING, EndpointCalls
from plugwright_conformance.simulator._codec import simulated_codec
from plugwright_conformance.simulator._consumer import SimulatedConsumer
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
from plugwright_conformance.simulator._task_ending import TaskEnding, let_go
from plugwright_conformance.simulator._watch import Crossing, WatchedIdentity
from plugwright_conformance.simulator._world import KINDS as WORLD
from plugwright_conformance.simulator._world import OFFSETS
from plugwright_conformance.subject.names import CONNECTOR, TOPIC
from plugwright_conformance.subject.text_rows import RecordForm

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from plugwright.worker import Boundary
    from plugwright_conformance.processes.isolated_process import Host
    from plugwright_conformance.processes.virtual_time import VirtualTime
    from plugwright_conformance.simulator._plan import Plan
    from plugwright_conformance.simulator._world import World

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


class Call(NamedTuple):
    """One call that a task made to its endpoint.

    Attributes:
        name: such as ``os.write``.
        phase: the method of the task that was running.
        at: virtual seconds.
        own_thread: whether a thread of the task's own made it.
    """

    name: str
    phase: str
    at: float
    own_thread: bool


REPORTED = LifeReport, Call, Crossing, *WORLD
"""The classes that a report is made of."""


class TaskLife:
    """Runs the worker's loop over a task of the plugin in the simulation.

    To be made and run in a process that is thrown away.

    Args:
        task: fresh.
        config: its configuration.
        world: what was durable before; changed in place.
        slices: how many records are to be there after each feeding.
        values: what the records of a sink hold, serialized.
        host: seeds the endpoint of a source, and takes the last words.
        time: reports skipped waits.
        seeded: what was seeded, of which a source has made a value.
        form: what the records of a sink have besides their texts.
    """

    def __init__(  # noqa: PLR0913  # the whole surroundings of a task
        self,
        task: Any,
        *,
        is_source: bool,
        config: Mapping[str, str],
        world: World,
        plan: Plan,
        slices: Sequence[int],
        values: Sequence[bytes],
        host: Host,
        time: VirtualTime,
        seeded: Callable[[Any], Any] | None = None,
        form: RecordForm = _PLAIN,
    ) -> None:
        self._world, self._plan, self._host, self._time = world, plan, host, time
        self._slices, self._values = slices, values
        self._set_back_s = plan.set_back_s
        self._is_source, self._keyed = is_source, form.keyed
        time.passed = world.clock.advance
        time.endless = lambda: self._host.end(self._report("hung"))
        self._recorder = Recorder(
            stop_at=plan.stop_at,
            stop_in=plan.stop_in,
            stop=self._crash,
            feed_at=plan.feed_at,
            feed=self._feed_early,
        )
        self._calls: list[Call] = []
        self._struck: float | None = None
        self._control = TaskControl()
        self._status = TaskEnding()
        self._idle = self._turns = 0
        self._seen, self._real_s = -1, 0.0
        self._letters_arrive: Callable[[], None] = lambda: None
        self._drained = False
        self._pace = SlowAnswers(plan.slow_answers, time.sleep)
        plugin = f"{type(task).__module__}.{type(task).__qualname__}"
        identity = TaskIdentity(CONNECTOR, 0, plugin, "", "", host.enter)
        self._watch = WatchedIdentity(identity, EndpointCalls(self._before_call, self._after_call))
        common: dict[str, Any] = {
            "identity": self._watch,
            "configs": config,
            "codec": simulated_codec(plan.poison, seeded, form.rows),
            "control": self._control,
            "status": self._status,
            "clock": world.clock,
        }
        self._loop = self._source(task, common) if is_source else self._sink(task, common)

    def run(self) -> LifeReport:
        """Live to the end."""
        before = held() if self._plan.census else {}
        self._loop.run()
        if not self._is_source:
            self._consumer.close()
            self._letters_arrive()
        let_go(self._status.failure)
        left = more_than(before) if before else {}
        return replace(self._report(self._status.ending), left=left)

    def _source(self, task: Any, common: dict[str, Any]) -> SourceTaskLoop:
        world, recorder = self._world, self._recorder

        def store() -> SimulatedOffsetStore:
            return SimulatedOffsetStore(world.kafka, OFFSETS, CONNECTOR, recorder)

        if self._plan.exactly_once:
            transactions = SimulatedTransactions(world.kafka, recorder, f"{CONNECTOR}-0", store)
            common |= {"transactions": transactions, "offsets": transactions.offsets}
            producer: SimulatedProducer = transactions
        else:
            producer = SimulatedProducer(world.kafka, recorder)
            common |= {"producer": producer, "offsets": store()}
        producer.hold(self._plan.kafka_fault.held)
        plan = self._plan
        interval_s = 0.0 if plan.commits_always else _FLUSH_S
        settings = SourceSettings(interval_s, 5.0, boundary=plan.boundary, errors=plan.errors)
        return SourceTaskLoop(task, settings=settings, observer=self._source_boundary, **common)

    def _sink(self, task: Any, common: dict[str, Any]) -> SinkTaskLoop:
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
        dead = self._dead_letters()
        settings = SinkSettings(_FLUSH_S, 5.0, errors=plan.errors)
        return SinkTaskLoop(
            task,
            topics=[TOPIC],
            consumer=self._consumer,
            dead_letters=dead,
            settings=settings,
            observer=self._recorder.boundary,
            **common,
        )

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
        self._seen = len(arrived)
        complete = set(self._values[: world.fed]) <= {entry.value for entry in arrived}
        rested = complete and self._idle >= self._plan.idle
        if rested and world.fed < len(self._values):
            self._feed_source()
        elif rested and self._idle * _TICK_S > _FLUSH_S:
            self._finish()
        self._lose_patience()

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
        if self._pace.seen_enough(self._loop.counters.polled, idle=self._consumer.idle > 0):
            self._crash()
        self._redeliver()
        self._idle = self._consumer.idle
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
        self._control.stop()

    def _lose_patience(self) -> None:
        self._turns += 1
        self._real_s = self._real_s + self._time.breathe(_BREATH_S) if self._idle else 0.0
        patient = self._idle <= self._plan.patience or 0 < self._real_s < _REAL_PATIENCE_S
        if not patient or self._turns > _MOST_TURNS:
            self._control.stop()

    def _before_call(self, name: str, may_fail: bool) -> None:
        own_thread = threading.current_thread() is not threading.main_thread()
        if not own_thread:  # the moment of others does not repeat
            self._tell(name, "before")
        elif may_fail:
            self._pace.wait()
        if not may_fail:
            return
        number = len(self._calls)
        self._calls.append(Call(name, self._watch.phase, self._world.clock(), own_thread))
        if (fault := self._plan.fault) is not None:
            if number >= fault.call and self._struck is None:
                self._struck = self._world.clock()
            fault.before(number, name, self._world.clock, self._struck)

    def _after_call(self, name: str, may_fail: bool) -> None:
        if threading.current_thread() is threading.main_thread():
            self._tell(name, "after")
        if may_fail and self._plan.fault is not None:
            self._plan.fault.after(len(self._calls) - 1, name)

    def _tell(self, name: str, when: str) -> None:
        if name.rpartition(".")[2].startswith(READING):
            self._recorder.reading(name, when)
        else:
            self._recorder.event(f"{name} {when}")

    def _crash(self) -> None:
        self._host.end(self._report("crashed"))

    def _report(self, ending: str) -> LifeReport:
        return LifeReport(
            ending,
            self._world,
            self._recorder.events,
            self._calls,
            self._watch.crossings,
            self._status.error,
            self._drained,
            self._pace.most,
            self._pace.answers,
        )
