"""A process that Spark has started, and Spark goes while it is busy with something else."""

from __future__ import annotations

import signal
import subprocess
import sys

CODE = """
import sys, time
from plugwright.spark.daemon import ended_by_hangup
{before}
with ended_by_hangup():
    print("busy", flush=True)
    {inside}
print("not busy", flush=True)
sys.stdin.read()
"""


def _started(before="", inside="time.sleep(600)"):
    return subprocess.Popen(
        [sys.executable, "-c", CODE.format(before=before, inside=inside)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def test_a_busy_process_ends_with_who_started_it():
    """As Spark's daemon does while it imports."""
    with _started() as process:
        assert process.stdout.readline() == "busy\n"
        process.stdin.close()
        assert process.wait(60) == -signal.SIGIO


def test_who_has_gone_before_is_noticed():
    """The kernel tells of what happens, not of what has happened."""
    with _started(before="assert not sys.stdin.read()") as process:
        process.stdin.close()
        assert process.wait(60) == 1
        assert process.stdout.read() == ""


def test_afterwards_the_process_looks_itself():
    """It ends in its own way when its input does."""
    with _started(inside="pass") as process:
        assert process.stdout.read(len("busy\nnot busy\n")) == "busy\nnot busy\n"
        process.stdin.close()
        assert process.wait(60) == 0
