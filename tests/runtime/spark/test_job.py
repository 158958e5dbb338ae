"""What the driver knows of its tasks, and how it steers them, without Spark."""

from __future__ import annotations

import json
import logging
import threading

import pytest
from tests.runtime.spark.hosts import DAEMON, Host, task_spec, until

from plugwright.logs import LogLine, log_formatter, set_level
from plugwright.spark import CrashBudget, ResidentJob, TaskSpec
from plugwright.spark.messages import to_frame


@pytest.fixture
def cancelled():
    """How often Spark was asked to kill the job."""
    return []


@pytest.fixture
def job(cancelled):
    """A job of two tasks."""
    specs = [task_spec(0), task_spec(1)]
    budget = CrashBudget(backoff_s=0)
    return ResidentJob(
        "orders-1", specs, lambda: cancelled.append(True), budget=budget, patience_s=0.1
    )


@pytest.fixture
def heard_of():
    """A job of two tasks, and the topics that its listener was called with."""
    heard = []
    job = ResidentJob(
        "orders-1",
        [task_spec(0), task_spec(1)],
        lambda: None,
        lambda number, status: heard.append((number, status.topics)),
        budget=CrashBudget(backoff_s=0),
        patience_s=0.1,
    )
    return job, heard


def test_a_spec_survives_the_journey():
    """To JSON and back."""
    spec = task_spec()
    assert TaskSpec.from_plain(json.loads(json.dumps(spec.to_plain()))) == spec


def test_tasks_begin_unassigned(job):
    """Until Spark has a slot for them."""
    assert [status.state for status in job.statuses] == ["UNASSIGNED", "UNASSIGNED"]


def test_a_host_receives_its_spec_first(job):
    """And its place is remembered."""
    host = Host(job, task=1, attempt=2, pid=77)
    assert TaskSpec.from_plain(host.received()["spec"]) == task_spec(1)
    until(job, lambda tasks: (tasks[1].attempt, tasks[1].pid, tasks[1].daemon) == (2, 77, DAEMON))
    host.die()


def test_reports_change_the_status(job):
    """State, trace and counters."""
    host = Host(job)
    host.report("RUNNING", records=5)
    until(job, lambda tasks: tasks[0].counters == {"records": 5})
    host.report("FAILED", trace="why")
    until(job, lambda tasks: (tasks[0].state, tasks[0].trace) == ("FAILED", "why"))
    host.die()
    assert job.statuses[0].state == "FAILED"


def test_topics_used_before_a_reset_are_gone_after_it(job):
    """A report may be under way while topics are reset; it says when each was used last."""
    host, said = Host(job), []
    host.say(topics={"a": 1000})
    until(job, lambda tasks: tasks[0].topics == ("a",))
    job.forget_topics(2000)
    said.append(job.statuses[0].topics)
    host.say(topics={"a": 1999}, trace="under way")
    until(job, lambda tasks: tasks[0].trace == "under way")
    said.append(job.statuses[0].topics)
    host.say(topics={"a": 1999, "b": 2000})
    until(job, lambda tasks: tasks[0].topics == ("b",))
    host.die()
    assert said == [(), ()]


def test_topics_used_after_a_reset_that_is_heard_late_are_listed(heard_of):
    """A worker hears of a reset after it was answered; tasks have gone on in between."""
    job, heard = heard_of
    hosts = [Host(job, task=0), Host(job, task=1)]
    hosts[0].say(topics={"a": 1000, "b": 2500})
    hosts[1].say(topics={"c": 1000})
    until(job, lambda tasks: [t.topics for t in tasks] == [("a", "b"), ("c",)])
    heard.clear()
    job.forget_topics(2000)
    [host.die() for host in hosts]
    assert [t.topics for t in job.statuses] == [("b",), ()]
    assert heard[0] == (0, ("b",))


def test_a_host_that_begins_after_a_reset_tells_of_its_topics(job):
    """A process that Spark starts again has no part in what was reset."""
    first = Host(job)
    until(job, lambda tasks: tasks[0].pid == 100)
    job.forget_topics(2000)
    second = Host(job, attempt=1, pid=101)
    until(job, lambda tasks: tasks[0].pid == 101)
    second.say(topics={"a": 3000})
    until(job, lambda tasks: tasks[0].topics == ("a",))
    first.die()
    second.die()


def test_an_earlier_reset_that_is_heard_later_brings_nothing_back(job):
    """There is one tombstone a topic, and their times need not be in order."""
    host = Host(job)
    host.say(topics={"a": 1000})
    until(job, lambda tasks: tasks[0].topics == ("a",))
    job.forget_topics(2000)
    job.forget_topics(500)
    host.die()
    assert job.statuses[0].topics == ()


def test_a_host_that_goes_without_a_word_is_restarting(job):
    """Spark starts it again."""
    host = Host(job)
    host.report("RUNNING")
    until(job, lambda tasks: tasks[0].state == "RUNNING")
    host.die()
    assert (job.statuses[0].state, job.statuses[0].pid) == ("RESTARTING", 0)


def test_a_replaced_host_has_nothing_more_to_say(job):
    """Its late end or report does not hide its successor."""
    old = Host(job, pid=1)
    until(job, lambda tasks: tasks[0].pid == 1)
    new = Host(job, attempt=1, pid=2)
    until(job, lambda tasks: tasks[0].pid == 2)
    new.report("RUNNING")
    until(job, lambda tasks: tasks[0].state == "RUNNING")
    old.report("FAILED")
    old.die()
    assert (job.statuses[0].state, job.statuses[0].pid) == ("RUNNING", 2)
    new.die()


def test_commands_reach_every_host(job):
    """In order; one that has gone does not matter."""
    hosts = [Host(job, task) for task in (0, 1)]
    for host in hosts:
        host.received()
    job.pause()
    hosts[0].channel.closed = True
    job.resume()
    assert [hosts[1].received()["type"], hosts[1].received()["type"]] == ["pause", "resume"]
    for host in hosts:
        host.die()


@pytest.mark.parametrize(
    ("commands", "target"), [(["pause"], "pause"), (["pause", "resume"], None)], ids=str
)
def test_a_host_that_comes_later_receives_the_target(job, commands, target):
    """A restarted task of a paused connector stays paused."""
    for command in commands:
        getattr(job, command)()
    host = Host(job)
    host.received()
    assert target is None or host.received()["type"] == target
    host.die()
    assert host.channel.sent.empty()


def test_a_stop_in_time_is_graceful(job, cancelled):
    """No force."""
    threading.Timer(0.01, job.ended, [None]).start()
    assert job.stop(5.0) is True
    assert (cancelled, [status.state for status in job.statuses]) == ([], ["STOPPED"] * 2)


def test_a_stop_that_takes_too_long_is_enforced(job, cancelled):
    """And reported as such."""
    job._cancel = lambda: cancelled.append(True) or job.ended(RuntimeError("cancelled"))
    assert job.stop(0.01) is False
    assert (cancelled, job.statuses[0].state) == ([True], "FAILED")
    assert job.statuses[0].trace == "the task did not stop within 0.01 s and was killed"


def test_a_zombie_has_nothing_more_to_say(job):
    """Spark lets the process of a cancelled task live for some seconds."""
    host = Host(job)
    host.report("RUNNING")
    until(job, lambda tasks: tasks[0].state == "RUNNING")
    job.ended(RuntimeError("cancelled"))
    host.report("RUNNING")
    host.die()
    assert (job.statuses[0].state, job.statuses[0].trace) == ("FAILED", "cancelled")


def test_the_end_of_the_job_keeps_what_tasks_said_last(job):
    """Only those that said nothing final share the job's fate."""
    host = Host(job)
    host.report("FAILED", trace="my own reason")
    until(job, lambda tasks: tasks[0].state == "FAILED")
    job.ended(RuntimeError("stage failed"))
    assert [status.trace for status in job.statuses] == ["my own reason", "stage failed"]
    host.die()


def test_a_task_that_has_stopped_stays_so_when_the_job_is_killed(job):
    """Only the other one had to be killed."""
    host = Host(job)
    host.report("STOPPED")
    until(job, lambda tasks: tasks[0].state == "STOPPED")
    job.ended(RuntimeError("cancelled"))
    assert [status.state for status in job.statuses] == ["STOPPED", "FAILED"]
    host.die()


def test_waiting_gives_up_in_time(job):
    """With the answer no."""
    assert job.wait_for(lambda tasks: False, 0.01) is False


def test_log_records_of_a_host_reach_the_drivers_log(job, caplog):
    """Under their own logger and level."""
    host = Host(job)
    line = LogLine(logging.WARNING, "shop", "50 % full", created=0.0)
    host.channel.frames.put(to_frame(line))
    host.die()
    assert ("shop", logging.WARNING, "50 % full") in caplog.record_tuples
    assert "[orders|task-0] 50 % full" in log_formatter("text").format(caplog.records[-1])


def test_totals_of_a_process_that_died_are_carried_on(job):
    """Its successor counts from zero; only the status of the moment says so."""
    first = Host(job)
    first.report("RUNNING", records=7, **{"batch-size-max": 5.0})
    until(job, lambda tasks: tasks[0].counters.get("records") == 7)
    first.die()
    between = job.counters[0]["records"]
    second = Host(job, attempt=1)
    second.report("RUNNING", records=2, **{"batch-size-max": 2.0})
    until(job, lambda tasks: tasks[0].counters.get("records") == 2)
    second.die()
    assert (between, job.counters[0]["records"]) == (7, 9)
    assert job.counters[0]["batch-size-max"] == 2.0


def test_a_host_has_the_drivers_levels_and_hears_of_new_ones(job):
    """Those of its start come with its spec, so that none is missed in between."""
    set_level("store.levels", logging.DEBUG)
    host = Host(job)
    assert ("store.levels", logging.DEBUG) in host.received()["levels"]
    job.set_level("store.levels", logging.ERROR)
    assert host.received() == {"type": "level", "logger": "store.levels", "level": logging.ERROR}
    set_level("store.levels", logging.NOTSET)
    host.die()


@pytest.fixture
def updates():
    """What a listener has heard."""
    return []


@pytest.fixture
def second_half(cancelled, updates):
    """A job of tasks 2 and 3 that tells of them."""
    return ResidentJob(
        "orders-2",
        [task_spec(2), task_spec(3)],
        lambda: cancelled.append(True),
        lambda number, status: updates.append((number, status.state)),
        patience_s=0.1,
    )


def test_a_listener_hears_of_changes_by_task_number(second_half, updates):
    """Not of counters alone, and of the end of the job as well."""
    host = Host(second_half, task=1)
    host.report("RUNNING", records=1)
    host.report("RUNNING", records=2)
    until(second_half, lambda tasks: tasks[1].counters == {"records": 2})
    host.report("STOPPED")
    until(second_half, lambda tasks: tasks[1].state == "STOPPED")
    second_half.ended(None)
    host.die()
    assert updates == [(3, "RUNNING"), (3, "STOPPED"), (2, "STOPPED")]
    assert second_half.tasks == [2, 3]


def test_one_task_is_stopped_while_the_other_goes_on(second_half, cancelled):
    """The Spark job lives on."""
    first, second = Host(second_half, task=0), Host(second_half, task=1)
    for host in (first, second):
        host.received()
        host.report("RUNNING")
    until(second_half, lambda tasks: [t.state for t in tasks] == ["RUNNING", "RUNNING"])
    stopping = threading.Thread(target=second_half.stop, args=(5.0, [3]))
    stopping.start()
    assert second.received() == {"type": "stop"}
    second.report("STOPPED")
    stopping.join(60)
    assert [t.state for t in second_half.statuses] == ["RUNNING", "STOPPED"]
    assert first.channel.sent.empty()
    assert cancelled == []
    first.die()
    second.die()


@pytest.mark.slow
def test_a_task_that_does_not_stop_alone_is_killed_and_not_started_again(second_half, cancelled):
    """Spark's next attempt is sent away; the other task is not disturbed."""
    first, second = Host(second_half, task=0), Host(second_half, task=1)
    for host in (first, second):
        host.received()
        host.report("RUNNING")
    until(second_half, lambda tasks: [t.state for t in tasks] == ["RUNNING", "RUNNING"])
    assert not second_half.stop(0.05, [3])
    assert [second.received(), second.received()] == [{"type": "stop"}, {"type": "kill"}]
    second.die()
    again = Host(second_half, task=1, attempt=1)
    assert again.received() == {"type": "dismissed"}
    assert second_half.statuses[1].state == "FAILED"
    assert "did not stop within 0.05 s and was killed" in second_half.statuses[1].trace
    assert (second_half.statuses[0].state, cancelled) == ("RUNNING", [])
    first.die()


@pytest.mark.slow
def test_the_last_live_task_is_stopped_with_its_job(second_half, cancelled):
    """Spark then gets its slots back by force if need be."""
    first, second = Host(second_half, task=0), Host(second_half, task=1)
    first.report("FAILED", "boom")
    until(second_half, lambda tasks: tasks[0].state == "FAILED")
    assert not second_half.stop(0.05, [3])
    assert cancelled == [True]
    first.die()
    second.die()
