"""Code that spins is seen as spinning, also where others want the same cores."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from plugwright_conformance.processes import cpu_share
from plugwright_conformance.processes.cpu_share import CpuShare, Patience, waited_s, worked_s

_SPIN = "import sys, time\nwhile time.monotonic() < float(sys.argv[1]): pass"


def _spin(seconds):
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        pass


@pytest.mark.slow
@pytest.mark.skipif(not cpu_share._SCHEDULER.exists(), reason="only Linux counts the waiting")
def test_a_crowded_machine_hides_no_spinning():
    """Four rivals for each core, so that the plain share would be about a fifth."""
    until = str(time.monotonic() + 1.2)
    rivals = [
        subprocess.Popen([sys.executable, "-c", _SPIN, until])
        for _ in range(4 * len(os.sched_getaffinity(0)))
    ]
    share = CpuShare()
    _spin(1)
    found = share.so_far()
    for rival in rivals:
        rival.wait()

    assert found > 0.7


@pytest.mark.slow
@pytest.mark.skipif(not cpu_share._SCHEDULER.exists(), reason="only Linux counts the waiting")
def test_the_queue_of_another_process_is_seen():
    """Two that spin on one core wait for each other half of the time."""
    core = {min(os.sched_getaffinity(0))}
    until = str(time.monotonic() + 60)
    rivals = [subprocess.Popen([sys.executable, "-c", _SPIN, until]) for _ in "12"]
    for rival in rivals:
        os.sched_setaffinity(rival.pid, core)
    time.sleep(1)
    found = [waited_s(rival.pid) for rival in rivals]
    for rival in rivals:
        rival.kill()
        rival.wait()

    assert min(found) > 0.1


_READY = """
import os, time
os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
print(flush=True)
"""


@pytest.fixture
def crowded():
    """Starts a process beside a rival that spins on the same core, and waits until it is there."""
    started = []

    def start(body):
        for text in ("while True: pass", body):
            command = [sys.executable, "-c", f"{_READY}{text}"]
            made = subprocess.Popen(command, stdout=subprocess.PIPE, start_new_session=True)
            started.append(made)
            made.stdout.readline()
        return made.pid

    yield start
    for process in started:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


@pytest.mark.slow
@pytest.mark.skipif(not cpu_share._SCHEDULER.exists(), reason="only Linux counts the waiting")
@pytest.mark.parametrize(
    ("body", "waits"),
    [
        ("while True: pass", True),
        ("if os.fork(): os.wait()\nwhile True: pass", True),
        ("time.sleep(60)", False),
    ],
    ids=["itself", "forked", "idle"],
)
def test_patience_is_not_lost_in_the_queue(crowded, body, waits):
    """With a rival on the same core; who sleeps loses it all the same."""
    patience, begun = Patience(crowded(body), 1.0), time.monotonic()
    while time.monotonic() - begun < 2:
        time.sleep(0.1)
        left_s = patience.left_s()
    queued_s = left_s + time.monotonic() - begun - 1.0

    assert (queued_s > 0.3) is waits


_STARTS = """
import subprocess, sys, threading
spin = "while True: pass"
both = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {spin!r}])"
threading.Thread(target=subprocess.run, args=([sys.executable, "-c", both],)).start()
"""


@pytest.mark.slow
@pytest.mark.skipif(not cpu_share._SCHEDULER.exists(), reason="only Linux counts the waiting")
@pytest.mark.parametrize("work_s", [0.0, 0.5])
def test_patience_with_the_work_of_programs_is_bounded(crowded, work_s):
    """A program that a program of a thread has started computes for ever."""
    starter = crowded(_STARTS)
    patience = Patience(starter, 1.0, work_s=work_s)
    plain = Patience(starter, 1.0)
    while sum(worked_s(number) for number in cpu_share._started_by(starter)) < 3:
        time.sleep(0.1)

    assert patience.left_s() - plain.left_s() == pytest.approx(work_s, abs=0.2)


@pytest.mark.slow
@pytest.mark.skipif(not cpu_share._SCHEDULER.exists(), reason="only Linux counts the waiting")
def test_the_work_of_programs_that_have_ended_counts():
    """No measurement came while they were there."""
    spin = [sys.executable, "-ISc", "import time\nwhile time.process_time() < 0.5: pass"]
    patience = Patience(os.getpid(), 1.0, work_s=9.0)
    subprocess.run(spin, check=True)
    patience.left_s()

    assert patience.work_s() == pytest.approx(0.5, abs=0.2)


@pytest.mark.slow
@pytest.mark.skipif(not cpu_share._SCHEDULER.exists(), reason="only Linux counts the waiting")
def test_patience_that_is_renewed_leaves_out_as_much_again():
    """The limit is for what has computed since, and nothing before it counts for or against."""
    spin = [sys.executable, "-ISc", "import time\nwhile time.process_time() < 0.5: pass"]
    patience = Patience(os.getpid(), 60.0, work_s=0.7)
    plain = Patience(os.getpid(), 60.0, work_s=9.0)

    subprocess.run(spin, check=True)
    patience.renew()
    afresh_s = patience.work_s()
    subprocess.run(spin, check=True)
    difference_s = plain.left_s() - patience.left_s()

    assert afresh_s == 0
    assert patience.work_s() == pytest.approx(0.5, abs=0.15)
    assert difference_s == pytest.approx(0.0, abs=0.15)


def test_threads_do_not_wait_longer_than_time_takes(monkeypatch):
    """Who spins in a hundred threads would never be late."""
    waits = iter([3.0, 5.0, 4.0])
    entries = [Path(f"/proc/1/task/{n}/schedstat") for n in range(3)]
    monkeypatch.setattr(cpu_share, "_of_threads", lambda *_: entries)
    monkeypatch.setattr(cpu_share, "_waited_s", lambda _: next(waits))

    assert waited_s(1) == 5.0


@pytest.mark.parametrize("error", [FileNotFoundError, ProcessLookupError])
def test_a_process_may_end_while_it_is_looked_at(monkeypatch, error):
    """Between the look whether its directory is there and the look into it."""

    def vanish(*_):
        raise error

    monkeypatch.setattr(os, "scandir", vanish)

    assert waited_s(os.getpid()) == 0.0


def test_a_process_that_is_gone_waits_for_nothing():
    """Nor does one that never was."""
    assert waited_s(0) == 0.0


def test_waiting_is_no_work(monkeypatch):
    """Half a second of work in two seconds, of which one was spent in the queue for a core."""
    cpu, clock, waited = iter([0.0, 0.5]), iter([10.0, 12.0]), iter([3.0, 4.0])
    monkeypatch.setattr(time, "process_time", lambda: next(cpu))
    monkeypatch.setattr(time, "monotonic", lambda: next(clock))
    monkeypatch.setattr(cpu_share, "_waited_s", lambda: next(waited))

    assert CpuShare().so_far() == 0.5


def test_a_system_that_does_not_count_has_no_waiting(monkeypatch, tmp_path):
    """The share is then that of the whole time."""
    monkeypatch.setattr(cpu_share, "_SCHEDULER", tmp_path / "none")

    assert cpu_share._waited_s() == 0.0
