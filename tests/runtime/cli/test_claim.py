"""The file that says which process runs ``plugwright up``."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import contextmanager

import pytest

from plugwright.cli.claim import claimed, end_claim
from plugwright.errors import IllegalWorkerStateError

HOLDER = """
import signal, sys
from pathlib import Path
from plugwright.cli.claim import claimed
with claimed(Path(sys.argv[1])) as write:
    write({"rest": "http://127.0.0.1:1"})
    print("claimed", flush=True)
    signal.sigwait({signal.SIGTERM})
    Path(sys.argv[1] + ".ended").touch()
"""

SLOW_WRITER = """
import fcntl, json, os, signal, sys, time
with open(sys.argv[1], "w") as stream:
    fcntl.lockf(stream, fcntl.LOCK_EX)
    print("claimed", flush=True)
    time.sleep(0.3)
    json.dump({"pid": os.getpid()}, stream)
    stream.flush()
    signal.sigwait({signal.SIGTERM})
"""
_BLOCKED = "import signal; signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})\n"


@pytest.fixture
def file(tmp_path):
    """In a cache directory that does not exist yet."""
    return tmp_path / "cache" / "up.json"


@pytest.fixture
def holder(file):
    """Another process that holds the claim, and waits for SIGTERM with the signal blocked."""
    with _running(HOLDER, file) as process:
        yield process


@contextmanager
def _running(program, file):
    with subprocess.Popen(
        [sys.executable, "-c", _BLOCKED + program, str(file)], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout.readline() == "claimed\n"
        yield process
        process.kill()


def test_the_file_is_there_while_the_block_runs(file):
    """With what was written last, and the process."""
    with claimed(file) as write:
        write({"rest": "http://127.0.0.1:8083"})
        assert json.loads(file.read_text("utf-8")) == {
            "pid": os.getpid(),
            "rest": "http://127.0.0.1:8083",
        }

    assert list(file.parent.iterdir()) == []


@pytest.mark.slow
def test_there_is_one_at_a_time(file, holder):
    """The second is refused with the address of the first."""
    with (
        pytest.raises(
            IllegalWorkerStateError, match=r"already running at http://127\.0\.0\.1:1$"
        ) as raised,
        claimed(file),
    ):
        pytest.fail("two at a time")

    assert (raised.value.code, raised.value.facts["pid"]) == ("up.runs-already", holder.pid)


@pytest.mark.slow
def test_ending_waits_until_the_process_has_let_go(file, holder):
    """It returns what the process wrote about itself."""
    ended = end_claim(file)

    assert ended == {"pid": holder.pid, "rest": "http://127.0.0.1:1"}
    assert file.with_name("up.json.ended").exists()
    assert not file.exists()
    assert holder.wait(10) == 0


@pytest.mark.slow
def test_what_a_killed_process_left_counts_for_nothing(file, holder):
    """Its number may be another process's by now, which is not touched."""
    holder.kill()
    holder.wait()
    assert file.exists()

    assert end_claim(file) is None
    with claimed(file) as write:
        write({"rest": "here"})
        assert json.loads(file.read_text("utf-8"))["rest"] == "here"


def test_nothing_to_end(file):
    """Neither a file nor a directory is made."""
    assert end_claim(file) is None
    assert not file.parent.exists()


@pytest.mark.slow
def test_a_process_that_has_yet_to_say_who_it_is_is_waited_for(file):
    """It holds the lock before it has written."""
    file.parent.mkdir()
    with _running(SLOW_WRITER, file) as process:
        assert end_claim(file) == {"pid": process.pid}
        assert process.wait(10) == 0
