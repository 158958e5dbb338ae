"""What a daemon of workers knows of the ends of its children."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import contextmanager

import pytest

from plugwright.spark import current_phase
from plugwright.spark.exit_table import ExitTable

DAEMON = """
import json, os, signal, time
from plugwright.spark.exit_table import ExitTable, current_phase

ExitTable.create().watch_children()
signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # as Spark's daemon does
ends = [lambda: os._exit(0), lambda: os._exit(3), lambda: os.kill(os.getpid(), signal.SIGKILL)]
for end in ends:
    if not (pid := os.fork()):
        ExitTable.inherited().enter("put")
        end()
    deadline = time.monotonic() + 10
    while os.path.exists(f"/proc/{pid}") and time.monotonic() < deadline:
        time.sleep(0.01)
if not os.fork():
    print(json.dumps(list(ExitTable.inherited().crashes().values())), flush=True)
    os._exit(0)
time.sleep(0.2)
"""

BUSY = """
import os, sys, threading
from plugwright.spark.exit_table import ExitTable

def churn():
    while True:
        files = [open(os.devnull) for _ in range(50)]
        del files

{deeds}
print("ready", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def table(monkeypatch):
    """One that is this process's."""
    monkeypatch.setenv("PLUGWRIGHT_EXIT_BOARD", "")
    table = ExitTable.create()
    yield table
    os.close(int(os.environ["PLUGWRIGHT_EXIT_BOARD"]))


def test_a_crash_is_noted_with_its_phase(table):
    """The process wrote the one, its daemon the other."""
    ExitTable.inherited().enter("put")
    table.ended(os.getpid(), signal.SIGKILL)
    assert table.crashes() == {str(os.getpid()): (9, "put")}


def test_a_process_that_ended_well_is_no_crash(table):
    """Nor is one that lives."""
    table.enter("put")
    assert table.crashes() == {}
    table.ended(os.getpid(), 0)
    assert table.crashes() == {}


def test_a_process_that_wrote_no_phase_has_none(table):
    """Not that of an older one in the same slot."""
    table.enter("put")
    table.ended(os.getpid() + 512, 3 << 8)
    assert table.crashes() == {str(os.getpid() + 512): (768, "")}


@pytest.mark.parametrize("value", ["", "9999"], ids=["no number", "no such file"])
def test_without_our_daemon_there_is_none(monkeypatch, value):
    """Spark's own daemon knows nothing."""
    monkeypatch.setenv("PLUGWRIGHT_EXIT_BOARD", value)
    assert ExitTable.inherited() is None


@pytest.mark.parametrize(
    ("deeds", "phase"),
    [
        ("table.enter('start'), table.enter('put')", "put"),
        ("table.enter('put'), table.enter('')", ""),
        ("table.enter('put'), table.ended(os.getpid() + 512, 0)", ""),
    ],
    ids=["in a call", "between calls", "the slot is another process's"],
)
def test_the_call_of_a_living_process_can_be_read(deeds, phase):
    """From outside, by the files that it has open."""
    with _busy(f"table = ExitTable.create(); {deeds}") as pid:
        assert current_phase(pid) == phase


def test_files_that_come_and_go_do_not_hide_the_table():
    """Other threads of the process open and close theirs."""
    churn = "[threading.Thread(target=churn, daemon=True).start() for _ in range(8)]"
    with _busy(f"{churn}; table = ExitTable.create(); table.enter('put')") as pid:
        assert {current_phase(pid) for _ in range(300)} == {"put"}


@contextmanager
def _busy(deeds):
    """The id of a process that has done something, and waits."""
    command = [sys.executable, "-c", BUSY.format(deeds=deeds)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout.readline() == "ready\n"
        yield process.pid
        process.stdin.close()


def test_the_call_of_a_process_without_a_table_is_not_known():
    """Nor that of one that has ended."""
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as other:
        assert current_phase(other.pid) is None
    assert current_phase(other.pid) is None


@pytest.mark.slow
def test_the_next_child_knows_how_its_siblings_ended():
    """Although Spark's daemon wants to hear nothing of them."""
    done = subprocess.run(
        [sys.executable, "-c", DAEMON], capture_output=True, check=True, text=True
    )
    assert done.stdout == '[[768, "put"], [9, "put"]]\n'
