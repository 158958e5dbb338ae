"""A supervised command: whatever it started, and however it is interrupted, nothing is left."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

PROGRAM = """
import os, signal, subprocess, sys, tempfile, time
from plugwright.cli import Command, main, supervised

def run(parsed):
{body}

command = Command("do", "do something", lambda parser: None, run, supervised=True)
{watch}
sys.argv[:] = ["plugwright", "do"]
main(None, {{"do": command}})
"""
STARTS = "tempfile.mkstemp(); print(os.getpid(), flush=True)"
HANGS = f"{STARTS}\ntime.sleep(600)"
STUCK = f"""
while True:
    try:
        {STARTS}
        time.sleep(600)
    except KeyboardInterrupt:
        print("no", file=sys.stderr, flush=True)
"""
DAEMON = """
stubborn = "import signal as s, time; s.signal(s.SIGTERM, s.SIG_IGN); time.sleep(600)"
starter = (
    "import subprocess, sys\\n"
    f"started = subprocess.Popen([sys.executable, '-c', {stubborn!r}], start_new_session=True)\\n"
    "print(started.pid, flush=True)\\n"
)
subprocess.run([sys.executable, "-c", starter], env={}, check=True)
"""
"""A process that has left everything by which it could be found, but is somebody's orphan."""


@contextmanager
def running(tmp_path, body, *, watch="", **habits):
    """A command that does this, watched so, with a directory for its temporary files."""
    program = PROGRAM.format(body=textwrap.indent(body, "    "), watch=watch)
    ending = [sys.executable, "-c", program]
    pipe = subprocess.PIPE
    variables = {**os.environ, "TMPDIR": str(tmp_path)}
    with subprocess.Popen(
        ending, env=variables, stdout=pipe, stderr=pipe, text=True, **habits
    ) as process:
        try:
            yield process
        finally:
            process.kill()


PATIENT = "supervised._GRACE_S = 600.0"
"""A stop of the machine is no reason to kill what ends in order."""


def is_there(pid):
    """Whether a process runs."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def gone(pid):
    """Wait until a process has ended."""
    while is_there(pid):
        time.sleep(0.01)
    return True


@pytest.mark.parametrize("code", [0, 2, 4])
def test_the_status_of_the_command_is_that_of_the_program(tmp_path, code):
    """With all that it has printed; its temporary files are removed."""
    with running(tmp_path, f"{STARTS}\nprint('done')\nreturn {code}") as process:
        said, errors = process.communicate(timeout=60)

    assert (process.returncode, errors) == (code, "")
    assert said.splitlines()[1:] == ["done"]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_the_command_and_is_its_status(tmp_path, number):
    """As shells count it; one line says so."""
    with running(tmp_path, HANGS) as process:
        pid = int(process.stdout.readline())
        assert pid != process.pid
        assert list(tmp_path.glob("plugwright-*/tmp*"))
        process.send_signal(number)
        said, errors = process.communicate(timeout=60)

    assert (process.returncode, said, errors) == (128 + number, "", "interrupted\n")
    assert not is_there(pid)
    assert list(tmp_path.iterdir()) == []


def test_the_command_ends_in_order(tmp_path):
    """Whatever it has opened outside is closed; what it says of its own end is of no interest."""
    done = tmp_path / "done"
    body = f"""
try:
    {STARTS}
    time.sleep(600)
except KeyboardInterrupt:
    open({str(done)!r}, "w").close()
    raise RuntimeError("cut off")
"""
    with running(tmp_path, body, watch=PATIENT) as process:
        process.stdout.readline()
        process.send_signal(signal.SIGTERM)
        _, errors = process.communicate()

    assert (process.returncode, errors) == (143, "interrupted\n")
    assert list(tmp_path.iterdir()) == [done]


def test_a_closed_terminal_that_tells_twice_is_one_signal(tmp_path):
    """Its shell tells, too; what ends in order may go on doing so."""
    body = f"""
try:
    {STARTS}
    time.sleep(600)
except KeyboardInterrupt:
    os.kill(os.getppid(), signal.SIGHUP)
    time.sleep(0.3)
    open({str(tmp_path / "done")!r}, "w").close()
"""
    with running(tmp_path, body, watch=PATIENT) as process:
        process.stdout.readline()
        process.send_signal(signal.SIGHUP)
        process.communicate()

    assert process.returncode == 129
    assert (tmp_path / "done").exists()


def test_a_request_that_interrupts_nothing_is_repeated(tmp_path):
    """As one that comes while Python enters a system call: the call goes on, to its end."""
    done = tmp_path / "done"
    body = f"""
interrupt = signal.getsignal(signal.SIGTERM)
signal.signal(signal.SIGTERM, lambda *_: signal.signal(signal.SIGTERM, interrupt))
try:
    {STARTS}
    time.sleep(600)
except KeyboardInterrupt:
    open({str(done)!r}, "w").close()
"""
    with running(tmp_path, body, watch=PATIENT) as process:
        process.stdout.readline()
        process.send_signal(signal.SIGINT)
        process.communicate()

    assert process.returncode == 130
    assert done.exists()


def test_a_second_signal_kills_what_does_not_end(tmp_path):
    """Without waiting any longer."""
    with running(tmp_path, STUCK) as process:
        pid = int(process.stdout.readline())
        process.send_signal(signal.SIGINT)
        process.send_signal(signal.SIGTERM)
        _, errors = process.communicate(timeout=15)

    assert (process.returncode, errors) == (130, "interrupted\n")
    assert not is_there(pid)
    assert list(tmp_path.iterdir()) == []


def test_an_orphan_is_found_and_killed(tmp_path):
    """Though it has a session of its own, no variables, and ignores requests."""
    with running(tmp_path, f"{DAEMON}\n{HANGS}") as process:
        orphan = int(process.stdout.readline())
        pid = int(process.stdout.readline())
        assert is_there(orphan)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)

    assert not is_there(orphan)
    assert not is_there(pid)


def test_a_command_that_is_killed_ends_the_program(tmp_path):
    """With the status that a shell would show."""
    with running(tmp_path, HANGS) as process:
        os.kill(int(process.stdout.readline()), signal.SIGKILL)
        process.communicate(timeout=60)

    assert process.returncode == 137
    assert list(tmp_path.iterdir()) == []


def test_the_command_ends_with_the_program(tmp_path):
    """Also when that is killed, and can report nothing."""
    with running(tmp_path, HANGS) as process:
        pid = int(process.stdout.readline())
        process.kill()
        process.wait()

        assert gone(pid)


def test_what_is_ignored_is_not_heeded(tmp_path):
    """As nohup sets it."""
    ignored = {"preexec_fn": lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN)}
    body = f"{STARTS}\nsys.stdin.readline()\nreturn 4"
    with running(tmp_path, body, stdin=subprocess.PIPE, **ignored) as process:
        process.stdout.readline()
        process.send_signal(signal.SIGHUP)
        process.communicate("go on\n", timeout=60)

    assert process.returncode == 4
