"""Distributed workers share connectors, answer for each other, and take over from each other."""

from __future__ import annotations

import os
import signal
import time
from contextlib import suppress
from itertools import repeat
from zlib import crc32

import pytest
from tests.e2e.cluster import Cluster
from tests.e2e.workers import until

from plugwright.kafka import create_topic

pytestmark = [pytest.mark.spark, pytest.mark.kafka, pytest.mark.timeout(420)]

SHARDS = 4
"""Few, so that six connectors are in all of them, whichever a worker has."""
CONFLICT = "Cannot complete request because of a conflicting operation (e.g. worker rebalance)"


@pytest.fixture(scope="module")
def group(broker):
    """The workers of this module."""
    settings = {
        "task.crash.restarts.max": "2",
        "task.crash.backoff.ms": "100",
        "shard.storage.partitions": f"{SHARDS}",
    }
    cluster = Cluster(broker.bootstrap_servers, f"distributed-{time.time_ns()}", **settings)
    yield cluster
    cluster.close()


@pytest.fixture
def cluster(group):
    """Two workers without connectors."""
    group.grow(2)
    yield group
    assert until(lambda: not _removed_all(group.workers[-1]))


def _removed_all(worker):
    """Ask for the removal of all connectors; those that are still there."""
    names = worker.call("/connectors")[1]
    for name in names:
        worker.call(f"/connectors/{name}", "DELETE")
    return names


class Lines:
    """A file that grows, and the topic that it goes to."""

    def __init__(self, cluster, directory, name):
        self._cluster = cluster
        self.name = name
        self.path = directory / f"{name}.txt"
        self.topic = f"{cluster.name}-{name}"
        self.lines = []
        create_topic(cluster.servers, self.topic)
        self.add(0)

    def add(self, count):
        """Append lines."""
        new = [f"{self.name} {len(self.lines) + n}" for n in range(count)]
        self.lines += new
        with self.path.open("a", encoding="utf-8") as file:
            file.write("".join(f"{line}\n" for line in new))

    def start(self):
        """Have a connector read it."""
        self._cluster.source(self.name, self.path, self.topic)

    def arrived(self):
        """Whether every line is in the topic."""
        return set(self._cluster.values(self.topic)) >= set(self.lines)


@pytest.fixture
def sources(cluster, tmp_path, fresh):
    """Makes file sources; as many as there are shards land on all workers."""

    def named(shard):
        names = (fresh("file") for _ in repeat(None))
        return next(name for name in names if crc32(name.encode()) % SHARDS == shard)

    def make(count):
        names = [named(number % SHARDS) for number in range(count)]
        files = [Lines(cluster, tmp_path, name) for name in names]
        for file in files:
            file.start()
        for file in files:
            cluster.wait_for(file.name, "RUNNING")
        return files

    return make


def _owners(cluster, files):
    return {file.name: cluster.owner(file.name).worker_id for file in files}


def test_connectors_are_divided_among_the_workers(cluster, sources):
    """Both have some, every worker tells the same of all, and every line arrives."""
    files = sources(8)
    for file in files:
        file.add(100)

    owners = _owners(cluster, files)
    reported = [[cluster.status(file.name, n) for file in files] for n in range(2)]

    assert set(owners.values()) == {worker.worker_id for worker in cluster.workers}
    assert reported[0] == reported[1]
    assert until(lambda: all(file.arrived() for file in files))
    assert {len(cluster.values(file.topic)) for file in files} == {100}


def test_any_worker_answers_questions(cluster, sources):
    """Configuration, tasks, offsets and topics are reported where the connector does not run."""
    (file,) = sources(1)
    file.add(10)
    assert until(lambda: cluster.offset(file.name))
    length = file.path.stat().st_size

    asked = ("", "/config", "/tasks", "/offsets")
    answers = {
        path: [worker.call(f"/connectors/{file.name}{path}") for worker in cluster.workers]
        for path in asked
    }

    assert all(pair[0] == pair[1] and pair[0][0] == 200 for pair in answers.values()), answers
    offset = {"partition": {"filename": str(file.path)}, "offset": {"position": length}}
    assert answers["/offsets"][0][1] == {"offsets": [offset]}


def test_a_configuration_that_is_too_large_hinders_none_after_it(cluster, sources):
    """Kafka refuses 2 MB; changes and removal of the connectors of the same share go on."""
    (file,) = sources(1)
    place = f"/connectors/{file.name}"
    owner, config = cluster.owner(file.name), cluster.owner(file.name).call(f"{place}/config")[1]
    large = {**config, "note": "x" * 2_000_000}

    code, answer = owner.call(f"{place}/config", "PUT", large)
    assert (code, "too large" in answer["message"]) == (500, True)

    assert owner.call(f"{place}/config", "PUT", {**config, "note": "small"})[0] == 200
    assert owner.call(f"{place}/config")[1]["note"] == "small"
    assert owner.call(place, "DELETE") == (204, None)


def test_requests_reach_the_owner_through_any_worker(cluster, sources):
    """Pause, resume, restart, stop, reset, a new configuration and removal are forwarded."""
    (file,) = sources(1)
    owner, other = cluster.owner(file.name), cluster.other(file.name)
    place = f"/connectors/{file.name}"

    assert other.call(f"{place}/pause", "PUT") == (202, None)
    cluster.wait_for(file.name, "PAUSED", on=owner.worker_id)
    assert other.call(f"{place}/resume", "PUT") == (202, None)
    cluster.wait_for(file.name, "RUNNING", on=owner.worker_id)
    assert other.call(f"{place}/restart", "POST") == (204, None)
    code, plan = other.call(f"{place}/restart?includeTasks=true", "POST")
    assert (code, plan["connector"]["state"]) == (202, "RESTARTING")
    cluster.wait_for(file.name, "RUNNING", on=owner.worker_id)
    assert other.call(f"{place}/tasks/0/restart", "POST") == (204, None)
    cluster.wait_for(file.name, "RUNNING", on=owner.worker_id)
    assert other.call(f"{place}/stop", "PUT") == (204, None)
    cluster.wait_for(file.name, "STOPPED", on=owner.worker_id, tasks=0)
    code, body = other.call(f"{place}/offsets", "DELETE")
    assert (code, body) == (200, {"message": body["message"]})
    code, body = other.call(f"{place}/config", "PUT", {**_config(file), "batch.size": "7"})
    assert (code, body["config"]["batch.size"]) == (200, "7")
    assert other.call(place, "DELETE") == (204, None)
    assert owner.call(place)[0] == 404


def _config(file):
    kind = "FileStreamSource"
    return {"connector.class": kind, "file": str(file.path), "topic": file.topic}


def test_a_task_whose_process_keeps_dying_fails(cluster, sources):
    """Once its budget is spent it is FAILED with the reason, and can be restarted by REST."""
    (file,) = sources(1)
    other, owner = cluster.other(file.name), cluster.owner(file.name)

    for _ in range(3):
        file.add(10)
        assert until(file.arrived)  # by a process whose end is known: it has begun its task
        for pid in owner.task_hosts():
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
    assert until(lambda: cluster.parts(file.name)[1]["state"] == "FAILED"), cluster.status(
        file.name
    )
    connector, task = cluster.parts(file.name)
    restart = f"/connectors/{file.name}/restart?includeTasks=true&onlyFailed=true"
    answer = other.call(restart, "POST")
    cluster.wait_for(file.name, "RUNNING", on=owner.worker_id)
    file.add(10)

    assert connector["state"] == "RUNNING"
    assert "FileStreamSourceTask" in task["trace"]
    assert "was killed by SIGKILL" in task["trace"]
    assert "task.crash.restarts.max allows 2 restarts" in task["trace"]
    assert [part["state"] for part in answer[1]["tasks"]] == ["RESTARTING"]
    assert answer[0] == 202
    assert until(file.arrived)


def test_no_two_workers_decide_for_a_connector(cluster, sources):
    """A request that was forwarded twice already is a conflict, as in Kafka."""
    (file,) = sources(1)

    answer = cluster.other(file.name).call(
        f"/connectors/{file.name}/config?forward=false", "PUT", _config(file)
    )

    assert answer == (409, {"error_code": 409, "message": CONFLICT})


def test_a_worker_that_is_asked_to_end_hands_over(cluster, sources):
    """SIGTERM: exit status 0, no process is left, nothing lost or sent twice, in a few seconds."""
    files = sources(6)
    for file in files:
        file.add(500)
    assert until(lambda: all(file.arrived() for file in files))
    leaving = cluster.owner(files[0].name)

    code = leaving.stop()
    (left,) = cluster.grow(1)
    for file in files:
        file.add(500)

    assert code == 0
    assert not leaving.processes()
    for file in files:
        cluster.wait_for(file.name, "RUNNING", on=left.worker_id)
    assert until(lambda: all(file.arrived() for file in files))
    assert {file.name: cluster.values(file.topic) for file in files} == {
        file.name: file.lines for file in files
    }


def test_a_worker_that_joins_takes_its_share(cluster, sources):
    """The connectors that move are stopped first: every line arrives once."""
    cluster.workers[1].stop()
    cluster.grow(1)
    files = sources(6)
    for file in files:
        file.add(500)

    cluster.grow(2)
    shared = until(lambda: len(set(_owners(cluster, files).values())) == 2)
    for file in files:
        cluster.wait_for(file.name, "RUNNING")
        file.add(500)

    assert shared, [worker.said[-6000:] for worker in cluster.workers]
    assert until(lambda: all(file.arrived() for file in files))
    assert {file.name: cluster.values(file.topic) for file in files} == {
        file.name: file.lines for file in files
    }


def test_a_killed_worker_is_replaced(cluster, sources):
    """Kill -9: its tasks die with it, the other worker goes on where it was, nothing is lost."""
    files = sources(6)
    for file in files:
        file.add(500)
    assert until(lambda: all(cluster.offset(file.name) for file in files))
    victim = cluster.owner(files[0].name)
    (survivor,) = [worker for worker in cluster.workers if worker is not victim]
    tasks = [task for file in files for task in cluster.status(file.name)["tasks"]]
    moved = [task for task in tasks if task["worker_id"] == victim.worker_id]

    killed = victim.kill()
    gone = until(lambda: not victim.processes(), 20)
    cluster.grow(1)
    for file in files:
        file.add(500)

    assert len(killed) > len(moved)  # the JVM, and a process for each task
    assert gone, victim.processes()
    for file in files:
        cluster.wait_for(file.name, "RUNNING", on=survivor.worker_id)
    assert until(lambda: all(file.arrived() for file in files)), survivor.said[-6000:]


def test_without_an_owner_of_a_connector_writes_are_refused(cluster, sources):
    """Between the death of an owner and the take-over the answer is a conflict, then it works."""
    (file,) = sources(1)
    victim, survivor = cluster.owner(file.name), cluster.other(file.name)
    path = f"/connectors/{file.name}/pause"
    answers = []

    victim.kill()
    cluster.grow(1)
    done = until(lambda: answers.append(survivor.call(path, "PUT")) or answers[-1][0] == 202)

    assert done, answers
    assert {code for code, _ in answers[:-1]} <= {409, 500}, answers
    cluster.wait_for(file.name, "PAUSED", on=survivor.worker_id)
