"""Commands under a guardian, with ``sleep`` in place of a broker."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress

import pytest

from plugwright.guarded import GuardedProcess

pytestmark = pytest.mark.slow

SECONDS = 5.0
FOREVER = ["/bin/sh", "-c", "echo $$ > {scratch}/pid; exec sleep 600"]
STUBBORN = ["/bin/sh", "-c", "trap '' TERM; echo $$ > {scratch}/pid; while :; do sleep 1; done"]
OWNER = """
import json, os, sys, time
from pathlib import Path
from plugwright.guarded import GuardedProcess
command, scratch, log, forks = json.loads(sys.argv[1])
process = GuardedProcess([command], scratch=Path(scratch), log=Path(log), environ=os.environ)
if forks and os.fork() == 0:
    time.sleep(20)
    os._exit(0)
print(process.pid, flush=True)
time.sleep(600)
"""


def wait_for(condition):
    """Whether the condition comes true within some seconds."""
    deadline = time.monotonic() + SECONDS
    while not (result := condition()) and time.monotonic() < deadline:
        time.sleep(0.01)
    return result


def is_gone(pid):
    """Whether no such process runs; a zombie counts as gone."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as stream:  # noqa: PTH123  # not a path
            return stream.read().rpartition(")")[2].split()[0] == "Z"
    except (FileNotFoundError, ProcessLookupError):
        return True


@pytest.fixture
def scratch(tmp_path):
    """The directory that goes away with the process."""
    (tmp_path / "scratch").mkdir()
    return tmp_path / "scratch"


@pytest.fixture
def guard(tmp_path, scratch):
    """Starts commands under a guardian; stops them at the end of the test."""
    started = []

    def start(*commands):
        filled = [[part.replace("{scratch}", str(scratch)) for part in one] for one in commands]
        log = tmp_path / "log"
        process = GuardedProcess(filled, scratch=scratch, log=log, environ=os.environ)
        started.append(process)
        return process

    yield start
    [process.stop() for process in started]


def pid_in(scratch):
    """The process id that the command wrote, once it has."""
    file = scratch / "pid"
    text = wait_for(lambda: file.is_file() and file.read_text().strip())
    return int(text)


def test_commands_run_in_order_into_the_log(guard, scratch, tmp_path):
    """Both outputs land in one file; the scratch directory goes."""
    process = guard(["/bin/echo", "first"], ["/bin/sh", "-c", "echo second >&2"])

    assert wait_for(lambda: process.poll() is not None)
    assert process.poll() == 0
    assert (tmp_path / "log").read_text() == "first\nsecond\n"
    assert not scratch.exists()


def test_a_failed_command_is_the_last_one(guard, tmp_path):
    """Its status is the guardian's."""
    process = guard(["/bin/sh", "-c", "exit 7"], ["/bin/echo", "never"])

    wait_for(lambda: process.poll() is not None)

    assert process.poll() == 7
    assert (tmp_path / "log").read_text() == ""


def test_a_killed_command_is_reported_as_by_a_shell(guard, scratch):
    """128 and the number of the signal."""
    process = guard(FOREVER)
    os.kill(pid_in(scratch), signal.SIGKILL)

    wait_for(lambda: process.poll() is not None)

    assert process.poll() == 137


def test_stopping_ends_the_command_and_removes_its_data(guard, scratch):
    """An order by the end of the pipe; a second one does no harm."""
    process = guard(FOREVER)
    pid = pid_in(scratch)

    process.stop()
    process.stop()

    assert process.poll() == 0
    assert is_gone(pid)
    assert not scratch.exists()


@pytest.mark.parametrize(("kill", "last"), [(False, "in order"), (True, "")])
def test_a_command_is_run_again_with_its_data(guard, scratch, kill, last):
    """An orderly end lets the command say goodbye; SIGKILL does not."""
    script = "trap 'echo in order > $0/end; exit 3' TERM; echo x >> $0/starts; echo $$ > $0/pid; "
    process = guard(["/bin/sh", "-c", f"{script} while :; do sleep 0.05; done", str(scratch)])
    first = pid_in(scratch)

    process.restart(kill=kill)

    assert wait_for(lambda: is_gone(first) and pid_in(scratch) not in {0, first})
    assert wait_for(lambda: (scratch / "starts").read_text() == "x\nx\n")
    assert ((scratch / "end").read_text().strip() if (scratch / "end").exists() else "") == last
    assert process.poll() is None


def test_a_command_that_will_not_end_is_killed(scratch, tmp_path):
    """The guardian's patience is bounded; made short here."""
    code = (
        "import sys, plugwright.guarded._guardian as g\n"
        "g._GRACE_SECONDS = 0.05\nsys.exit(g.main(sys.argv[1:]))"
    )
    command = [part.replace("{scratch}", str(scratch)) for part in STUBBORN]
    order = {"owner": os.getpid(), "scratch": str(scratch), "commands": [command], "user": None}
    arguments = [sys.executable, "-c", code, json.dumps(order)]
    with subprocess.Popen(arguments, stdin=subprocess.PIPE) as guardian:
        pid = pid_in(scratch)
        guardian.stdin.close()

    assert guardian.returncode == 0
    assert is_gone(pid)


@pytest.mark.parametrize(
    "forks",
    [
        pytest.param(False, id="alone"),
        pytest.param(True, id="with-a-fork-that-holds-the-pipe", marks=pytest.mark.slow),
    ],
)
def test_kill_9_of_the_owner_ends_the_command(scratch, tmp_path, forks):
    """However the owner ends, its broker and the data go with it."""
    command = [part.replace("{scratch}", str(scratch)) for part in FOREVER]
    order = json.dumps([command, str(scratch), str(tmp_path / "log"), forks])
    with subprocess.Popen(
        [sys.executable, "-c", OWNER, order], stdout=subprocess.PIPE, start_new_session=True
    ) as owner:
        guardian = int(owner.stdout.readline())
        pid = pid_in(scratch)
        owner.kill()
        owner.wait()

        assert wait_for(lambda: is_gone(pid))
        assert wait_for(lambda: is_gone(guardian))
        assert wait_for(lambda: not scratch.exists())
        with suppress(ProcessLookupError):
            os.killpg(owner.pid, signal.SIGKILL)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux ends a process with its parent")
def test_kill_9_of_the_guardian_ends_the_command(guard, scratch):
    """The kernel does it; the owner removes the data."""
    process = guard(FOREVER)
    pid = pid_in(scratch)

    os.kill(process.pid, signal.SIGKILL)

    assert wait_for(lambda: is_gone(pid))
    process.stop()
    assert not scratch.exists()


def test_an_interrupt_from_the_keyboard_is_for_the_owner(guard, scratch):
    """The guardian lives in a session of its own and ignores it."""
    process = guard(FOREVER)
    pid_in(scratch)

    os.kill(process.pid, signal.SIGINT)
    time.sleep(0.02)

    assert process.poll() is None
    assert os.getsid(process.pid) == process.pid


def test_a_terminated_guardian_ends_the_command(guard, scratch):
    """SIGTERM, as a machine sends it when it shuts down, is an order to stop."""
    process = guard(FOREVER)
    pid = pid_in(scratch)

    os.kill(process.pid, signal.SIGTERM)

    assert wait_for(lambda: process.poll() is not None)
    assert is_gone(pid)
    assert not scratch.exists()


def test_no_other_child_of_the_owner_gets_the_pipe(guard, scratch):
    """Spark's JVM must not keep the broker alive after the owner's death."""
    process = guard(FOREVER)
    pid_in(scratch)
    pipe = process._guardian.stdin.fileno()

    listing = f"ls -l /proc/self/fd/{pipe} 2>&1; exit 0"
    seen = subprocess.check_output(["/bin/sh", "-c", listing], close_fds=False, text=True)

    assert not os.get_inheritable(pipe)
    assert "pipe:" not in seen


def test_a_fork_of_the_owner_cannot_stop_the_command(guard, scratch):
    """A worker process that ends in order leaves its parent's broker alone."""
    process = guard(FOREVER)
    pid_in(scratch)
    process._owner = -1

    process.stop()

    assert process.poll() is None
    process._owner = os.getpid()
