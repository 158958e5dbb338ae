"""A worker on its way up: Spark beside everything else, and signals that come too early."""

from __future__ import annotations

import importlib
import logging
import os
import shutil
import signal
import subprocess
import tempfile
import threading
from argparse import Namespace
from contextlib import contextmanager
from types import SimpleNamespace

import pytest

from plugwright.cli import installed_commands, process
from plugwright.cli.ending import Ending
from plugwright.cli.starting import StartingLauncher
from plugwright.errors import SetupError

pytestmark = pytest.mark.slow


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
        yield SimpleNamespace(
            launch=lambda name, specs, **options: (name, specs, options), prepare=self.done.append
        )
        self.done.append("stopped")


@pytest.fixture
def spark():
    """A fresh one, which may start at the end at the latest."""
    spark = Spark()
    yield spark
    spark.may_start.set()


def test_a_launch_of_tasks_waits_for_spark(spark):
    """No other caller does."""
    with StartingLauncher(spark.open) as launcher:
        launcher.require_no_failure()
        assert spark.done == []
        threading.Timer(0.01, spark.may_start.set).start()

        job = launcher.launch("a", [1], python_path="/p", listener=None)

    assert job == ("a", [1], {"python_path": "/p", "listener": None})
    assert spark.done == ["started", "stopped"]


def test_a_preparation_for_tasks_waits_for_spark(spark):
    """As a herder does before it joins others."""
    with StartingLauncher(spark.open) as launcher:
        threading.Timer(0.01, spark.may_start.set).start()
        launcher.prepare(["/p"])

    assert spark.done == ["started", ["/p"], "stopped"]


def test_what_spark_fails_with_is_reported_to_all(spark):
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


def test_a_start_without_waiting_callers_is_stopped_all_the_same(spark):
    """A worker that is to end leaves no Spark behind."""
    threading.Timer(0.01, spark.may_start.set).start()

    with pytest.raises(KeyboardInterrupt), StartingLauncher(spark.open):
        raise KeyboardInterrupt

    assert spark.done == ["started", "stopped"]


def test_a_signal_during_a_wait_leaves_no_spark_behind(spark, signals):
    """Python takes a thread for ended when a signal has cut off who waited for it."""

    def interrupt():
        os.kill(os.getpid(), signal.SIGINT)
        threading.Timer(0.05, spark.may_start.set).start()

    def wait():
        with StartingLauncher(spark.open) as launcher:
            threading.Timer(0.01, interrupt).start()  # not earlier: a busy machine may be late
            launcher.wait()

    with pytest.raises(KeyboardInterrupt):
        wait()

    assert spark.done == ["started", "stopped"]


def test_a_signal_while_the_start_begins_leaves_no_spark_behind(spark, monkeypatch):
    """The start of a thread waits for a moment until it runs."""
    start = threading.Thread.start

    def interrupted(thread):
        start(thread)
        if thread.name == "spark-start":
            spark.may_start.set()
            raise KeyboardInterrupt

    monkeypatch.setattr(threading.Thread, "start", interrupted)

    with pytest.raises(KeyboardInterrupt):
        StartingLauncher(spark.open).__enter__()

    assert spark.done == ["started", "stopped"]


@pytest.fixture
def signals():
    """What signals do is as before when the test ends."""
    numbers = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
    before = [(number, signal.getsignal(number)) for number in numbers]
    signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    for number, handler in before:
        signal.signal(number, handler)


SIGNALS = pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])


@SIGNALS
def test_a_signal_breaks_a_start_off_and_later_ones_do_not_disturb_its_end(signals, number):
    """Half a start that is not stopped would stay behind."""
    done = []
    ending = Ending()

    with ending.heeded():
        try:
            signal.raise_signal(number)
            done.append("started")
        finally:
            signal.raise_signal(signal.SIGTERM)
            signal.raise_signal(signal.SIGINT)
            done.append("stopped")

    assert done == ["stopped"]


@SIGNALS
def test_an_interrupt_that_became_another_error_ends_the_start_as_well(signals, number):
    """C code that reads its arguments answers with an error of its own."""
    with Ending().heeded():
        try:
            signal.raise_signal(number)
        except KeyboardInterrupt:
            raise ValueError("expect a unicode string") from None


def test_a_failing_start_is_not_taken_for_an_interrupted_one(signals):
    """No component has stopped it."""
    with pytest.raises(ValueError, match="bad"), Ending().heeded():
        raise ValueError("bad")


@SIGNALS
def test_a_signal_breaks_no_import_off(signals, number, tmp_path, monkeypatch):
    """The lock of all imports would be held for ever, and no thread could start a process."""
    text = f"import signal\nsignal.raise_signal({int(number)})\nwhole = True\n"
    name = f"signalled_{int(number)}"
    (tmp_path / f"{name}.py").write_text(text)
    monkeypatch.syspath_prepend(str(tmp_path))
    done = []

    with Ending().heeded():
        module = importlib.import_module(name)
        done.append(module.whole)
        threading.Event().wait(60)
        done.append("never")

    assert done == [True]


STEPS = pytest.mark.parametrize(
    ("place", "call", "step"),
    [
        (os, "mkdir", lambda path: tempfile.mkdtemp(dir=path)),
        (os, "mkdir", lambda path: tempfile.TemporaryDirectory(dir=path)),
        (subprocess, "_fork_exec", lambda path: subprocess.Popen(["true"], cwd=path)),  # noqa: S607
        (os, "rmdir", lambda path: shutil.rmtree(tempfile.mkdtemp(dir=path))),
    ],
    ids=["directory", "context", "process", "removal"],
)


@SIGNALS
@STEPS
def test_a_signal_does_not_cut_off_what_makes_something(  # noqa: PLR0913, PLR0917  # a table
    signals, number, place, call, step, tmp_path, monkeypatch
):
    """No caller would know of it; the signal is heeded right after that."""
    original, done = getattr(place, call), []

    def signalled(*arguments, **options):
        found = original(*arguments, **options)
        signal.raise_signal(number)
        return found

    with Ending().heeded():
        with monkeypatch.context() as patched:
            patched.setattr(place, call, signalled)
            made = step(tmp_path)
        done.append(made)
        threading.Event().wait(60)
        done.append("never")

    assert len(done) == 1
    assert not isinstance(made, subprocess.Popen) or made.wait(60) == 0
    if isinstance(made, tempfile.TemporaryDirectory):
        made.cleanup()


@SIGNALS
def test_no_child_inherits_that_signals_are_ignored(signals, number):
    """A JVM that is started meanwhile could not be stopped."""
    ending = Ending()
    with ending.heeded():
        try:
            signal.raise_signal(number)
        finally:
            ignored = signal.getsignal(number)
    assert callable(ignored)


@SIGNALS
def test_a_signal_that_python_loses_is_a_request_to_end_all_the_same(signals, number, monkeypatch):
    """What a handler raises in a finalizer is printed and forgotten."""

    class Finalized:
        def __del__(self):
            signal.raise_signal(number)

    monkeypatch.setattr("sys.unraisablehook", lambda _: None)
    ending = Ending()

    with ending.heeded():
        Finalized()
        ending.serve()
        ended = ending.wait(0)

    assert ended


@SIGNALS
def test_a_worker_that_serves_receives_the_request_and_a_second_signal_is_an_interrupt(
    signals, number
):
    """It cuts off what the first one had begun to stop."""
    ending = Ending()
    heard = []

    def serve():
        with ending.heeded():
            ending.serve()
            for _ in range(2):
                heard.append(ending.wait(0))
                signal.raise_signal(number)

    with pytest.raises(KeyboardInterrupt):
        serve()

    assert heard == [False, True]


def test_a_closed_terminal_that_tells_a_worker_twice_interrupts_nothing(signals):
    """Its shell tells, too; the first one is heard."""
    heard = []
    ending = Ending()

    with ending.heeded():
        ending.serve()
        for _ in range(3):
            signal.raise_signal(signal.SIGHUP)
            heard.append(ending.wait(0))

    assert heard == [True, True, True]


COMMANDS = pytest.mark.parametrize(
    "run",
    [installed_commands()[f"connect-{mode}"].run for mode in ("standalone", "distributed")],
    ids=["standalone", "distributed"],
)


@pytest.fixture
def arguments(tmp_path, monkeypatch, signals):
    """Of a command whose logging stays as it is."""
    monkeypatch.setattr(logging, "basicConfig", lambda **_: None)
    worker = tmp_path / "worker.properties"
    worker.write_text("bootstrap.servers=nowhere:1\n")
    return Namespace(worker=worker, connectors=[], log_level="INFO")


@COMMANDS
def test_a_signal_during_the_start_stops_the_worker_in_order(run, arguments, monkeypatch):
    """It is what the operator asked for, and no failure."""
    done = []

    @contextmanager
    def starting(properties, *, distributed, hidden):
        try:
            raise KeyboardInterrupt
            yield
        finally:
            done.append("stopped")

    monkeypatch.setattr(process, "running_worker", starting)

    assert (run(arguments), done) == (0, ["stopped"])
