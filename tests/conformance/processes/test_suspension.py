"""A suspended process does nothing until it is resumed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from plugwright_conformance.processes.suspension import resume, suspend

ECHO = "import sys\nfor line in sys.stdin:\n    print(line, end='', flush=True)"


@pytest.fixture
def echo():
    """A process that repeats what it is given."""
    with subprocess.Popen(
        [sys.executable, "-c", ECHO], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        process.stdin.write("ready\n")
        process.stdin.flush()
        assert process.stdout.readline() == "ready\n"
        yield process
        process.kill()


def state(pid):
    """The letter by which Linux shows the state of a process."""
    return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]


def test_process_stands_still_when_the_call_returns(echo):
    """No later: what is read of it afterwards does not change."""
    assert suspend([echo.pid]) == [echo.pid]
    assert state(echo.pid) == "T"


def test_process_goes_on_where_it_was(echo):
    """It answers what it was asked meanwhile."""
    suspend([echo.pid])
    echo.stdin.write("meanwhile\n")
    echo.stdin.flush()
    resume([echo.pid])
    assert echo.stdout.readline() == "meanwhile\n"


def test_processes_that_have_ended_are_left_out(echo):
    """They may end at any moment, and are no failure."""
    echo.kill()
    echo.wait()
    assert suspend([echo.pid]) == []
    resume([echo.pid])
