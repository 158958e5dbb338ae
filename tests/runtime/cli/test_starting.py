"""A worker on its way up: Spark beside everything else, and signals that come too early."""

from __future__ import annotations

import threading
from argparse import Namespace
from contextlib import contextmanager
from types import SimpleNamespace

import pytest

from plugwright.cli import _connect, _process
from plugwright.cli._starting import StartingLauncher
from plugwright.errors import SetupError


class Spark:
    """Starts when it may, and remembers."""

    def __init__(self):
        self.may_start = threading.Event()
        self.done = []
        self.failure = None

    @contextmanager
    def open(self):
        """A launcher that answers with its arguments."""
        assert self.may_start.wait(10)
        if self.failure is not None:
            raise self.failure
        self.done.append("started")
        yield SimpleNamespace(launch=lambda name, specs, **options: (name, specs, options))
        self.done.append("stopped")


@pytest.fixture
def spark():
    """A fresh one, which may start at the end at the latest."""
    spark = Spark()
    yield spark
    spark.may_start.set()


def test_whoever_launches_tasks_waits_for_spark(spark):
    """Nobody else does."""
    with StartingLauncher(spark.open) as launcher:
        launcher.require_no_failure()
        assert spark.done == []
        threading.Timer(0.01, spark.may_start.set).start()

        job = launcher.launch("a", [1], python_path="/p", listener=None)

    assert job == ("a", [1], {"python_path": "/p", "listener": None})
    assert spark.done == ["started", "stopped"]


def test_what_spark_fails_with_is_told_to_all(spark):
    """Who waits, who launches, and who only asks."""
    spark.failure = SetupError("no Java", code="environment.java-missing")
    spark.may_start.set()

    with StartingLauncher(spark.open) as launcher:
        with pytest.raises(SetupError, match="no Java"):
            launcher.wait()
        with pytest.raises(SetupError, match="no Java"):
            launcher.launch("a", [])
        with pytest.raises(SetupError, match="no Java"):
            launcher.require_no_failure()


def test_a_start_that_nobody_waits_for_any_more_is_stopped_all_the_same(spark):
    """A worker that is to end leaves no Spark behind."""
    threading.Timer(0.01, spark.may_start.set).start()

    with pytest.raises(KeyboardInterrupt), StartingLauncher(spark.open):
        raise KeyboardInterrupt

    assert spark.done == ["started", "stopped"]


COMMANDS = pytest.mark.parametrize(
    "run", [_connect._run_standalone, _connect._run_distributed], ids=["standalone", "distributed"]
)


@pytest.fixture
def arguments(tmp_path, monkeypatch):
    """Of a command whose logging stays as it is."""
    monkeypatch.setattr(_connect.logging, "basicConfig", lambda **_: None)
    worker = tmp_path / "worker.properties"
    worker.write_text("bootstrap.servers=nowhere:1\n")
    return Namespace(worker=worker, connectors=[], log_level="INFO")


@COMMANDS
def test_a_signal_during_the_start_stops_the_worker_in_order(run, arguments, monkeypatch):
    """It is what the operator asked for, and no failure."""
    done = []

    @contextmanager
    def starting(properties, *, distributed):
        try:
            raise KeyboardInterrupt
            yield
        finally:
            done.append("stopped")

    monkeypatch.setattr(_process, "running_worker", starting)

    assert (run(arguments), done) == (0, ["stopped"])


@COMMANDS
def test_a_second_signal_is_an_interrupt(run, arguments, monkeypatch):
    """It cuts off what the first one had begun to stop."""

    @contextmanager
    def running(properties, *, distributed):
        yield SimpleNamespace(url="http://here:8083", herder=None)
        raise KeyboardInterrupt

    monkeypatch.setattr(_process, "running_worker", running)
    monkeypatch.setattr(_connect, "_serve", lambda _, ended: ended.set())

    with pytest.raises(KeyboardInterrupt):
        run(arguments)
