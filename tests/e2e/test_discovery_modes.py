"""A plugin without manifest in every mode, before and after ``sync-manifests``, in real workers."""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from tests.e2e.workers import WorkerProcess, until

from plugwright.kafka import read_topic

pytestmark = [pytest.mark.spark, pytest.mark.kafka]

BUNDLED = Path(__file__).parents[2] / "plugin-path"
LEGACY = {"class": "legacy_sink.connector.LegacySinkConnector", "type": "sink", "version": "0.3.0"}
SOURCE = {
    "class": "plugwright_file_source.FileStreamSourceConnector",
    "type": "source",
    "version": "0.1.0",
}
SCANNED_SOURCE = SOURCE | {"class": "plugwright_file_source.connector.FileStreamSourceConnector"}
MISSING = """\
One or more plugins are missing ServiceLoader manifests may not be usable with \
plugin.discovery=service_load: [
{path}/legacy-sink\tlegacy_sink.connector.LegacySinkConnector\tsink\t0.3.0
]
Declare each as an entry point in the group of its base class, which service_load mode reads \
without running any plugin. To silence this {what}, set plugin.discovery={mode} in the worker \
config.
"""
IN_TURN = """
import json, sys, urllib.request
from plugwright.cli.process import running_worker
for settings in json.load(sys.stdin):
    with running_worker(settings, distributed=False) as worker:
        with urllib.request.urlopen(worker.url + "/connector-plugins") as answer:
            print(answer.read().decode(), flush=True)
"""
STARTING = [
    (mode, synced)
    for synced in (False, True)
    for mode in ("only_scan", "hybrid_warn", "hybrid_fail", "service_load")
    if (mode, synced) != ("hybrid_fail", False)
]


def try_sync(path, *options):
    """How the command ends for a plugin path, and what it says."""
    run = "from plugwright.cli import main; main()"
    words = ["plugin-path", "sync-manifests", "--plugin-path", str(path), *options]
    done = subprocess.run(
        [sys.executable, "-c", run, *words], capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout, done.stderr


def sync_manifests(path, *options):
    """What the command says of a plugin path."""
    code, said, complained = try_sync(path, *options)
    complaints = [line for line in complained.splitlines() if not line.startswith("location-slow:")]
    assert (code, complaints) == (0, [])  # how long a look takes is the machine's affair
    return said


@pytest.fixture(scope="module")
def make_path(tmp_path_factory):
    """Copies the legacy sink beside the file source, into a plugin path of its own."""

    def make():
        path = tmp_path_factory.mktemp("plugin-path")
        for name in ("legacy-sink", "file-source"):
            ignored = shutil.ignore_patterns("__pycache__")
            shutil.copytree(BUNDLED / name, path / name, ignore=ignored)
        return path

    return make


@pytest.fixture(scope="module")
def paths(make_path):
    """By whether the manifests are written: a plugin path after either form of the command."""
    found = {False: make_path(), True: make_path()}
    sync_manifests(found[False], "--dry-run")
    sync_manifests(found[True])
    return found


@pytest.fixture(scope="module")
def listings(broker, paths):
    """What ``GET /connector-plugins`` answers in each mode and state, by whole workers in turn.

    They follow each other in one process and therefore share a JVM, but nothing else.
    """
    settings = [
        {
            "bootstrap.servers": broker.bootstrap_servers,
            "key.converter": "StringConverter",
            "value.converter": "StringConverter",
            "listeners": "http://127.0.0.1:0",
            "plugin.path": str(paths[synced]),
            "plugin.discovery": mode,
        }
        for mode, synced in STARTING
    ]
    done = subprocess.run(
        [sys.executable, "-c", IN_TURN],
        input=json.dumps(settings),
        capture_output=True,
        text=True,
        check=False,
        timeout=200,
    )
    assert done.returncode == 0, done.stderr
    return dict(zip(STARTING, map(json.loads, done.stdout.splitlines()), strict=True))


@pytest.mark.parametrize(
    ("mode", "synced"),
    [each for each in STARTING if each != ("service_load", False)],
    ids=lambda value: value if isinstance(value, str) else ("synced" if value else "dry-run"),
)
def test_the_worker_lists_the_legacy_plugin(listings, mode, synced):
    """In six of eight cases; a scan alone names a class by the module that defines it."""
    source = SCANNED_SOURCE if mode == "only_scan" else SOURCE
    assert listings[mode, synced] == [LEGACY, source]


def test_by_manifests_alone_a_dry_run_leaves_the_legacy_plugin_out(listings):
    """The worker starts with what declares itself."""
    assert listings["service_load", False] == [SOURCE]


class Traps:
    """A REST port that is taken, a Kafka and a Java that only tell whether they were asked."""

    def __init__(self, directory):
        self._java = directory / "java-was-asked"
        program = directory / "bin/java"
        program.parent.mkdir()
        program.write_text(f"#!/bin/sh\ntouch '{self._java}'\nexit 1\n")
        program.chmod(0o755)
        self.environment = {"JAVA_HOME": str(directory)}
        self._rest = socket.create_server(("127.0.0.1", 0))
        self._kafka = socket.create_server(("127.0.0.1", 0))
        self._kafka.setblocking(False)
        self.settings = {
            "listeners": f"http://127.0.0.1:{self._rest.getsockname()[1]}",
            "bootstrap.servers": f"127.0.0.1:{self._kafka.getsockname()[1]}",
        }

    @property
    def java_was_asked(self):
        """Whether it has run."""
        return self._java.exists()

    @property
    def kafka_was_asked(self):
        """Whether a client has connected since the last query."""
        try:
            self._kafka.accept()[0].close()
        except BlockingIOError:
            return False
        return True

    def close(self):
        """Give the ports back."""
        self._rest.close()
        self._kafka.close()


@pytest.fixture
def traps(tmp_path):
    """Closed at the end."""
    made = Traps(tmp_path)
    yield made
    made.close()


@pytest.fixture
def start():
    """Starts workers, without waiting, that have gone at the end."""
    started = []

    def begin(settings, *connectors, **more):
        worker = WorkerProcess(settings, *connectors, **more)
        started.append(worker)
        worker.start()
        return worker

    yield begin
    for worker in started:
        worker.close()


@pytest.mark.parametrize("distributed", [False, True], ids=["standalone", "distributed"])
def test_hybrid_fail_refuses_before_anything_listens(start, traps, paths, distributed):
    """Neither REST, whose port is taken and not complained of, nor Kafka, nor a JVM."""
    settings = {"plugin.path": str(paths[False]), "plugin.discovery": "hybrid_fail"}

    worker = start(
        settings | traps.settings, distributed=distributed, environment=traps.environment
    )

    assert worker.wait() == 2
    reported = MISSING.format(path=paths[False], what="error", mode="hybrid_warn")
    assert f"\ndiscovery.missing-manifest: {reported}" in worker.said
    assert (traps.java_was_asked, traps.kafka_was_asked) == (False, False)


def test_a_worker_that_does_not_refuse_runs_into_kafka(start, traps, paths):
    """What the refusal is measured by does notice a worker that goes on."""
    settings = {"plugin.path": str(paths[False]), "plugin.discovery": "hybrid_warn"}

    start(settings | traps.settings, environment=traps.environment)

    assert until(lambda: traps.kafka_was_asked, 30)


def test_a_worker_that_does_not_refuse_runs_into_java(start, traps, paths, broker):
    """The same of Java, where Kafka answers."""
    settings = {"plugin.path": str(paths[False]), "plugin.discovery": "hybrid_warn"}
    kafka = {"bootstrap.servers": broker.bootstrap_servers}

    start(settings | traps.settings | kafka, environment=traps.environment)

    assert until(lambda: traps.java_was_asked, 30)


class Line:
    """A pipeline of lines from a file through Kafka and the legacy sink into another."""

    def __init__(self, path, broker, name, directory, start):
        self.path = path
        self._start = start
        self._servers, self._name = broker.bootstrap_servers, name
        self._input = directory / "in.txt"
        self._output = directory / f"{name}-0.txt"
        self._source = {
            "name": f"{name}-source",
            "connector.class": "FileStreamSource",
            "file": str(self._input),
            "topic": name,
        }
        self._sink = {
            "name": f"{name}-sink",
            "connector.class": "LegacySink",
            "directory": str(directory),
            "topics": name,
        }

    def worker(self, mode):
        """A worker that runs the pipeline, not waited for."""
        settings = {
            "bootstrap.servers": self._servers,
            "plugin.path": str(self.path),
            "plugin.discovery": mode,
            "offset.storage.topic": f"{self._name}-offsets",
        }
        return self._start(settings, self._source, self._sink)

    def feed(self, text):
        """Add to the input."""
        with self._input.open("a") as file:
            file.write(text)

    def run(self, mode, size):
        """Run until the output is that long, and stop; the worker, and the whole output."""
        worker = self.worker(mode)
        worker.wait_until_ready()
        until(lambda: self._output.exists() and self._output.stat().st_size >= size)
        listed = worker.call("/connector-plugins")
        code, said, _ = try_sync(self.path)
        assert (code, "is in use by a worker" in said) == (2, True)
        assert (worker.stop(), listed) == (0, (200, [LEGACY, SOURCE]))
        return worker, self._output.read_text()

    def records(self):
        """What the topic holds."""
        return [message.value() for message in read_topic(self._servers, self._name)]


@pytest.fixture
def line(make_path, broker, fresh, tmp_path, start):
    """A pipeline over a plugin path of its own."""
    return Line(make_path(), broker, fresh("legacy"), tmp_path, start)


def test_the_legacy_sink_moves_to_manifests_without_losing_a_line(line):
    """hybrid_warn runs it, hybrid_fail does not, sync-manifests, service_load goes on with it."""
    line.feed("one\ntwo\n")
    warned, output = line.run("hybrid_warn", 8)
    assert output == "one\ntwo\n"
    reported = MISSING.format(path=line.path, what="warning", mode="only_scan")
    assert reported.replace("config.\n", "config. (plugwright.worker)\n") in warned.said

    line.feed("three\n")
    assert line.worker("hybrid_fail").wait() == 2
    assert line.records() == [b"one", b"two"]

    assert "\tAdd\tlegacy_sink.connector.LegacySinkConnector\tsink\n" in sync_manifests(line.path)
    line.feed("four\n")
    loaded, output = line.run("service_load", 19)
    assert output == "one\ntwo\nthree\nfour\n"
    assert line.records() == [b"one", b"two", b"three", b"four"]
    assert "missing ServiceLoader manifests" not in loaded.said
