"""A worker of its own: when it is started, and what the check says if it does not come up."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import time
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pytest
from tests.conformance.execution.given_checks import check

from plugwright.processes import children
from plugwright_conformance.evidence.outcome import CheckFailedError, Evidence, NotRunError
from plugwright_conformance.live import killable_driver as driver
from plugwright_conformance.live.killable_driver import KillableDriver
from plugwright_conformance.live.spark_cluster import SparkChoice
from plugwright_conformance.live.system import LiveSystem
from plugwright_conformance.processes.quiet_time import QuietTime

DRIVER = "spark://CoarseGrainedScheduler@10.0.0.1:4711"
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
def test_one_that_does_not_come_up_is_reported(tmp_path, monkeypatch, body, patience_s, observed):
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
    monkeypatch.setattr(driver, "KillableDriver", lambda _: Fake(said))
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


def test_one_that_was_not_taken_ends_with_the_live_system(live, said):
    """Once."""
    live.start_driver()
    live.start_driver()
    live.close()
    live.close()

    assert said == ["started", "killed"]


@pytest.fixture
def on_a_cluster(tmp_path, monkeypatch):
    """A worker whose tasks run in executors that it has not started; says one line when asked."""
    script = tmp_path / "body.py"

    def on_a_cluster(line):
        script.write_text(
            "import json, sys\n"
            "spark = json.loads(sys.stdin.readline())\n"
            "assert spark['settings'] == {'spark.driver.port': '7002'}, spark\n"
            "sys.stdin.readline()\n"
            f"print({line!r}, flush=True)\n"
            "sys.stdin.read()\n"
        )
        monkeypatch.setattr(driver, "__file__", str(script))
        choice = SparkChoice("spark://127.0.0.1:7077", {"spark.driver.port": "7002"})
        return stack.enter_context(_closed(KillableDriver(choice)))

    with ExitStack() as stack:
        yield on_a_cluster


@contextmanager
def _closed(doomed):
    try:
        yield doomed
    finally:
        doomed.kill()


@pytest.fixture
def executor():
    """A process that looks like an executor of a driver, and one below it."""
    words = ["java", "-c", "sleep 60 & wait", "a.CoarseGrainedExecutorBackend", DRIVER]
    with subprocess.Popen(words, executable="/bin/sh") as process:
        while not list(children(process.pid)):
            time.sleep(0.01)
        yield process
        process.kill()


@pytest.mark.slow
def test_on_a_cluster_its_executors_here_are_killed_with_it(on_a_cluster, executor):
    """Though they are no children of it, and what is below them too."""
    doomed = on_a_cluster(f'running {{"driver": "{DRIVER}", "count": 1}}')
    doomed.run(NOWHERE, {}, [])

    shown = list(doomed.shown())
    killed = doomed.kill()

    assert any("CoarseGrainedExecutorBackend" in text for _, text in shown)
    assert (killed, executor.wait(10)) == (3, -signal.SIGKILL)


@pytest.mark.slow
def test_executors_elsewhere_cannot_be_suspended_or_looked_at(on_a_cluster, executor):
    """That is no fault of a plugin; one of two is as bad as both."""
    doomed = on_a_cluster(f'running {{"driver": "{DRIVER}", "count": 2}}')
    doomed.run(NOWHERE, {}, [])

    with pytest.raises(NotRunError, match="not measured: 1 of 2 executors cannot be suspended"):
        doomed.suspend([""])
    with pytest.raises(NotRunError, match="not measured: 1 of 2 executors show nothing"):
        list(doomed.shown())


@pytest.mark.slow
def test_cluster_that_cannot_run_tasks_is_no_fault_of_a_plugin(on_a_cluster):
    """Its words are the reason."""
    doomed = on_a_cluster("unready it has 2 slots, and 4 are needed")

    with pytest.raises(NotRunError, match=r"^not measured: it has 2 slots, and 4 are needed$"):
        doomed.run(NOWHERE, {}, [])
