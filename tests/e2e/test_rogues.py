"""A worker under the worst plugins that there are: it stays up and names them; others go on."""

from __future__ import annotations

import shutil
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path

import pytest
from tests.e2e.workers import WorkerProcess, until
from tests.runtime.hosts.rogues import rogue

from plugwright.kafka import create_topic
from plugwright.origin import origin

pytestmark = [pytest.mark.spark, pytest.mark.kafka]

PLUGIN_PATH = Path(__file__).parents[2] / "plugin-path"
SETTINGS = {
    "plugin.call.timeout.ms": "15000",
    "task.startup.timeout.ms": "10000",
    "task.shutdown.graceful.timeout.ms": "2000",
    "plugin.memory.limit.mb": "1024",
}
REFUSED = {
    "validate:hang": ("validate", "[plugin.host-timeout]"),
    "validate:leave": ("validate", "[plugin.host-ended]"),
}
"""What a connector does while its creation is asked for, and the answer to that."""

FAILED = {
    "start:hang": ("start", "plugin.host-timeout:"),
    "start:interrupt": ("start", "plugin.failed:"),
    "start:crash": ("start", "plugin.host-ended:"),
    "start:grow": ("start", "plugin.out-of-memory:"),
    "task_configs:hang": ("task_configs", "plugin.host-timeout:"),
}
"""What a connector does then, its phase, and what its status begins with."""

TASK_FAILED = {
    "task start:hang": ("start", "plugin.task-timeout:"),
    "task start:nothing": ("start", "plugin.failed:"),
    "poll:exit": ("poll", "plugin.failed:"),
    "poll:interrupt": ("poll", "plugin.failed:"),
    "poll:grow": ("poll", "plugin.out-of-memory:"),
    "put:generator": ("put", "plugin.failed:"),
    "apply:nothing": ("TRANSFORMATION", "plugin.failed:"),
}
"""The same of a task."""

WARNED = {"poll:hang": "poll", "put:hang": "put"}
"""What keeps a running task in a phase, which is reported and goes on until it is stopped."""

DELETED = [*WARNED, "task stop:hang", "stop:hang"]
CRASHED = ["poll:leave", "poll:hold", "from_connect_data:crash"]
BORNE = ["start:flood", "start:fork", "poll:flood", "task start:threads", "task start:surroundings"]
ALL = [*REFUSED, *FAILED, *TASK_FAILED, *DELETED, *CRASHED, *BORNE]


class Rogues:
    """Creates connectors that misbehave; those that do on the driver have locations of their own.

    Attributes:
        answers: status and body of each creation, by what it does.
    """

    def __init__(self, worker, root, topic):
        self.worker = worker
        self.answers = {}
        self._root = root
        self._topic = topic

    def locations(self):
        """Make the plugin path, before the worker looks at it."""
        rogue(self._root)
        for trouble in (*REFUSED, *FAILED):
            rogue(self._root, self.place(trouble), prefix=self.prefix(trouble))

    def place(self, trouble):
        """The name of the location that an undertaking has."""
        on_driver = trouble in REFUSED or trouble in FAILED
        return f"rogue_{_word(trouble)}" if on_driver else "rogue"

    def prefix(self, trouble):
        """How the names of the classes begin there."""
        return _word(trouble).title() if self.place(trouble) != "rogue" else "Rogue"

    def create(self, trouble):
        """Ask for a connector."""
        kind = "Sink" if trouble.startswith("put") else "Source"
        config = {
            "connector.class": f"{self.prefix(trouble)}{kind}",
            "trouble": trouble,
            "topic": f"{self._topic}-noise",
            "topics" if kind == "Sink" else "poll.topic": self._topic,
        }
        if trouble.startswith("apply"):
            config |= {"transforms": "a", "transforms.a.type": "RogueTransformation"}
            config["transforms.a.trouble"] = trouble
        if trouble.startswith("from_connect_data"):
            config |= {"value.converter": "RogueConverter", "value.converter.trouble": trouble}
        self.answers[trouble] = self.worker.create(_word(trouble), config)

    def beside(self, trouble):
        """A connector that does nothing wrong, in the process of one that will."""
        config = {
            "connector.class": f"{self.prefix(trouble)}Source",
            "topic": f"{self._topic}-noise",
        }
        self.worker.create("neighbour", config)
        self.worker.wait_for_state("neighbour")

    def refusals(self):
        """Of those whose creation failed: status, code, and whether the log names them."""
        return {
            trouble: (
                self.answers[trouble][0],
                self.answers[trouble][1]["message"].rpartition(" ")[2],
                self.origin(trouble, phase) in self.worker.said,
            )
            for trouble, (phase, _) in REFUSED.items()
        }

    def failures(self, expected, *, task):
        """Of those that failed: code, and whether status and log name them."""
        found = {}
        for trouble, (phase, _) in expected.items():
            trace = self.trace(trouble, task=task)
            line = self.origin(trouble, phase, "Task" if task else "")
            found[trouble] = (trace.partition(" ")[0], line in trace, line in self.worker.said)
        return found

    def delete(self, trouble):
        """Remove a connector; the status of the answer."""
        return self.worker.call(f"/connectors/{_word(trouble)}", "DELETE")[0]

    def origin(self, trouble, phase, kind=""):
        """The line that its status and the log hold."""
        place = self.place(trouble)
        side = "Sink" if trouble.startswith("put") else "Source"
        plugin = f"{place}_plugin.{self.prefix(trouble)}{side}{kind}"
        return origin(plugin, "1.0", str(self._root / place), phase)

    def status(self, trouble):
        """Of a connector."""
        return self.worker.call(f"/connectors/{_word(trouble)}/status")[1]

    def trace(self, trouble, *, task):
        """What it has failed with, once it has."""
        found = ""

        def failed():
            nonlocal found
            status = self.status(trouble)
            parts = status.get("tasks", []) if task else [status.get("connector", {})]
            found = next((p.get("trace", "") for p in parts if p["state"] == "FAILED"), "")
            return found

        assert until(failed, 60), (trouble, self.status(trouble), self.worker.said[-3000:])
        return found


def _word(trouble):
    return "".join(c if c.isalpha() else "_" for c in trouble)


class Pipeline:
    """Two healthy connectors that move the lines of a file."""

    def __init__(self, worker, directory, topic):
        self.source, self.sink = directory / "in.txt", directory / "out.txt"
        self.source.write_text("")
        self.count = 0
        file = {"connector.class": "FileStreamSource", "file": str(self.source), "topic": topic}
        worker.create("in", file)
        file = {"connector.class": "FileStreamSink", "file": str(self.sink), "topics": topic}
        worker.create("out", file)
        for name in ("in", "out"):
            worker.wait_for_state(name)

    def moves(self):
        """Whether a further line arrives."""
        self.count += 1
        line = f"line {self.count}"
        with self.source.open("a") as file:
            file.write(line + "\n")
        return until(lambda: line in self.lines(), 30)

    def lines(self):
        """What has arrived, in order."""
        return self.sink.read_text().splitlines() if self.sink.exists() else []


@pytest.fixture
def scene(broker, fresh, tmp_path):
    """A worker with a healthy pipeline, and rogues that have not begun."""
    topic, root = fresh("lines"), tmp_path / "plugins"
    create_topic(broker.bootstrap_servers, topic)
    rogues = Rogues(None, root, topic)
    rogues.locations()
    for name in ("file-source", "file-sink"):
        shutil.copytree(PLUGIN_PATH / name, root / name)
    settings = {
        "bootstrap.servers": broker.bootstrap_servers,
        "plugin.path": str(root),
        "plugin.discovery": "service_load",
        "group.id": fresh("rogues"),
        "offset.storage.topic": fresh("offsets"),
        **SETTINGS,
    }
    with WorkerProcess(settings) as worker:
        rogues.worker = worker
        yield worker, rogues, Pipeline(worker, tmp_path, topic)


def test_the_worst_plugins_at_once_do_not_disturb_the_others(scene):
    """Each says plugin, version, location and phase, in its status and in the log."""
    worker, rogues, pipeline = scene
    pid = worker.pid
    rogues.beside("start:crash")

    with ThreadPoolExecutor(len(ALL)) as pool:
        creations = [pool.submit(rogues.create, trouble) for trouble in ALL]
        assert pipeline.moves()
        wait(creations)

    assert rogues.refusals() == {t: (500, code, True) for t, (_, code) in REFUSED.items()}
    for parts, task in ((FAILED, False), (TASK_FAILED, True)):
        said = {trouble: (code, True, True) for trouble, (_, code) in parts.items()}
        assert rogues.failures(parts, task=task) == said
    assert pipeline.moves()
    warnings = [f" s: {rogues.origin(t, phase, 'Task')}" for t, phase in WARNED.items()]
    assert until(lambda: all(line in worker.said for line in warnings), 60), worker.said[-3000:]
    assert until(lambda: "Timeout (0:00:20)!" in _spark_log(worker), 60)
    for name in ("neighbour", *map(_word, BORNE)):
        worker.wait_for_state(name)
    assert "restarting neighbour, because another connector ended it" in worker.said
    assert {trouble: rogues.delete(trouble) for trouble in DELETED} == dict.fromkeys(DELETED, 204)
    assert rogues.origin("stop:hang", "stop") in worker.said
    assert pipeline.moves()
    assert pipeline.lines() == [f"line {n}" for n in range(1, pipeline.count + 1)]
    assert {worker.wait_for_state(name)["name"] for name in ("in", "out")} == {"in", "out"}
    assert worker.pid == pid


def _spark_log(worker):
    """What the processes of tasks have printed."""
    return "".join(p.read_text(errors="replace") for p in worker.directory.rglob("spark.log"))
