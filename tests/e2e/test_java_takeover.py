"""A group's topics are Kafka Connect's own: Java's workers and ours take over from each other."""

from __future__ import annotations

import json
from contextlib import closing

import pytest
from tests.e2e.cluster import Cluster, DistributedWorker
from tests.e2e.workers import until
from tests.peer.java_connect import JavaConnect

from plugwright.kafka import create_topic, read_topic

pytestmark = [pytest.mark.spark, pytest.mark.kafka, pytest.mark.timeout(420)]

SOURCE = "org.apache.kafka.connect.file.FileStreamSourceConnector"
SINK = "FileStreamSink"  # an alias; both runtimes know it
HALF = 3_000


class Pipe:
    """A file source, a topic and a file sink: one pair of connectors for either worker."""

    def __init__(self, cluster, directory):
        self.cluster = cluster
        self.topic = f"{cluster.name}-lines"
        # Of their own: the group of a sink is named after it, and the broker is that of all tests.
        self.source, self.sink = f"{self.topic}-in", f"{self.topic}-out"
        self.into, self.out = directory / "in.txt", directory / "out.txt"
        self.lines = []
        create_topic(cluster.servers, self.topic)

    def configs(self):
        """Both connectors, as a user of Kafka Connect gives them."""
        source = {"connector.class": SOURCE, "file": str(self.into), "topic": self.topic}
        sink = {"connector.class": SINK, "file": str(self.out), "topics": self.topic}
        return {
            self.source: {"name": self.source, "tasks.max": "1", **source},
            self.sink: {"name": self.sink, "tasks.max": "1", **sink},
        }

    def create(self, worker):
        """Create both at a worker, of either kind."""
        for name, config in self.configs().items():
            code, body = worker.call("/connectors", "POST", {"name": name, "config": config})
            assert (code, body["config"]) == (201, config)

    def add(self):
        """Half of all lines; the last one is without its end at first."""
        new = [f"line {len(self.lines) + n}" for n in range(HALF)]
        self.lines += new
        with self.into.open("a", encoding="utf-8") as file:
            file.write("".join(f"{line}\n" for line in new))

    def written(self):
        """What the sink has written."""
        return self.out.read_text(encoding="utf-8").splitlines() if self.out.exists() else []

    def passed(self):
        """Wait until every line has passed, or too many have."""
        return until(lambda: len(self.written()) >= len(self.lines), 60)

    def position(self, worker):
        """The offset of the source, as a worker tells it."""
        return worker.call(f"/connectors/{self.source}/offsets")[1]

    def expected_position(self):
        """The end of the file, in the one form that Kafka Connect has."""
        offset = {"position": self.into.stat().st_size}
        return {"offsets": [{"partition": {"filename": str(self.into)}, "offset": offset}]}


@pytest.fixture
def pipe(broker, fresh, tmp_path):
    """In a group of its own."""
    cluster = Cluster(broker.bootstrap_servers, fresh("takeover"))
    with closing(cluster):
        yield Pipe(cluster, tmp_path)


@pytest.fixture
def java(pipe):
    """Starts the real Kafka Connect in that group."""
    return lambda: JavaConnect(pipe.cluster.servers, pipe.cluster.settings)


def stored(cluster, kind):
    """The newest entry under each key of an internal topic."""
    return {
        (message.key() or b"").decode(): json.loads(message.value() or b"null")
        for message in read_topic(cluster.servers, f"{cluster.name}-{kind}")
    }


def test_ours_goes_on_where_java_stopped(pipe, java):
    """Configurations, target states and offsets are taken over; every line passes exactly once."""
    pipe.add()
    with java() as theirs:
        pipe.create(theirs)
        assert pipe.passed()
        assert until(lambda: pipe.position(theirs) == pipe.expected_position(), 90)
        java_tasks = {name: theirs.call(f"/connectors/{name}/tasks")[1] for name in pipe.configs()}
        assert theirs.call(f"/connectors/{pipe.source}/pause", "PUT")[0] == 202

    before = pipe.expected_position()
    pipe.add()
    (ours,) = pipe.cluster.grow(1)
    pipe.cluster.wait_for(pipe.source, "PAUSED", on=ours.worker_id)
    assert pipe.position(ours) == before
    assert ours.call(f"/connectors/{pipe.source}/resume", "PUT") == (202, None)
    pipe.cluster.wait_for(pipe.source, "RUNNING", on=ours.worker_id)
    pipe.cluster.wait_for(pipe.sink, "RUNNING", on=ours.worker_id)

    assert pipe.passed(), (len(pipe.written()), ours.report())
    assert pipe.cluster.values(pipe.topic) == pipe.lines
    assert pipe.written() == pipe.lines
    assert until(lambda: pipe.position(ours) == pipe.expected_position(), 30)
    for name, config in pipe.configs().items():
        assert ours.call(f"/connectors/{name}/config") == (200, config)
        assert len(ours.call(f"/connectors/{name}/tasks")[1]) == len(java_tasks[name]) == 1


def test_java_goes_on_where_ours_stopped(pipe, java):
    """The other way round, from topics that our worker made."""
    pipe.add()
    (ours,) = pipe.cluster.grow(1)
    pipe.create(ours)
    assert pipe.passed(), (len(pipe.written()), ours.report())
    assert until(lambda: pipe.position(ours) == pipe.expected_position(), 30)
    assert ours.call(f"/connectors/{pipe.source}/stop", "PUT") == (204, None)
    pipe.cluster.wait_for(pipe.source, "STOPPED", tasks=0)
    before = pipe.expected_position()
    assert ours.stop() == 0
    pipe.add()

    with java() as theirs:
        # UNASSIGNED, as our worker left it, until Java's has taken it over.
        theirs.wait_for_state(pipe.source, "STOPPED")
        status = theirs.call(f"/connectors/{pipe.source}/status")[1]
        reported = pipe.position(theirs)
        resumed = theirs.call(f"/connectors/{pipe.source}/resume", "PUT")
        theirs.wait_for_state(pipe.source)
        theirs.wait_for_state(pipe.sink)
        passed = pipe.passed()
        configs = {n: theirs.call(f"/connectors/{n}/config")[1] for n in pipe.configs()}

    assert (status["connector"]["state"], status["tasks"]) == ("STOPPED", [])
    assert (reported, resumed) == (before, (202, None))
    assert passed
    assert configs == pipe.configs()
    assert pipe.cluster.values(pipe.topic) == pipe.lines
    assert pipe.written() == pipe.lines


def test_ours_does_not_join_while_java_runs(pipe, java):
    """It ends with a sentence that says what to do; the group of the others goes on."""
    with java() as theirs, closing(DistributedWorker(pipe.cluster.settings)) as ours:
        ours.start()
        status = ours.wait(60)
        said = ours.said
        still = theirs.call("/connectors")

    assert status == 2
    assert "[kafka.group-refused]" in said or "kafka.group-refused" in said
    assert "stop the other kind of workers that use this group.id" in said
    assert still == (200, [])
