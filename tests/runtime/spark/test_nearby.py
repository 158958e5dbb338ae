"""Which processes of a cluster's executors are on this machine."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from contextlib import contextmanager
from types import SimpleNamespace

import pytest

from plugwright.spark import Executors, TaskStatus, executors_of, is_here

pytestmark = pytest.mark.slow

BACKEND = "org.apache.spark.executor.CoarseGrainedExecutorBackend"
DRIVER = "spark://CoarseGrainedScheduler@10.0.0.1:4711"
TASK = """
from plugwright.spark.exit_table import ExitTable
ExitTable.create().enter("put")
print("ready", flush=True)
input()
"""


@contextmanager
def _process(*words):
    """One with these words as its command, which does nothing."""
    with subprocess.Popen([words[0], "-c", "read line", *words[1:]], 0, "/bin/sh", -1) as process:
        time.sleep(0.1)  # until it has its command
        try:
            yield process.pid
        finally:
            process.kill()


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (("/usr/bin/java", BACKEND, "--driver-url", DRIVER), True),
        (("/usr/bin/java", BACKEND, "--driver-url", f"{DRIVER}2"), False),
        (("/usr/bin/java", "other.Program", "--driver-url", DRIVER), False),
        (("bash", f"java {BACKEND} --driver-url {DRIVER}"), False),
    ],
    ids=["its own", "another driver's", "another program", "the shell that starts it"],
)
def test_executors_are_known_by_their_command(words, found):
    """Which names the driver that they belong to."""
    with _process(*words) as pid:
        assert (pid in Executors(DRIVER, 1).here()) == found


def test_executor_of_another_user_is_none(monkeypatch):
    """What may not be signalled cannot be killed."""

    def refused(*_):
        raise PermissionError

    with _process("java", BACKEND, DRIVER) as pid:
        monkeypatch.setattr(os, "kill", refused)
        found = Executors(DRIVER, 1).here()
        monkeypatch.undo()
        assert pid in Executors(DRIVER, 1).here()

    assert found == []


def test_executors_of_a_session_are_counted_without_the_driver():
    """Spark lists it among them."""
    conf = {"spark.driver.host": "10.0.0.1", "spark.driver.port": "4711"}
    tracker = SimpleNamespace(getExecutorInfos=lambda: ["driver", "1", "2"])
    java = SimpleNamespace(sc=lambda: SimpleNamespace(statusTracker=lambda: tracker))
    context = SimpleNamespace(getConf=lambda: conf, _jsc=java)

    assert executors_of(SimpleNamespace(sparkContext=context)) == Executors(DRIVER, 2)


@pytest.fixture(scope="module")
def task():
    """The process of a task, whose parent is this one."""
    command = [sys.executable, "-c", TASK]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, text=True, **pipes) as process:
        assert process.stdout.readline() == "ready\n"
        yield process.pid
        process.kill()


@pytest.mark.parametrize(
    ("machine", "parent", "here"),
    [("", 0, True), ("elsewhere", 0, False), ("", 1, False)],
    ids=["here", "another machine", "a container of the same name"],
)
def test_process_of_a_task_is_here_if_its_numbers_mean_the_same(task, machine, parent, here):
    """A container may have its host's name, and counts its processes itself."""
    daemon = f"{machine or socket.gethostname()}:{parent or os.getpid()}"

    assert is_here(TaskStatus(pid=task, daemon=daemon)) == here


def test_another_child_of_the_same_parent_is_no_task():
    """It has not written down what it does."""
    with _process("python", "-m", "pyspark.daemon") as pid:
        assert not is_here(TaskStatus(pid=pid, daemon=f"{socket.gethostname()}:{os.getpid()}"))
