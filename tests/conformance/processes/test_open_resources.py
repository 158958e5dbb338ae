"""What a process holds is counted by what the system says."""

from __future__ import annotations

import os
import queue
import subprocess
import sys
import threading

import pytest

from plugwright_conformance.processes.open_resources import children, held, more_than


def test_nothing_more_is_held_when_nothing_was_done():
    """Looking leaves no trace."""
    assert more_than(held()) == {"threads": 0, "descriptors": 0, "processes": 0}


@pytest.mark.slow
def test_what_was_opened_and_started_is_counted():
    """Two descriptors of one file are two."""
    before, leave = held(), threading.Event()
    handles = [os.open(os.devnull, os.O_RDONLY) for _ in range(2)]
    thread = threading.Thread(target=leave.wait, daemon=True)
    thread.start()
    helper = subprocess.Popen([sys.executable, "-S", "-c", "input()"], stdin=subprocess.PIPE)

    found = more_than(before)

    leave.set()
    helper.communicate(b"\n")
    for handle in handles:
        os.close(handle)
    assert found == {"threads": 1, "descriptors": 3, "processes": 1}


def test_a_thread_that_is_about_to_end_is_waited_for():
    """It is no leak."""
    before, leave = held(), threading.Event()
    thread = threading.Thread(target=leave.wait)
    thread.start()
    leave.set()

    assert more_than(before)["threads"] == 0


def test_a_process_that_is_about_to_end_is_waited_for():
    """Nor is this; its owner has asked it to end."""
    started = queue.Queue()
    reaper = threading.Thread(target=lambda: started.get().wait())  # it is there before
    reaper.start()
    before = held()
    started.put(subprocess.Popen(["/bin/sleep", "0.2"]))

    found = more_than(before)

    reaper.join()
    assert found["processes"] == 0


@pytest.mark.slow
def test_a_process_that_is_still_being_loaded_has_not_ended():
    """`Popen` returns before the kernel knows the arguments: nine of ten times on busy cores."""
    said = []
    for _ in range(100):
        with subprocess.Popen(["/bin/cat"], stdin=subprocess.PIPE) as loading:
            said += [line for line in children() if line.startswith(f"{loading.pid} ")]

    assert len(said) == 100
    assert all(line.endswith(("/bin/cat", "(cat)")) for line in said), said


def test_a_process_that_has_ended_and_was_not_waited_for_is_said_to_have():
    """Its entry stays in the table of processes."""
    with subprocess.Popen(["/bin/true"], stdout=subprocess.PIPE) as ended:
        os.waitid(os.P_PID, ended.pid, os.WEXITED | os.WNOWAIT)

        assert f"{ended.pid} (ended, and not waited for)" in children()
