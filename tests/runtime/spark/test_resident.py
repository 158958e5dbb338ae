"""Resident tasks on Spark, against a live Kafka: commands, failing, dying."""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.runtime.spark.tickers import Stage, gone, moves

from plugwright.logs import log_formatter, set_level
from plugwright.spark import executor_function

pytestmark = [pytest.mark.spark, pytest.mark.kafka]


@pytest.fixture
def stage(broker, launcher, fresh, tmp_path):
    """Launches tickers, and stops what is left of them."""
    stage = Stage(broker, launcher, fresh, tmp_path)
    yield stage
    for job in stage.jobs:
        job.stop(1.0)


def test_tasks_run_pause_resume_and_stop(stage):
    """With their counters, in processes of their own, and with nothing lost."""
    job = stage.launch("tick", "tick")
    stage.until(job, lambda tasks: moves(0)(tasks) and moves(1)(tasks))
    assert len({status.pid for status in job.statuses} | {os.getpid()}) == 3
    job.pause()
    stage.until(job, lambda tasks: all(t.state == "PAUSED" for t in tasks))
    time.sleep(0.6)
    held = [status.counters["records"] for status in job.statuses]
    time.sleep(0.6)
    assert [status.counters["records"] for status in job.statuses] == held
    job.resume()
    stage.until(job, lambda tasks: moves(0, held[0])(tasks) and moves(1, held[1])(tasks))
    assert job.stop(10.0) is True
    assert [status.state for status in job.statuses] == ["STOPPED", "STOPPED"]
    assert stage.trace().read_text() == "stopped"
    mine = [value for value in stage.values() if value.startswith("hello-0-")]
    assert mine == [f"hello-0-{n}" for n in range(1, len(mine) + 1)]


@pytest.mark.parametrize(
    ("mode", "reason"), [("fail", "the shop is closed"), ("exit", "leaving")], ids=str
)
def test_a_failing_task_fails_alone_and_burns_no_attempt(stage, mode, reason):
    """Its trace has the plugin's own lines; Spark does not try it again."""
    job = stage.launch(mode, "tick")
    stage.until(job, lambda tasks: tasks[0].state == "FAILED")
    failed = job.statuses[0]
    assert reason in failed.trace
    assert "ticker.py" in failed.trace
    assert "failed in poll" in failed.trace
    seen = job.statuses[1].counters["records"]
    stage.until(job, moves(1, seen))
    assert [status.attempt for status in job.statuses] == [0, 0]
    assert job.stop(10.0) is True
    assert [status.state for status in job.statuses] == ["FAILED", "STOPPED"]


def test_a_task_that_executors_of_another_version_cannot_run_fails(stage, monkeypatch):
    """Its trace has Spark's words, in which both versions are."""
    monkeypatch.setattr(executor_function, "__version__", "0.0.9")
    job = stage.launch("tick")
    monkeypatch.undo()

    (status,) = job.statuses
    assert (status.state, status.pid) == ("FAILED", 0)
    assert "spark.other-version" in status.trace
    assert "the driver has Plugwright 0.0.9, and " in status.trace


def test_a_killed_task_restarts_alone(stage):
    """Kill -9 of its process leaves the other one where it is."""
    job = stage.launch("tick", "tick")
    stage.until(job, lambda tasks: moves(0)(tasks) and moves(1)(tasks))
    before = job.statuses
    os.kill(before[0].pid, signal.SIGKILL)
    stage.until(job, lambda tasks: tasks[0].attempt == 1 and tasks[0].state == "RUNNING")
    stage.until(job, moves(0))
    after = job.statuses
    assert after[0].pid not in {0, before[0].pid}
    assert (after[1].pid, after[1].attempt) == (before[1].pid, 0)


def test_a_job_that_spark_ends_goes_on_in_another_one(stage):
    """With all its tasks, each of which counts it as a crash; a stop still ends it."""
    job = stage.launch("tick", "tick")
    stage.until(job, lambda tasks: moves(0)(tasks) and moves(1)(tasks))
    before = [status.pid for status in job.statuses]
    job._cancel()
    stage.until(job, lambda tasks: all(t.pid not in {0, *before} for t in tasks))
    stage.until(job, lambda tasks: moves(0)(tasks) and moves(1)(tasks))
    assert job.stop(10.0) is True
    assert [status.state for status in job.statuses] == ["STOPPED", "STOPPED"]


def test_a_paused_task_that_is_killed_comes_back_paused(stage):
    """The target state is the connector's."""
    job = stage.launch("tick")
    job.pause()
    stage.until(job, lambda tasks: tasks[0].state == "PAUSED")
    os.kill(job.statuses[0].pid, signal.SIGKILL)
    stage.until(job, lambda tasks: tasks[0].attempt == 1 and tasks[0].state == "PAUSED")


def test_a_task_that_does_not_stop_is_killed_and_reported(stage):
    """After the time it was given; its process does not stay."""
    job = stage.launch("stuck")
    stage.wait_for_trace()
    pid = job.statuses[0].pid
    began = time.monotonic()
    assert job.stop(0.5) is False
    assert time.monotonic() - began < 10
    assert job.statuses[0].state == "FAILED"
    verdict, origin, *stack = job.statuses[0].trace.splitlines()
    assert verdict == "the task did not stop within 0.5 s and was killed"
    location = stage.location()
    assert origin == f"plugin ticker.Ticker, version 1.0, location {location}, phase poll"
    assert f'File "{location}/ticker.py", line 30, in poll' in "\n".join(stack)
    assert gone(pid)


def test_a_poll_that_blocks_keeps_nothing_waiting(stage):
    """Offsets are stored, a pause and a resume show, and a stop wakes the poll up."""
    job = stage.launch("wait")
    stage.until(job, lambda tasks: tasks[0].counters.get("records") == 3)
    commits = job.statuses[0].counters["commits"]
    stage.until(job, lambda tasks: tasks[0].counters["commits"] > commits + 2)
    job.pause()
    stage.until(job, lambda tasks: tasks[0].state == "PAUSED")
    job.resume()
    stage.until(job, lambda tasks: tasks[0].state == "RUNNING")
    assert job.stop(10.0) is True
    assert (job.statuses[0].state, stage.trace().read_text()) == ("STOPPED", "stopped")


def test_what_a_plugin_prints_disturbs_nothing_and_is_logged(stage, launcher, caplog):
    """With the task that printed it; a flood is cut and counted, for that task alone."""
    caplog.set_level("INFO")
    caplog.handler.setLevel(logging.NOTSET)
    job = stage.launch("noise", "talk")
    stage.until(job, moves(0, 5))
    stage.until(job, moves(1, 1))
    assert "poll" not in caplog.text  # DEBUG is not yet wanted
    set_level("ticker", logging.DEBUG)
    launcher.set_level("ticker", logging.DEBUG)
    stage.until(job, moves(1, job.statuses[1].counters["records"] + 10))
    stage.until(
        job, lambda _: "were dropped" in caplog.text, 120.0
    )  # once it is more than may pass
    assert job.stop(10.0) is True
    set_level("ticker", logging.NOTSET)
    said = {log_formatter("text").format(r).partition("] ")[2] for r in caplog.records}
    first, second = (f"[{job.name}|task-{task}]" for task in (0, 1))
    assert {
        f"INFO {first} noise on standard error (plugwright.output)",
        f"INFO {first} raw bytes \N{REPLACEMENT CHARACTER}? on descriptor 1 (plugwright.output)",
        f"INFO {second} printed by a child (plugwright.output)",
        f"DEBUG {second} poll {job.statuses[1].counters['records'] - 1} (ticker.talk)",
    } <= said
    assert any(f"WARNING {first}" in line and "were dropped" in line for line in said)


def test_two_locations_with_one_module_name_run_side_by_side(stage):
    """Each has Python workers of its own."""
    jobs = [stage.launch("tick", greeting=greeting) for greeting in ("hello", "servus")]
    for job in jobs:
        stage.until(job, moves(0))
        job.stop(10.0)
    assert {value.partition("-")[0] for value in stage.values()} == {"hello", "servus"}


def test_a_task_whose_driver_has_gone_stops(stage):
    """It is not left running without anybody to stop it."""
    job = stage.launch("tick")
    job._channels[0].close()
    stage.until(job, lambda _: job._ended)
    assert stage.trace().read_text() == "stopped"
    assert job.statuses[0].state == "STOPPED"


DRIVER = """
import sys, time
from plugwright.spark import SparkLauncher, open_session
from tests.runtime.spark.tickers import Stage
from types import SimpleNamespace
from pathlib import Path
from uuid import uuid4

session = open_session("dying-driver")
launcher = SparkLauncher(session)
stage = Stage(
    SimpleNamespace(bootstrap_servers=sys.argv[1]),
    launcher,
    lambda purpose: purpose + uuid4().hex,
    Path(sys.argv[2]),
)
job = stage.launch("tick", "stuck")
print(session.sparkContext._gateway.proc.pid, *[s.pid for s in job.statuses], flush=True)
time.sleep(600)
"""


def test_a_killed_driver_leaves_no_process_behind(broker, tmp_path):
    """Neither the JVM nor the tasks, not even one that hangs."""
    command = [sys.executable, "-c", DRIVER, broker.bootstrap_servers, str(tmp_path)]
    environment = {**os.environ, "PYTHONPATH": str(Path.cwd())}
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment) as process:
        pids = [int(word) for word in process.stdout.readline().split()]
        process.kill()
    assert len(pids) == 3
    assert [pid for pid in pids if not gone(pid)] == []
