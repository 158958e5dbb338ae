"""Tasks that share processes on Spark, against a live Kafka."""

from __future__ import annotations

import logging
import os
import signal

import pytest
from tests.runtime.spark.tickers import Stage, gone, moves

from plugwright.logs import log_formatter
from plugwright.spark import SparkLauncher, executor_function

pytestmark = [pytest.mark.spark, pytest.mark.kafka]

SIZE = 4


@pytest.fixture(scope="module")
def sharing(spark_session):
    """Puts up to four tasks into a process."""
    launcher = SparkLauncher(spark_session, tasks_per_process=SIZE)
    yield launcher
    launcher.close()


@pytest.fixture
def stage(broker, sharing, fresh, tmp_path):
    """Launches tickers, and stops what is left of them."""
    stage = Stage(broker, sharing, fresh, tmp_path)
    yield stage
    for job in stage.jobs:
        job.stop(1.0)


def _pids(*jobs):
    return [status.pid for job in jobs for status in job.statuses]


def _of(job, values, task=0):
    """The numbers of a task's records, as they arrived."""
    return [int(value.split("-")[2]) for value in values if value.startswith(f"hello-{task}-")]


def test_tasks_of_several_connectors_share_a_process(stage):
    """Each is paused, resumed and stopped by itself, and nothing is lost."""
    first, second = stage.launch("tick", "tick"), stage.launch("tick")
    assert len({*_pids(first, second)} | {os.getpid()}) == 2
    first.pause()
    stage.until(first, lambda tasks: all(t.state == "PAUSED" for t in tasks))
    stage.until(second, moves(0, second.statuses[0].counters.get("records", 0) + 5))
    first.resume()
    stage.until(first, lambda tasks: moves(0, 5)(tasks) and moves(1, 5)(tasks))
    pid = first.statuses[0].pid
    assert first.stop(10.0) is True
    assert [status.state for status in first.statuses] == ["STOPPED", "STOPPED"]
    stage.until(second, moves(0, second.statuses[0].counters["records"] + 5))
    assert second.statuses[0].pid == pid
    assert second.stop(10.0) is True
    assert gone(pid)
    mine = _of(first, stage.values(), task=1)
    assert mine == [*range(1, len(mine) + 1)]


def test_a_process_has_no_more_tasks_than_it_may(stage):
    """The next one goes into another process, which gets those that follow."""
    jobs = [stage.launch("tick", "tick", "tick"), stage.launch("tick", "tick")]
    assert [len(set(_pids(job))) for job in jobs] == [1, 2]
    assert len(set(_pids(*jobs))) == 2


@pytest.mark.parametrize(
    ("mode", "reason"), [("fail", "the shop is closed"), ("exit", "leaving")], ids=str
)
def test_a_failing_task_fails_alone(stage, mode, reason):
    """Its neighbours stay where they are."""
    job = stage.launch("tick", mode, "tick")
    stage.until(job, lambda tasks: tasks[1].state == "FAILED")
    assert reason in job.statuses[1].trace
    seen = job.statuses[2].counters.get("records", 0)
    stage.until(job, moves(2, seen))
    assert len(set(_pids(job))) == 1
    assert [status.attempt for status in job.statuses] == [0, 0, 0]
    assert job.stop(10.0) is True
    assert [status.state for status in job.statuses] == ["STOPPED", "FAILED", "STOPPED"]


def test_a_process_that_never_connects_fails_its_tasks(stage, monkeypatch):
    """With Spark's words about it."""
    monkeypatch.setattr(executor_function, "__version__", "0.0.9")
    job = stage.launch("tick", "tick")

    assert [status.state for status in job.statuses] == ["FAILED", "FAILED"]
    assert all("the driver has Plugwright 0.0.9" in status.trace for status in job.statuses)


def test_a_crash_takes_the_neighbours_and_all_come_back(stage):
    """In two processes then; nothing is lost, and the message names the last call that began.

    That may be a neighbour's, if its thread got the floor between the crashing call and the crash.
    """
    job = stage.launch("tick", "tick", "crash")
    former = job.statuses[0].pid
    stage.crash(2)
    stage.until(job, lambda tasks: all(t.attempt == 1 and t.pid for t in tasks))
    stage.until(job, lambda tasks: all(moves(n, 5)(tasks) for n in range(3)))
    after = job.statuses
    assert former not in _pids(job)
    assert len(set(_pids(job))) == 2
    (words,) = {str(status.last_exit) for status in after}
    named = [f"was killed by SIGABRT in poll of {job.name}-{number}" for number in range(3)]
    assert words in {each[: len("was killed by SIGABRT in ") + 48] for each in named}
    assert job.stop(10.0) is True
    for task in range(3):
        mine = _of(job, stage.values(), task)
        assert sorted(set(mine)) == [*range(1, max(mine) + 1)]


def test_a_task_that_does_not_stop_ends_the_process_and_the_others_come_back(stage):
    """Its end is no crash of theirs."""
    stuck, other = stage.launch("stuck"), stage.launch("tick", "tick")
    stage.wait_for_trace()
    pid = stuck.statuses[0].pid
    assert pid == other.statuses[0].pid
    assert stuck.stop(0.5) is False
    assert stuck.statuses[0].state == "FAILED"
    assert "did not stop within 0.5 s" in stuck.statuses[0].trace
    assert gone(pid)
    stage.until(other, lambda tasks: all(t.pid not in {0, pid} for t in tasks))
    seen = [status.counters.get("records", 0) for status in other.statuses]
    stage.until(other, lambda tasks: moves(0, seen[0])(tasks) and moves(1, seen[1])(tasks))
    assert [(status.attempt, status.last_exit) for status in other.statuses] == [(0, None)] * 2
    assert other.stop(10.0) is True


def test_a_killed_process_comes_back_paused(stage):
    """The target state is the connector's."""
    job = stage.launch("tick", "tick")
    job.pause()
    stage.until(job, lambda tasks: all(t.state == "PAUSED" for t in tasks))
    os.kill(job.statuses[0].pid, signal.SIGKILL)
    stage.until(job, lambda tasks: all(t.attempt == 1 and t.state == "PAUSED" for t in tasks))


def test_a_busy_task_gets_a_process_of_its_own(stage):
    """It goes on where it was, and its neighbours notice nothing."""
    job = stage.launch("tick", "busy", "tick")
    former = _pids(job)
    stage.until(job, lambda tasks: tasks[1].pid not in {0, former[1]}, 60.0)
    records = job.statuses[1].counters.get("records", 0)
    stage.until(job, moves(1, records + 2))
    after = job.statuses
    assert [after[0].pid, after[2].pid] == [former[0], former[2]]
    assert [status.attempt for status in after] == [0, 0, 0]
    assert job.stop(10.0) is True
    mine = _of(job, stage.values(), task=1)
    assert sorted(set(mine)) == [*range(1, max(mine) + 1)]


def test_lines_are_those_of_the_task_that_logs_or_prints_them(stage, caplog):
    """Also from threads of a plugin; what C code and children print is the process's.

    None floods: the lines that are nobody's share one limit, so a flood would take the child's.
    """
    caplog.set_level("INFO")
    caplog.handler.setLevel(logging.NOTSET)
    job = stage.launch("threads", "line", "talk")
    stage.until(job, lambda tasks: all(moves(n, 3)(tasks) for n in range(3)))
    assert job.stop(10.0) is True
    said = {log_formatter("text").format(r).partition("] ")[2] for r in caplog.records}
    assert {
        f"INFO [{job.name}|task-0] printed by a thread (plugwright.output)",
        f"INFO [{job.name}|task-1] noise on standard error (plugwright.output)",
        "INFO printed by a child (plugwright.output)",
    } <= said
