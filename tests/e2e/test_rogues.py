"""A worker under the worst plugins that there are: it stays up and names them; others go on."""

from __future__ import annotations

import shutil
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.e2e.workers import WorkerProcess, until
from tests.runtime.hosts.rogues import rogue

from plugwright._origin import origin
from plugwright.kafka import create_topic

pytestmark = [pytest.mark.spark, pytest.mark.kafka]

PLUGIN_PATH = Path(__file__).parents[2] / "plugin-path"
SETTINGS = {
    "plugin.call.timeout.ms": "6000",
    "task.startup.timeout.ms": "5000",
    "task.shutdown.graceful.timeout.ms": "2000",
    "plugin.memory.limit.mb": "1024",
}
REFUSED = {
    "validate:hang": ("validate", "[plugin.host-timeout]"),
    "validate:leave": ("validate", "[plugin.host-ended]"),
}
"""What a connector does while its creation is asked for, and the answer to that."""

FAILED = {
    "start:hang": ("start", "plugin.host-timeout: "),
    "start:interrupt": ("start", "plugin.failed: "),
    "start:crash": ("start", "plugin.host-ended: "),
    "start:grow": ("start", "plugin.out-of-memory: "),
    "task_configs:hang": ("task_configs", "plugin.host-timeout: "),
}
"""What a connector does then, its phase, and what its status begins with."""

TASK_FAILED = {
    "task start:hang": ("start", "plugin.task-timeout: "),
    "task start:nothing": ("start", "plugin.failed: "),
    "poll:exit": ("poll", "plugin.failed: "),
    "poll:interrupt": ("poll", "plugin.failed: "),
    "poll:grow": ("poll", "plugin.out-of-memory: "),
    "put:generator": ("put", "plugin.failed: "),
}
"""The same of a task."""

HANGS = ["poll:hang", "put:hang", "task stop:hang"]
CRASHES = ["poll:leave"]
BORNE = ["start:flood", "poll:flood", "task start:surroundings"]


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
        }
        if kind == "Sink":
            config["topics"] = self._topic
        self.answers[trouble] = self.worker.create(_word(trouble), config)

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

        assert until(failed, 40), (trouble, self.status(trouble), self.worker.said[-3000:])
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


def test_the_worst_plugins_at_once_do_not_disturb_the_others(scene, capsys):
    """Each says plugin, version, location and phase, in its status and in the log."""
    worker, rogues, pipeline = scene
    pid, begun = worker.pid, time.monotonic()
    troubles = [*REFUSED, *FAILED, *TASK_FAILED, *HANGS, *CRASHES, *BORNE]

    with ThreadPoolExecutor(len(troubles)) as pool:
        doing = [pool.submit(rogues.create, trouble) for trouble in troubles]
        assert pipeline.moves()
        for each in doing:
            each.result()

    for trouble, (phase, code) in REFUSED.items():
        status, answer = rogues.answers[trouble]
        assert (status, answer["message"].endswith(code)) == (500, True), answer
        assert rogues.origin(trouble, phase) in worker.said
    for trouble, (phase, code) in FAILED.items():
        trace = rogues.trace(trouble, task=False)
        assert trace.startswith(code), trace
        assert rogues.origin(trouble, phase) in trace, trace
        assert rogues.origin(trouble, phase) in worker.said
    for trouble, (phase, code) in TASK_FAILED.items():
        trace = rogues.trace(trouble, task=True)
        assert trace.startswith(code), trace
        assert rogues.origin(trouble, phase, "Task") in trace, trace
        assert rogues.origin(trouble, phase, "Task") in worker.said
    assert pipeline.moves()
    for trouble in ("poll:hang", "put:hang"):
        line = f"for 6 s: {rogues.origin(trouble, trouble.partition(':')[0], 'Task')}"
        assert until(lambda line=line: line in worker.said, 30), worker.said[-3000:]
    crashed = rogues.status("poll:leave")["tasks"][0]["state"]
    assert crashed in {"RUNNING", "RESTARTING", "FAILED"}
    for trouble in BORNE:
        worker.wait_for_state(_word(trouble))
    for trouble in HANGS:
        assert worker.call(f"/connectors/{_word(trouble)}", "DELETE")[0] == 204
    assert pipeline.moves()
    states = {name: worker.call(f"/connectors/{name}/status")[1] for name in ("in", "out")}
    parts = [part for each in states.values() for part in (each["connector"], *each["tasks"])]
    assert {part["state"] for part in parts} == {"RUNNING"}
    assert pipeline.lines() == [f"line {n}" for n in range(1, pipeline.count + 1)]
    assert worker.pid == pid
    with capsys.disabled():
        print(f"\n{len(troubles)} rogues: {time.monotonic() - begun:.0f} s")  # noqa: T201
