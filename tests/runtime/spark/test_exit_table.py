"""What a daemon of workers knows of the ends of its children."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from plugwright.spark._exit_table import ExitTable, current_phase

DAEMON = """
import json, os, signal, time
from plugwright.spark._exit_table import ExitTable, current_phase

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


@pytest.fixture
def table(monkeypatch):
    """One that is this process's."""
    monkeypatch.setenv("PLUGWRIGHT_EXIT_BOARD", "")
    table = ExitTable.create()
    yield table
    os.close(int(os.environ["PLUGWRIGHT_EXIT_BOARD"]))


def test_a_crash_is_told_with_its_phase(table):
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


@pytest.mark.parametrize("phase", ["put", ""], ids=["in a call", "between calls"])
def test_the_call_of_a_living_process_can_be_read(table, phase):
    """From outside, by the files that it has open."""
    table.enter("start")
    table.enter(phase)
    assert current_phase(os.getpid()) == phase


def test_the_call_of_another_process_in_the_same_slot_is_not_its_own(table):
    """The slot may be older than the process."""
    table.enter("put")
    table.ended(os.getpid() + 512, 0)
    assert current_phase(os.getpid()) == ""


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
