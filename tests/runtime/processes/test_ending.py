"""How processes have ended, in words."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from plugwright import processes
from plugwright.processes import ending


@pytest.mark.parametrize(
    ("code", "words"),
    [(0, "ended with status 0"), (7, "ended with status 7"), (-9, "was ended by SIGKILL")],
)
def test_an_end_is_reported_by_status_or_signal(code, words):
    """As a predicate, for a caller that knows which process it was."""
    assert ending(code) == words
    assert ending(-signal.SIGSEGV) == "was ended by SIGSEGV"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("limits", "work"),
    [
        ("limit_memory(1 << 28)", "bytearray(1 << 29)"),
        ("limit_import(1 << 29, 60)", "bytearray(1 << 30)"),
    ],
)
def test_a_process_within_limits_cannot_have_more(limits, work):
    """A MemoryError tells it."""
    code = f"from plugwright import processes; processes.{limits}; {work}"

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)

    assert (ending(done.returncode), done.stderr.split()[-1]) == (
        "ended with status 1",
        "MemoryError",
    )


@pytest.mark.parametrize(
    ("phase", "mark"),
    [
        ("put", b"put" + 45 * b"\0"),
        ("", 48 * b"\0"),
        (60 * "x", 48 * b"x"),
    ],
)
def test_a_phase_mark_has_48_bytes(phase, mark):
    """A longer phase is cut off, a shorter one is filled up."""
    assert processes.phase_mark(phase) == mark
    assert processes.marked_phase(mark) == phase[:48]


@pytest.mark.slow
def test_a_linked_interpreter_has_the_other_end_and_is_killed_with_its_group():
    """It answers over the socket; its child, which holds the line too, ends with it."""
    code = (
        "import os, socket, sys, time; os.fork(); line = socket.socket(fileno=int(sys.argv[1])); "
        "line.send(b'here'); time.sleep(600)"
    )
    process, line = processes.start_linked(lambda there: ["-c", code, str(there)])

    with line:
        line.settimeout(60)
        said = b""
        while len(said) < 8:
            said += line.recv(8)
        processes.kill_group(process.pid)
        processes.await_or_kill(process, 60)
        silence = line.recv(1)

    assert (said, silence, process.returncode) == (b"herehere", b"", -signal.SIGKILL)


@pytest.mark.slow
def test_a_process_that_does_not_end_is_killed():
    """After the patience, and waited for."""
    process, line = processes.start_linked(lambda _: ["-c", "import time; time.sleep(600)"])

    with line:
        processes.await_or_kill(process, 0.01)

    assert process.returncode == -signal.SIGKILL


def test_threads_are_awaited_until_the_system_no_longer_lists_them():
    """One that goes on is waited for as long as was asked."""
    go_on = threading.Event()
    short, long = threading.Thread(target=int), threading.Thread(target=go_on.wait)
    for thread in (short, long):
        thread.start()
    ids = [thread.native_id for thread in (short, long)]

    processes.await_threads(ids, 0.01)
    during = Path(f"/proc/self/task/{ids[1]}").exists()
    go_on.set()
    processes.await_threads(ids, 60)

    assert during
    assert not [each for each in ids if Path(f"/proc/self/task/{each}").exists()]
