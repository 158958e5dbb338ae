"""A certification that is killed leaves nothing behind: no process, no half of a report."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from plugwright_conformance.report import WRITERS

pytestmark = [pytest.mark.spark, pytest.mark.kafka]

PLUGIN_PATH = Path(__file__).parents[2] / "plugin-path"
PLUGWRIGHT = Path(sys.executable).with_name("plugwright")
REPORT_FILES = {"certificate.json", *(writer.file_name for writer in WRITERS)}


def descendants(root: int) -> set[int]:
    """Every process below ``root``, as /proc has it."""
    children: dict[int, list[int]] = {}
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = status.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        children.setdefault(int(fields[1]), []).append(int(status.parent.name))
    found, waiting = set(), [root]
    while waiting:
        below = children.get(waiting.pop(), [])
        found.update(below)
        waiting += below
    return found


def alive(processes: set[int]) -> set[int]:
    """Those that still run and are no zombies."""
    return {pid for pid in processes if _state(pid) not in {"", "Z"}}


def _state(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return ""


@pytest.mark.parametrize("sent", [signal.SIGKILL, signal.SIGTERM], ids=["kill -9", "SIGTERM"])
def test_a_killed_run_leaves_nothing(sent, tmp_path):
    """Neither a JVM, nor a Python worker, nor a part of a report outlives the command."""
    location = PLUGIN_PATH / "file-sink"
    command = [str(PLUGWRIGHT), "certify", str(location), "--report", str(tmp_path / "report")]
    log = tmp_path / "progress.txt"
    with log.open("w") as file:
        run = subprocess.Popen(command, stdout=file, stderr=subprocess.STDOUT)
    deadline = time.monotonic() + 120
    while "PLG-PKG-03" not in log.read_text() and run.poll() is None:
        assert time.monotonic() < deadline, log.read_text()
        time.sleep(0.1)
    started = descendants(run.pid)

    run.send_signal(sent)
    run.wait(30)

    left = alive(started)
    while left and time.monotonic() < deadline:
        time.sleep(0.2)
        left = alive(left)
    assert len(started) >= 2, log.read_text()  # the broker's JVM and Spark's
    assert left == set()
    written = {path.name for path in (tmp_path / "report" / "file-sink").glob("*")}
    assert written in (set(), REPORT_FILES)
