"""What happens to a simulated group, what it wrote then, and how much it may write."""

from __future__ import annotations

import random
import time
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass, field

from tests.simulated.fibers import Fibers
from tests.simulated.group import Group, in_virtual_time

from plugwright.control_plane import RestartRequest
from plugwright.spark import CrashBudget

_AT_ONCE = 8
_CALM_S = 5.0


@dataclass(frozen=True)
class Shape:
    """The size of a group.

    Attributes:
        workers: number of them.
        executors: of each worker.
        slots: of each executor.
        connectors: number of them.
        tasks: of all connectors together.
        shards: number of them.
        budget: crashes that a task survives.
    """

    workers: int
    executors: int
    slots: int
    connectors: int
    tasks: int
    shards: int
    budget: CrashBudget = field(default_factory=CrashBudget)

    def sizes(self, seed):
        """Connectors of one task, of some, and one of a tenth of all; in all so many tasks."""
        rng = random.Random(seed)  # noqa: S311  # it is to be repeatable
        counts = [1] * self.connectors
        counts[0] += self.tasks // 10
        for _ in range(self.tasks - sum(counts)):
            counts[rng.randrange(self.connectors)] += 1
        return {f"c{n}": count for n, count in enumerate(counts)}


@dataclass(frozen=True)
class Measured:
    """What an event caused.

    Attributes:
        connectors: those that were started, on whichever worker.
        tasks: starts of tasks.
        written: records, bytes, requests and questions for the end, by topic.
        kinds: records by the first words of their keys, of both topics.
        asked: messages to Spark's JVM.
        seconds: of virtual time until all was as it should be.
        processor_s: of this process, for all workers together.
        workers: least and most tasks of a worker.
        executors: least and most tasks of an executor.
    """

    name: str
    connectors: int
    tasks: int
    written: dict
    kinds: Counter
    asked: int
    seconds: float
    processor_s: float
    workers: tuple
    executors: tuple

    def records(self, topic):
        """Written to a topic."""
        return self.written[topic]["records"]


def config_bound(event):
    """Most records of the configs topic: for what users change, and nothing for what moves."""
    c, t = event.connectors, event.tasks
    return {
        "create": 3 * c + t,
        "configure": 3 * c + t,
        "restart": c,
        "delete": 2 * c,
    }.get(event.name.split()[0], 0)


def status_bound(event):
    """Most records of the status topic, by connectors and tasks that were started or crashed."""
    c, t = event.connectors, event.tasks
    return {
        "create": c + 2 * t,
        "configure": 2 * c + 4 * t,
        "crash": 3 * t,
        "restart": 3 * c + 3 * t,
        "delete": c + 2 * t,
        "idle": 0,
    }.get(event.name.split()[0], 2 * c + 3 * t)


class Rehearsal:
    """A group that events happen to.

    Args:
        shape: its size.
        seed: of all choices.
    """

    def __init__(self, shape, seed, group):
        self.shape, self.seed, self.group = shape, seed, group
        self.events = []
        self._fresh = 0

    @contextmanager
    def event(self, name, connectors=None, tasks=None):
        """Measure what happens in the block, until all is as it should be."""
        group = self.group
        began, processor = group.fibers.now, time.process_time()
        owners, starts = group.owners(), group.watch.starts.total()
        before = {topic: each.traffic.copy() for topic, each in group.topics.items()}
        kinds, asked = _kinds(group), _asked(group)
        yield
        group.settle()
        seconds = group.fibers.now - began
        if connectors is None:
            after = group.owners()
            connectors = sum(after.get(k) != v for k, v in owners.items() if k[1] is None)
        workers, executors = group.shares()
        self.events.append(
            Measured(
                name,
                connectors,
                group.watch.starts.total() - starts if tasks is None else tasks,
                {n: each.traffic - before[n] for n, each in group.topics.items()},
                _kinds(group) - kinds,
                (_asked(group) - asked).total(),
                seconds,
                time.process_time() - processor,
                (min(workers.values()), max(workers.values())),
                (min(executors.values()), max(executors.values())),
            )
        )
        group.fibers.sleep(_CALM_S)

    def begin(self):
        """Start all workers."""
        with self.event("start"):
            self.group.join(*(f"worker-{n}" for n in range(self.shape.workers)))

    def create(self, at_once=_AT_ONCE):
        """Create all connectors."""
        sizes = self.shape.sizes(self.seed)
        with self.event("create", connectors=len(sizes)):
            self.group.create(sizes, at_once)

    def idle(self, seconds=60.0, every=5.0):
        """All tasks report their counters, and nothing else."""
        with self.event("idle"):
            for beat in range(int(seconds / every)):
                for process in self.group.watch.running.values():
                    process.reports("RUNNING", records=float(beat))
                self.group.fibers.sleep(every)

    def join(self):
        """A worker comes."""
        with self.event("worker joins"):
            self.group.join(self._name())

    def leave(self):
        """A worker stops in order."""
        with self.event("worker stops"):
            self.group.leave(self.group.nodes[0])

    def kill(self):
        """A worker is gone without a word."""
        with self.event("worker killed"):
            self.group.kill(self.group.nodes[0])

    def storm(self, share):
        """A share of all tasks crash at once."""
        running = self.group.watch.running
        victims = self.group.fibers.random.sample(sorted(running), round(share * len(running)))
        with self.event(f"crash of {share:.0%}", tasks=len(victims)):
            for victim in victims:
                running[victim].crash()

    def lose_executors(self, count=1):
        """Executors are gone with all their tasks."""
        chosen = [node.spark for node in self.group.nodes[:count]]
        victims = sum(len(spark.executors[0].running) for spark in chosen)
        with self.event(f"crash: {count} executor{'s' * (count > 1)} lost", tasks=victims):
            for spark in chosen:
                spark.lose(spark.executors[0])

    def break_tasks(self, share):
        """Some tasks crash whenever they run, until they may not start again."""
        group = self.group
        running = group.watch.running
        victims = group.fibers.random.sample(sorted(running), max(1, round(share * len(running))))
        crashes = len(victims) * (self.shape.budget.restarts + 1)
        with self.event(f"crash of {share:.0%} for good", tasks=crashes):
            group.broken |= set(victims)
            for victim in victims:
                running[victim].crash()
        return victims

    def repair(self, victims):
        """They are well again, and started by request."""
        self.group.broken.clear()
        names = sorted({name for name, _ in victims})
        with self.event("restart by request", connectors=len(names)):
            for name in names:
                request = RestartRequest(name, only_failed=True, include_tasks=True)
                self.group.owner(name).herder.restart_connector_and_tasks(request)

    def configure(self, share):
        """Some connectors get another number of tasks, among them the largest one."""
        wanted = self.group.wanted
        names = sorted(wanted, key=lambda name: -wanted[name])[: round(share * len(wanted))]
        fresh = {name: wanted[name] + 1 for name in names}
        with self.event("configure", connectors=len(names)):
            self.group.create(fresh, _AT_ONCE)

    def upgrade(self):
        """Every worker is replaced, one after the other."""
        moves = 0
        with self.event("upgrade", connectors=0):
            for node in list(self.group.nodes):
                owners = self.group.owners()
                self.group.leave(node)
                self.group.settle()
                between = self.group.owners()
                self.group.join(self._name())
                self.group.settle()
                moves += _moved(owners, between) + _moved(between, self.group.owners())
        done = self.events.pop()
        self.events.append(Measured(**{**_fields(done), "connectors": moves}))

    def delete(self, share):
        """Some connectors are deleted."""
        wanted = self.group.wanted
        names = sorted(wanted)[: round(share * len(wanted))]
        tasks = sum(wanted[name] for name in names)
        with self.event("delete", connectors=len(names), tasks=tasks):
            self.group.delete(names)

    def _name(self):
        self._fresh += 1
        return f"fresh-{self._fresh}"


def check_event(event):
    """What was written and asked keeps the bounds."""
    for topic, bound in (("config", config_bound(event)), ("status", status_bound(event))):
        written = event.records(topic)
        assert written <= bound, f"{event.name} wrote {written} > {bound} records: {event}"
    most = event.records("status") + event.connectors
    assert event.written["status"]["ends"] <= most, f"{event.name} asked Kafka too often: {event}"
    if not event.name.endswith("for good"):  # their crashes come one by one
        most = 12 * event.tasks + 12
        assert event.asked <= most, f"{event.name} asked Spark {event.asked} times: {event}"


def check_group(group):
    """No task has ever run twice at the same time, and tasks run where their shards are."""
    assert group.watch.twice == [], f"ran twice: {group.watch.twice[:5]}"
    assert group.topics["config"].refused == 0
    workers, _ = group.shares()
    state = group.nodes[0].configs.snapshot()
    placed = state.placed - Counter(state.openings[c].shards[n] for c, n in group.broken)
    for node in group.nodes:
        expected = sum(placed[shard] for shard in node.member.owned)
        assert workers[node.url] == expected, f"{node.name} runs other tasks than it owns"


def uneven_connectors(group):
    """Connectors of which a worker's executors have numbers of tasks that differ by more than one.

    Spark gives a job one slot of each executor in turn, as long as each has a free one.
    """
    home = group.workers()
    held = Counter(
        (name, home[p.executor.name], p.executor.name)
        for (name, _), p in group.watch.running.items()
    )
    uneven = []
    for name in group.wanted:
        for node in group.nodes:
            counts = [held[name, node.url, e.name] for e in node.spark.executors]
            if max(counts) - min(counts) > 1:
                uneven.append((name, node.name, counts))
    return uneven


def rehearse(shape, seed, play):
    """Call ``play`` with a rehearsal in virtual time; returns the rehearsal."""
    fibers = Fibers(seed)
    with in_virtual_time(fibers) as (threads, clock):

        def main():
            group = Group(fibers, threads, clock, shape)
            rehearsal = Rehearsal(shape, seed, group)
            try:
                play(rehearsal)
                check_group(group)
            finally:
                group.close()
            assert group.watch.running == {}
            assert fibers.errors == []
            return rehearsal

        return fibers.run(main)


def _kinds(group):
    return group.topics["config"].kinds + group.topics["status"].kinds


def _asked(group):
    return sum((node.spark.asked for node in group.nodes), Counter())


def _moved(before, after):
    return sum(after.get(key) != url for key, url in before.items() if key[1] is None)


def _fields(event):
    return {name: getattr(event, name) for name in event.__dataclass_fields__}
