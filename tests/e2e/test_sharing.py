"""The tasks of one connector run on several workers, and move when workers come, go and die."""

from __future__ import annotations

import time
from collections import Counter

import pytest
from tests.e2e.cluster import Cluster
from tests.e2e.workers import until

from plugwright.kafka import create_topic

pytestmark = [pytest.mark.spark, pytest.mark.kafka, pytest.mark.timeout(420)]

TASKS = 4


@pytest.fixture(scope="module")
def cluster(broker):
    """The workers of this module."""
    cluster = Cluster(broker.bootstrap_servers, f"sharing-{time.time_ns()}")
    yield cluster
    cluster.close()


def _shares(cluster, name, count=TASKS):
    """How many tasks each worker runs, once all run; nothing before."""
    connector, *tasks = cluster.parts(name)
    states = {part["state"] for part in [connector, *tasks]}
    if len(tasks) != count or states != {"RUNNING"}:
        return None
    return Counter(task["worker_id"] for task in tasks)


class Sink:
    """A file sink of several tasks, each of which appends to the one file."""

    def __init__(self, cluster, directory, name):
        self.cluster, self.name = cluster, name
        self.topic, self.out = f"{cluster.name}-{name}", directory / f"{name}.txt"
        self.source = f"{name}-source"
        self.lines = directory / f"{name}-in.txt"
        self.count = 0
        self.lines.touch()
        create_topic(cluster.servers, self.topic, partitions=8)
        kind = {"connector.class": "FileStreamSink", "file": str(self.out), "topics": self.topic}
        cluster.create(name, {**kind, "tasks.max": str(TASKS)})
        cluster.source(self.source, self.lines, self.topic)

    def add(self, count):
        """Append lines to what the source reads."""
        with self.lines.open("a") as file:
            file.write("".join(f"{self.count + n}\n" for n in range(count)))
        self.count += count

    def arrived(self):
        """Whether every line has come out, however often."""
        written = self.out.read_text().split() if self.out.exists() else []
        return {str(n) for n in range(self.count)} <= set(written)

    def remove(self):
        """Both connectors."""
        for name in (self.name, self.source):
            assert self.cluster.workers[0].call(f"/connectors/{name}", "DELETE")[0] == 204
        assert until(lambda: not self.cluster.workers[-1].call("/connectors")[1])


@pytest.fixture
def sink(cluster, tmp_path, fresh):
    """One on two workers, which has begun."""
    cluster.grow(2)
    sink = Sink(cluster, tmp_path, fresh("sink"))
    assert until(lambda: _shares(cluster, sink.name)), cluster.report()
    sink.add(100)
    assert until(sink.arrived)
    yield sink
    sink.remove()


def _balanced(cluster, sink):
    shares = _shares(cluster, sink.name)
    return shares is not None and len(shares) == 2 and max(shares.values()) <= TASKS // 2 + 1


def test_tasks_run_on_both_workers(cluster, sink):
    """Two each, give or take the source's; each worker has their processes; all tell the same."""
    assert until(lambda: _balanced(cluster, sink)), cluster.report()
    reported = [cluster.status(sink.name, n) for n in range(2)]

    assert reported[0] == reported[1]
    assert all(worker.task_hosts() for worker in cluster.workers)
    together = _shares(cluster, sink.name) + _shares(cluster, sink.source, 1)
    assert max(together.values()) - min(together.values()) <= 1


def test_states_and_restarts_reach_tasks_everywhere(cluster, sink):
    """Pause, resume, restart, stop and a smaller number of tasks, through either worker."""
    here, there = cluster.workers
    place = f"/connectors/{sink.name}"

    assert here.call(f"{place}/pause", "PUT")[0] == 202
    cluster.wait_for(sink.name, "PAUSED", tasks=TASKS)
    assert there.call(f"{place}/resume", "PUT")[0] == 202
    cluster.wait_for(sink.name, "RUNNING", tasks=TASKS)
    before = {pid for worker in cluster.workers for pid in worker.task_hosts()}
    for number in range(TASKS):
        assert here.call(f"{place}/tasks/{number}/restart", "POST")[0] == 204
    cluster.wait_for(sink.name, "RUNNING", tasks=TASKS)
    assert there.call(f"{place}/restart?includeTasks=true", "POST")[0] == 202
    cluster.wait_for(sink.name, "RUNNING", tasks=TASKS)
    sink.add(100)
    assert until(sink.arrived)
    after = {pid for worker in cluster.workers for pid in worker.task_hosts()}
    assert here.call(f"{place}/stop", "PUT")[0] == 204
    cluster.wait_for(sink.name, "STOPPED", tasks=0)
    # The group has its static members until their sessions end.
    assert until(lambda: there.call(f"{place}/offsets", "DELETE")[0] == 200)
    config = here.call(f"{place}/config")[1]
    assert here.call(f"{place}/resume", "PUT")[0] == 202
    assert there.call(f"{place}/config", "PUT", {**config, "tasks.max": "3"})[0] == 200
    cluster.wait_for(sink.name, "RUNNING", tasks=3)

    assert len(before & after) <= 1  # the source's


@pytest.mark.parametrize("how", ["stop", "kill"])
def test_the_other_worker_takes_over_the_tasks_of_one_that_is_gone(cluster, sink, how):
    """And gives up some when another one comes; no line is lost."""
    gone = cluster.other(sink.name) if how == "stop" else cluster.owner(sink.name)
    (left,) = [worker for worker in cluster.workers if worker is not gone]

    getattr(gone, how)()
    cluster.grow(1)
    sink.add(200)
    alone = until(lambda: _shares(cluster, sink.name) == {left.worker_id: TASKS})
    assert until(sink.arrived), left.said[-4000:]
    cluster.grow(2)
    shared = until(lambda: len(_shares(cluster, sink.name) or ()) == 2)
    sink.add(200)

    assert alone, cluster.parts(sink.name)
    assert shared, cluster.parts(sink.name)
    assert until(sink.arrived), [worker.said[-4000:] for worker in cluster.workers]
