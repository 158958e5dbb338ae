"""A worker of its own: when it is started, and what the check says if it does not come up."""

from __future__ import annotations

import os
import select
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pytest
from tests.conformance.execution.test_runner import check

from plugwright_conformance.evidence.outcome import CheckFailedError, Evidence
from plugwright_conformance.live import killable_driver as driver
from plugwright_conformance.live.killable_driver import KillableDriver
from plugwright_conformance.live.system import LiveSystem
from plugwright_conformance.processes.quiet_time import QuietTime

NOWHERE = SimpleNamespace(root=SimpleNamespace(resolve=lambda: "/nowhere"))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("body", "patience_s", "observed"),
    [
        ("import sys; sys.exit('no Java here')", 60.0, "no Java here"),
        ("import time; time.sleep(60)", 0.5, "nothing within 0.5 s, and last: no output"),
    ],
    ids=["ended", "late"],
)
def test_one_that_does_not_come_up_is_told(tmp_path, monkeypatch, body, patience_s, observed):
    """With its last words, or how long was waited for it."""
    script = tmp_path / "body.py"
    script.write_text(body)
    monkeypatch.setattr(driver, "__file__", str(script))
    monkeypatch.setattr(driver, "_START_S", patience_s)
    monkeypatch.setattr(driver, "QuietTime", partial(QuietTime, contended=lambda: 0.0))
    doomed = KillableDriver()

    with pytest.raises(CheckFailedError) as failure:
        doomed.run(NOWHERE, {}, [])
    doomed.kill()

    assert failure.value.expected == "tasks that run in a worker of their own"
    assert failure.value.observed == observed


@pytest.mark.slow
def test_one_that_was_killed_has_ended_with_what_is_below_it(tmp_path, monkeypatch):
    """Its own process and one that it has started; both are gone, and so are its files."""
    script = tmp_path / "body.py"
    script.write_text(
        "import subprocess, sys\n"
        "below = subprocess.Popen(['sleep', '60'])\n"
        "sys.stdin.readline()\n"
        f"open({str(tmp_path / 'seen')!r}, 'w').write(f'{{below.pid}} {{sys.argv[1]}}')\n"
        "print('running', flush=True)\n"
        "sys.stdin.read()\n"
    )
    monkeypatch.setattr(driver, "__file__", str(script))
    doomed = KillableDriver()
    doomed.run(NOWHERE, {}, [])
    below, scratch = (tmp_path / "seen").read_text().split()

    handle = os.pidfd_open(int(below))
    assert doomed.kill() == 2
    ended, _, _ = select.select([handle], [], [], 10)
    os.close(handle)

    assert ended == [handle]
    assert not Path(scratch).exists()
    assert doomed.kill() == 0


@pytest.mark.slow
def test_what_others_may_read_is_shown(tmp_path, monkeypatch):
    """Files of Spark in two directories, and arguments and environments of all processes."""
    script = tmp_path / "body.py"
    script.write_text(
        "import pathlib, subprocess, sys\n"
        "pathlib.Path(sys.argv[1], 'spark.log').write_text('logged')\n"
        "subprocess.Popen(['sleep', '61'], env={'WORD': 'known'})\n"
        "sys.stdin.readline()\n"
        "print('running', flush=True)\n"
        "sys.stdin.read()\n"
    )
    checkpoints = tmp_path / "checkpoints"
    checkpoints.mkdir()
    (checkpoints / "offsets").write_text("noted")
    monkeypatch.setattr(driver, "__file__", str(script))
    doomed = KillableDriver()
    doomed.run(NOWHERE, {}, [])

    shown = list(doomed.shown(checkpoints))
    doomed.kill()

    assert ("Spark's file spark.log", "logged") in shown
    assert ("Spark's file offsets", "noted") in shown
    assert ("the cmdline of a process", "sleep 61 ") in shown
    assert ("the environ of a process", "WORD=known ") in shown


class Fake:
    """What happens to worker processes, without any."""

    def __init__(self, said):
        self.said = said
        said.append("started")

    def run(self, *_):
        """Any job will do."""
        self.said.append("run")

    def kill(self):
        """Without a process."""
        self.said.append("killed")


@pytest.fixture
def said(monkeypatch):
    """What happens to worker processes, in its order."""
    said = []
    monkeypatch.setattr(driver, "KillableDriver", lambda: Fake(said))
    monkeypatch.setattr("plugwright.kafka.TopicWriter", lambda _: None)
    return said


@pytest.fixture
def live(said):
    """A live system without a broker or Spark."""
    return LiveSystem(SimpleNamespace(bootstrap_servers="localhost:1"), None, "run", {})


def test_one_is_started_with_the_first_live_check_of_a_run_that_needs_one(run, live, said):
    """Not before, not twice, and not again once it was taken."""

    def lose(bench):
        with bench.live.killable_driver(bench.subject, {"a": {}}):
            said.append("lost")
        return Evidence(1)

    def tell(number):
        return lambda _: said.append(f"check {number}") or Evidence(1)

    alive = {"live": True, "engines": ("resident",)}
    needy = check(3, lose, other_driver=True, **alive)
    live_ones = [check(n, tell(n), **alive) for n in (2, 4)]
    run("file-sink", registry=[check(1, tell(1)), live_ones[0], needy, live_ones[1]], live=live)
    live.close()

    assert said == ["started", "check 2", "run", "lost", "killed", "check 4"]


def test_none_is_started_for_a_run_that_needs_none(run, live, said):
    """Live checks alone are no reason."""
    run("file-sink", registry=[check(1, lambda _: Evidence(1), live=True)], live=live)

    assert said == []


def test_one_that_nobody_has_taken_ends_with_the_live_system(live, said):
    """Once."""
    live.start_driver()
    live.start_driver()
    live.close()
    live.close()

    assert said == ["started", "killed"]
