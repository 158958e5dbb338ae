"""A group of herders over logs in memory, whose shards are handed out by the test."""

from __future__ import annotations

import threading
import zlib
from contextlib import contextmanager

from tests.runtime.herder.fakes import FakeGroup, FakeWorker, HandClock

from plugwright.errors import ConnectError
from plugwright.herder import ConfigStore, Herder, HerderParts, HerderSettings, StatusStore
from plugwright.herder.shards import ShardOwnership
from plugwright.plugins import Plugins

SHARDS = 24


class SharedLog:
    """Entries that several readers follow; a writer that was taken by another can write no more."""

    def __init__(self):
        self.lock = threading.RLock()
        self.entries = []
        self.readers = {}
        self.writers = {}

    def reader(self, name):
        """One worker's end of it."""
        return _End(self, name)


class _End:
    """One worker's log."""

    def __init__(self, shared, name):
        self.shared, self.name = shared, name
        self.epochs = {}
        self.held_back = False
        self.behind = []

    def start(self, apply):
        """Read all, then follow."""
        with self.shared.lock:
            self.apply = apply
            for key, value in self.shared.entries:
                apply(key, value, 0)
            self.shared.readers[self.name] = self

    def take(self, writer):
        """Fence the previous writer of this id."""
        with self.shared.lock:
            self.epochs[writer] = self.shared.writers[writer] = object()

    def send(self, entries, writer=None):
        """Append, unless the writer is fenced."""
        with self.shared.lock:
            if writer is not None and self.epochs.get(writer) is not self.shared.writers[writer]:
                raise ConnectError("fenced", code="kafka.fenced")
            for entry in entries:
                self.shared.entries.append(entry)
                for reader in list(self.shared.readers.values()):
                    reader.hear(entry)

    def send_and_read(self, entries, writer=None):
        """All is applied at once, but for what is held back on purpose."""
        self.send(entries, writer)

    def hear(self, entry):
        """Apply an entry, now or when this worker goes on."""
        if self.held_back:
            self.behind.append(entry)
        else:
            self.apply(*entry, 0)

    def go_on(self):
        """Apply what came in meanwhile."""
        with self.shared.lock:
            self.held_back = False
            while self.behind:
                self.apply(*self.behind.pop(0), 0)

    def reclaim(self, writer):
        """No writer is fenced by accident here."""

    def read_to_end(self):
        """All was applied, but for those that are held back on purpose."""

    def close(self):
        """Follow no more."""
        self.shared.readers.pop(self.name, None)


class TaskWatch:
    """Every task that runs in the whole group; complains of one that runs twice."""

    def __init__(self):
        self.lock = threading.Lock()
        self.running = {}
        self.twice = []
        self.generations = []

    def began(self, connector, number, worker):
        """A task begins on a worker."""
        with self.lock:
            if (connector, number) in self.running:
                self.twice.append((connector, number, self.running[connector, number], worker))
            self.running[connector, number] = worker

    def ended(self, connector, number, worker):
        """A task has ended on a worker."""
        with self.lock:
            if self.running.get((connector, number)) == worker:
                del self.running[connector, number]

    def of(self, connector):
        """The worker of each task."""
        with self.lock:
            return {n: worker for (c, n), worker in sorted(self.running.items()) if c == connector}


class WatchedWorker(FakeWorker):
    """A worker whose tasks are watched, and may take long to stop."""

    def __init__(self, name, watch):
        super().__init__()
        self.name, self.watch = name, watch
        self.may_stop = threading.Event()
        self.may_stop.set()

    def group(self, name, configs, listener):
        """Tasks that are watched."""
        return WatchedGroup(self, name, configs, listener)


class WatchedGroup(FakeGroup):
    """Some of them."""

    def __init__(self, world, name, configs, listener):
        super().__init__(world, name, configs, listener)
        self.connector = name.rpartition("-")[0]
        for number in configs:
            world.watch.began(self.connector, number, world.name)

    def stop(self, timeout_s, tasks=None):
        """Once they may."""
        assert self.world.may_stop.wait(10)
        for number in self.configs if tasks is None else tasks:
            self.world.watch.ended(self.connector, number, self.world.name)
        return super().stop(timeout_s, tasks)


class Member:
    """One worker's place in the group, as Kafka's coordinator would give it."""

    def __init__(self, cluster, name):
        self.cluster, self.name = cluster, name
        self.owned = frozenset()
        self.generation = 0
        self.alive = True

    def start(self, url, listener):
        """Take part from the next rebalance on."""
        self.url, self.listener = url, listener

    def shard_of(self, connector):
        """As in Kafka."""
        return zlib.crc32(connector.encode()) % SHARDS

    def owners(self):
        """As all have announced."""
        return dict(self.cluster.announced)

    def confirms(self, connector):
        """Whether no other worker has announced itself."""
        return self.cluster.announced.get(self.shard_of(connector)) == self.url

    def close(self):
        """Leave; the others get the shards with the next rebalance."""
        self.cluster.revoke(self, self.owned)


class Node:
    """A herder with its worker."""

    def __init__(self, cluster, name):
        self.name = name
        self.worker = WatchedWorker(name, cluster.watch)
        self.member = Member(cluster, name)
        self.log, self.status_log = cluster.configs.reader(name), cluster.statuses.reader(name)
        shard_of = self.member.shard_of
        self.configs = ConfigStore(
            self.log, lambda connector: f"shard-{shard_of(connector)}", self.member.confirms
        )
        self.ownership = ShardOwnership(
            self.member, lambda: None, lambda shard: self.log.take(f"shard-{shard}")
        )
        parts = HerderParts(
            self.worker,
            Plugins((), (), ()),
            self.configs,
            StatusStore(self.status_log),
            self.ownership,
            HerderSettings(
                "cluster", shutdown_timeout_s=1.0, start_timer=cluster.clock.start_timer
            ),
        )
        self.herder = Herder(parts)
        self.herder.start(f"http://{name}:8083")


class Cluster:
    """Some workers, and what Kafka would do for them."""

    def __init__(self):
        self.configs, self.statuses, self.watch = SharedLog(), SharedLog(), TaskWatch()
        self.announced, self.nodes, self.generation = {}, [], 0
        self.clock = HandClock()

    def join(self, *names):
        """Workers come; the shards are divided anew."""
        fresh = [Node(self, name) for name in names]
        self.nodes += fresh
        self.rebalance()
        return fresh

    def leave(self, node):
        """A worker stops in order."""
        node.herder.close()
        self.nodes.remove(node)
        self.rebalance()

    def kill(self, node):
        """A worker is gone, with all of its tasks; the group notices."""
        self.nodes.remove(node)
        node.log.close()
        node.status_log.close()
        node.member.owned = frozenset()
        for connector, number in list(self.watch.running):
            self.watch.ended(connector, number, node.name)
        self.rebalance()

    def revoke(self, member, shards):
        """Take shards away: what is in them has stopped when this returns."""
        member.owned -= shards
        member.listener.revoked(shards)

    def rebalance(self, *, reverse=False):
        """Divide the shards among the workers, moving as few as possible, in two steps."""
        self.generation += 1
        members = [node.member for node in self.nodes]
        most, more = divmod(SHARDS, len(members)) if members else (0, 0)
        quota = {m: most + (n < more) for n, m in enumerate(members)}
        for member in members:
            surplus = sorted(member.owned, reverse=not reverse)[quota[member] :]
            if surplus:
                self.revoke(member, frozenset(surplus))
        free = sorted(set(range(SHARDS)) - {s for m in members for s in m.owned}, reverse=reverse)
        for member in members:
            given = frozenset(free[: quota[member] - len(member.owned)])
            free = free[len(given) :]
            member.owned |= given
            member.generation = self.generation
            self.announced.update(dict.fromkeys(given, member.url))
            member.listener.assigned(given)
        self.settle()

    def settle(self):
        """Wait until no worker has anything left to do."""
        for _ in range(4):  # what one does may give another something to do
            for node in self.nodes:
                assert node.herder.settle(10)

    def leader(self, connector):
        """The worker that runs a connector itself."""
        return next(node for node in self.nodes if node.ownership.owns(connector))

    def create(self, name, tasks, **config):
        """Create a connector of so many tasks."""
        self.leader(name).herder.put_connector_config(
            name, {"name": name, "tasks.max": str(tasks), **config}
        )
        self.settle()

    def state(self):
        """What is known of all connectors."""
        return self.nodes[0].configs.snapshot()

    def statuses_of(self, name):
        """State and worker of connector and tasks, the same from each worker."""
        found = [_states(node.herder.connector_status(name)) for node in self.nodes]
        assert all(each == found[0] for each in found), found
        return found[0]

    @contextmanager
    def slow(self, node):
        """Tasks of a worker do not stop meanwhile."""
        node.worker.may_stop.clear()
        try:
            yield
        finally:
            node.worker.may_stop.set()

    def close(self):
        """Stop all."""
        for node in self.nodes:
            node.worker.may_stop.set()
            node.herder.close()


def _states(status):
    parts = [("connector", status.connector), *((task.id, task) for task in status.tasks)]
    return {name: (part.state, part.worker_id.partition(":")[0]) for name, part in parts}
