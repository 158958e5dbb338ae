"""A group of workers in virtual time: real herders and launchers over simulated Kafka and Spark."""

from __future__ import annotations

import sys
import threading
import time
import zlib
from collections import Counter
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial

from tests.runtime.herder.fakes import FakeInstance, FakeWorker
from tests.simulated.fibers import Future, Pool, threading_of, time_of
from tests.simulated.spark_cluster import MemoryServer, SimulatedSpark
from tests.simulated.topics import Topic, TopicLog

from plugwright.herder import (
    ConfigStore,
    Herder,
    HerderParts,
    HerderSettings,
    StartRequest,
    StatusStore,
    TaskUpdate,
    serial_executor,
    spark_connector,
)
from plugwright.herder import shards as shards_module
from plugwright.herder.delayed_call import start_timer
from plugwright.herder.rebalances import Rebalances
from plugwright.kafka import shard_owners
from plugwright.plugins import ClassReference, Plugins
from plugwright.spark import SparkLauncher, TaskSpec, crashes
from plugwright.spark import launcher as launcher_module

_CONFIG_KINDS = (
    "connector-",
    "task-",
    "commit-",
    "target-state-",
    "tasks-fencing-",
    "restart-connector-",
)
_STATUS_KINDS = ("status-connector-", "status-task-", "status-topic-")
_CONVERTER = ClassReference("plugwright.converters", "StringConverter")
_SPEC = TaskSpec(
    connector="",
    task=0,
    kind="source",
    task_class=ClassReference("shop", "Task"),
    version="1.0",
    location="/plugins/shop",
    config={},
    bootstrap_servers="kafka:9092",
    key_converter=_CONVERTER,
    value_converter=_CONVERTER,
    header_converter=_CONVERTER,
)


@contextmanager
def in_virtual_time(fibers):
    """Let the herder and the driver wait in virtual time for the duration."""
    threads, clock = threading_of(fibers), time_of(fibers)
    undo = []

    def put(owner, name, value):
        undo.append((owner, name, getattr(owner, name)))
        setattr(owner, name, value)

    packages = ("plugwright.herder", "plugwright.spark", "plugwright.kafka")
    for name, module in list(sys.modules.items()):
        if name.startswith(packages):
            for standard, virtual in ((threading, threads), (time, clock)):
                if getattr(module, standard.__name__, None) is standard:
                    put(module, standard.__name__, virtual)
    put(serial_executor, "Future", lambda: Future(fibers))
    put(shards_module, "ThreadPoolExecutor", partial(Pool, fibers))
    put(
        launcher_module,
        "ChannelServer",
        lambda admits, serve, **_: MemoryServer(threads, admits, serve),
    )
    for timed in (crashes.CrashHistory.__init__, Rebalances.__init__):
        put(timed, "__defaults__", (clock.monotonic,))
    try:
        yield threads, clock
    finally:
        for owner, name, value in reversed(undo):
            setattr(owner, name, value)


class TaskWatch:
    """Every process that runs a task, in the whole group; keeps those that ran at the same time."""

    def __init__(self):
        self.running, self.twice = {}, []
        self.starts = Counter()

    def began(self, connector, number, process):
        """A task begins."""
        if (connector, number) in self.running:
            self.twice.append((connector, number))
        self.running[connector, number] = process
        self.starts[connector, number] += 1

    def ended(self, connector, number, process):
        """A task has ended."""
        if self.running.get((connector, number)) is process:
            del self.running[connector, number]


class SimulatedInstance(FakeInstance):
    """A connector whose tasks run on the simulated Spark."""

    def launch(self, name, configs, listener, *, paused=False):
        """As `SparkConnector` does."""

        def heard(number, status):
            listener(number, TaskUpdate(status.state, status.trace, status.topics))

        common = replace(_SPEC, connector=self.request.name, paused=paused)
        specs = [replace(common, task=n, config=config) for n, config in configs.items()]
        job = self.world.launcher.launch(name, specs, python_path="/plugins/shop", listener=heard)
        return spark_connector.SparkTasks(job)


class SimulatedWorker(FakeWorker):
    """Connectors that start at once, tasks on the simulated Spark."""

    def __init__(self, launcher):
        super().__init__()
        self.launcher = launcher

    def note(self, *call):
        """Thousands of calls are not kept."""

    def start_connector(self, request):
        """At once."""
        return SimulatedInstance(self, request)

    def host_tasks(self, name, config):
        """At once."""
        return SimulatedInstance(self, StartRequest(name, config, None, None))


class Member:
    """A worker's membership, as `plugwright.kafka.ShardMembership` is one."""

    def __init__(self, group, log):
        self._group = group
        self._owners = shard_owners.ShardOwners(log, group.clock.monotonic)
        self.owned, self.generation = frozenset(), 0
        self.closing = False

    def start(self, url, listener):
        """Join, and wait for the assignment."""
        self.url, self._listener = url, listener
        self._owners.start(url)
        self._group.join(self)

    def shard_of(self, connector):
        """The same on every worker."""
        return zlib.crc32(connector.encode()) % self._group.shards

    def owners(self):
        """As the workers have announced."""
        return self._owners.urls()

    def confirms(self, connector):
        """Whether no other worker has claimed its shard."""
        shard = self.shard_of(connector)
        return shard in self.owned and self._owners.is_own(shard)

    def assigned(self, shards, generation):
        """Take these over."""
        self.generation = generation
        self.owned |= shards
        self._owners.claim(shards)
        self._listener.assigned(shards)

    def revoked(self, shards):
        """Release these."""
        self.owned -= shards
        if shards:
            self._listener.revoked(shards)
        if self.closing:
            self._owners.release(keep=self.owned)

    def close(self):
        """Leave in order."""
        self.closing = True
        self.revoked(self.owned)
        self._group.leave(self)
        self._owners.close()


class Coordinator:
    """Assigns shards as Kafka's cooperative-sticky assignor does: no more move than must."""

    def __init__(self, threads, clock, shards):
        self._threads = threads
        self.clock, self.shards = clock, shards
        self.members, self.generation = [], 0
        self._turn = threads.Lock()

    def join(self, member):
        """A member has come."""
        with self._turn:
            self.members.append(member)
            self._rebalance()

    def leave(self, member):
        """A member has gone, or was noticed to be gone."""
        with self._turn:
            self.members.remove(member)
            self._rebalance()

    def _rebalance(self):
        self.generation += 1
        members = self.members
        if not members:
            return
        most, more = divmod(self.shards, len(members))
        # Who has the most keeps the larger shares.
        order = sorted(members, key=lambda member: -len(member.owned))
        quota = {member: most + (n < more) for n, member in enumerate(order)}
        surplus = {m: frozenset(sorted(m.owned)[quota[m] :]) for m in members}
        self._side_by_side([partial(m.revoked, s) for m, s in surplus.items() if s])
        free = sorted(set(range(self.shards)).difference(*(m.owned for m in members)))
        given = {}
        for member in members:
            count = quota[member] - len(member.owned)
            given[member], free = frozenset(free[:count]), free[count:]
        self._side_by_side([partial(m.assigned, s, self.generation) for m, s in given.items()])

    def _side_by_side(self, calls):
        threads = [self._threads.Thread(target=call) for call in calls]
        for each in threads:
            each.start()
        for each in threads:
            each.join()


class Node:
    """A worker: a real herder and a real launcher, with a Spark of its own."""

    def __init__(self, group, name):
        self.name, self.url = name, f"http://{name}:8083"
        self.spark = SimulatedSpark(group, name)
        self.launcher = SparkLauncher(self.spark, budget=group.shape.budget)
        self.spark.server = self.launcher._server
        self.logs = [TopicLog(topic) for topic in group.topics.values()]
        configs, statuses, claims = self.logs
        self.member = Member(group.coordinator, claims)
        shard_of = self.member.shard_of
        self.configs = ConfigStore(
            configs, lambda name: f"shard-{shard_of(name)}", self.member.confirms
        )
        self.ownership = shards_module.ShardOwnership(
            self.member, self.configs.refresh, lambda shard: configs.take(f"shard-{shard}")
        )
        self.statuses = StatusStore(statuses)
        parts = HerderParts(
            SimulatedWorker(self.launcher),
            Plugins((), (), ()),
            self.configs,
            self.statuses,
            self.ownership,
            HerderSettings("cluster", start_timer=start_timer),
        )
        self.herder = Herder(parts)

    def start(self):
        """Join the group."""
        self.herder.start(self.url)

    def stop(self):
        """Leave in order, then end Spark."""
        self.herder.close()
        self.launcher.close()
        self.spark.die()

    def kill(self):
        """Be gone without a word."""
        for each in self.logs:
            each.die()
        self.spark.die()
        self.launcher._watch.close()


class Group:
    """The workers of a group, their topics, and what runs.

    Args:
        fibers: the run.
        threads: what stands for `threading`.
        clock: what stands for `time`.
        shape: its size, a `tests.simulated.scenario.Shape`.
    """

    def __init__(self, fibers, threads, clock, shape):
        self.fibers, self.threads, self.shape = fibers, threads, shape
        self.broken, self.watch = set(), TaskWatch()
        self.topics = {
            "config": Topic(fibers, threads, _CONFIG_KINDS),
            "status": Topic(fibers, threads, _STATUS_KINDS),
            "shards": Topic(fibers, threads),
        }
        self.coordinator = Coordinator(threads, clock, shape.shards)
        self.nodes, self.wanted = [], {}

    def join(self, *names):
        """Workers come, all at once."""
        fresh = [Node(self, name) for name in names]
        self.nodes += fresh
        self._side_by_side([node.start for node in fresh])

    def leave(self, node):
        """A worker stops in order."""
        self.nodes.remove(node)
        node.stop()

    def kill(self, node, session_s=10.0):
        """A worker is gone; the group notices after the session's time."""
        self.nodes.remove(node)
        node.kill()
        self.fibers.sleep(session_s)
        self.coordinator.leave(node.member)

    def create(self, connectors, at_once):
        """Create connectors of so many tasks, or change them, so many at a time."""
        names = list(connectors)

        def serve():
            while names:
                name = names.pop()
                config = {"name": name, "tasks.max": str(connectors[name])}
                self.wanted[name] = connectors[name]
                self.owner(name).herder.put_connector_config(name, config)
                if at_once == 1:  # so that the next one is placed beside this one
                    self.settle()

        self._side_by_side([serve] * at_once)

    def delete(self, names):
        """Delete connectors."""
        for name in names:
            del self.wanted[name]
            self.owner(name).herder.delete_connector_config(name)

    def owner(self, name):
        """The worker that runs a connector itself."""
        return next(node for node in self.nodes if node.ownership.owns(name))

    def expected(self):
        """All tasks that have to run."""
        return {(name, n) for name, count in self.wanted.items() for n in range(count)}

    def settle(self, limit_s=300.0):
        """Wait until all that has to run runs, nothing else does, and all workers know it."""
        until = self.fibers.now + limit_s
        pause_s = 0.25
        while problems := self.problems():
            if self.fibers.errors:
                raise self.fibers.errors[0]
            if self.fibers.now >= until:
                raise AssertionError(f"after {limit_s:g} s: {problems[:5]} and so on")
            self.fibers.sleep(pause_s)
            pause_s = min(1.1 * pause_s, 5.0)

    def problems(self):
        """What is not as it should be."""
        expected = self.expected()
        running = self.watch.running
        found = [f"{task} does not run" for task in expected - self.broken if task not in running]
        found += [f"{task} runs" for task in running if task not in expected]
        found += [f"{task} is {p.state}" for task, p in running.items() if p.state != "RUNNING"]
        if found:
            return found
        for node in self.nodes:
            found += self._disagreements(node)
        return found

    def workers(self):
        """The worker's URL of each executor's name."""
        return {e.name: node.url for node in self.nodes for e in node.spark.executors}

    def shares(self):
        """Tasks of each worker, and of each executor."""
        executors = Counter({e.name: 0 for node in self.nodes for e in node.spark.executors})
        executors.update(process.executor.name for process in self.watch.running.values())
        workers = Counter()
        for name, url in self.workers().items():
            workers[url] += executors[name]
        return workers, executors

    def owners(self):
        """The worker of each task and connector."""
        home = self.workers()
        found = {t: home.get(p.executor.name) for t, p in self.watch.running.items()}
        for name in self.wanted:
            with suppress(StopIteration):
                found[name, None] = self.owner(name).url
        return found

    def close(self):
        """Stop all workers at once."""
        nodes, self.nodes = self.nodes, []
        self._side_by_side([node.stop for node in nodes])

    def _disagreements(self, node):
        """Statuses, as a worker knows them, that do not say where a task runs."""
        home = {name: url.removeprefix("http://") for name, url in self.workers().items()}
        found = []
        for name, count in self.wanted.items():
            known = node.statuses.tasks(name)
            if set(known) != set(range(count)):
                found.append(f"{node.name} knows tasks {sorted(known)} of {name}")
            for n, status in known.items():
                process = self.watch.running.get((name, n))
                if process is None:
                    states = {"FAILED"}
                elif home.get(process.executor.name) == status.worker_id:
                    states = {"RUNNING"}
                else:
                    states = set()
                if status.state not in states:
                    found.append(f"{node.name} believes {name}-{n} {status.state}")
        return found

    def _side_by_side(self, calls):
        threads = [self.threads.Thread(target=call) for call in calls]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
