"""What becomes of tasks whose processes crash, or never begin, without Spark."""

from __future__ import annotations

import signal
import threading
import time
from dataclasses import replace
from types import SimpleNamespace

import pytest
from tests.runtime.spark.hosts import Host, task_spec, until

from plugwright.spark import CrashBudget, Exit, ResidentJob
from plugwright.spark import watch as watch_module
from plugwright.spark.messages import Hello
from plugwright.spark.placement import FailureReports, Progress, failure_words
from plugwright.spark.session import patient_master, plain_master
from plugwright.spark.watch import PlacementMonitor, lack_of_slots, largest_connector


@pytest.fixture
def cancelled():
    """How often Spark was asked to end the job."""
    return []


@pytest.fixture
def make(cancelled):
    """Makes a job of two tasks with such a crash budget."""

    def make(**budget):
        return ResidentJob(
            "orders-1",
            [task_spec(0), task_spec(1)],
            lambda: cancelled.append(True),
            budget=CrashBudget(**budget),
            explain=lambda hello: f"stack of {hello.task}",
            patience_s=0.05,
        )

    return make


class Crasher(Host):
    """A host whose daemon knows how the processes before it ended."""

    def __init__(self, job, attempt=0, pid=100, exits=None):
        self.exits = exits or {}
        super().__init__(job, 0, attempt, pid)

    def hello(self, attempt, pid):
        """With the ends of others."""
        return replace(super().hello(attempt, pid), daemon="here:1", exits=self.exits)


def _crash_once(job, **successor):
    """The first process runs and dies; the second one calls."""
    first = Crasher(job, pid=100)
    first.received()
    first.report("RUNNING")
    until(job, lambda tasks: tasks[0].state == "RUNNING")
    first.die()
    return Crasher(job, attempt=1, pid=101, **successor)


def test_the_first_restart_comes_at_once(make):
    """With the reason in the status until the task runs."""
    job = make()
    second = _crash_once(job, exits={"100": (signal.SIGKILL, "put")})
    assert second.received()["type"] == "spec"
    until(job, lambda tasks: tasks[0].pid == 101)
    assert job.statuses[0].state == "RESTARTING"
    assert "was killed by SIGKILL in put\nRestart 1 of 10 within 600 s" in job.statuses[0].trace
    second.report("RUNNING")
    until(job, lambda tasks: (tasks[0].state, tasks[0].trace) == ("RUNNING", ""))
    assert job.statuses[0].last_exit == Exit(signal.SIGKILL, "put")
    assert job.statuses[1].last_exit is None
    second.die()


@pytest.mark.parametrize(
    ("exits", "words"),
    [({}, "ended unexpectedly: stack of 0"), ({"100": (11, "put")}, "SIGSEGV in put\nstack of 0")],
    ids=["unknown", "native code"],
)
def test_spark_is_asked_where_the_exit_does_not_say_enough(make, exits, words):
    """It notes why it lost a process, and Python's stack at a fault."""
    job = make()
    second = _crash_once(job, exits=exits)
    second.received()
    assert words in job.statuses[0].trace
    second.die()


def test_a_spent_budget_fails_this_task_alone(make):
    """Spark's next attempt is sent away, which frees the slot."""
    job = make(restarts=0)
    other = Host(job, task=1)
    other.received()
    other.report("RUNNING")
    until(job, lambda tasks: tasks[1].state == "RUNNING")
    second = _crash_once(job, exits={"100": (3 << 8, "start")})
    assert second.received() == {"type": "dismissed"}
    assert job.statuses[0].state == "FAILED"
    assert job.statuses[0].last_exit == Exit(3 << 8, "start")
    assert "exited with code 3 in start\nIt is not restarted" in job.statuses[0].trace
    assert job.statuses[1].state == "RUNNING"
    other.die()


def test_a_restart_that_waits_is_stopped_at_once(make):
    """And its process is sent away."""
    job = make(backoff_s=1000.0, backoff_max_s=1000.0)
    third = Crasher(job, attempt=2)
    until(job, lambda tasks: "comes in 1000 s" in tasks[0].trace)
    threading.Thread(target=job.stop, args=(5.0, [0])).start()
    assert third.received() == {"type": "dismissed"}
    until(job, lambda tasks: (tasks[0].state, tasks[0].trace) == ("STOPPED", ""))


def test_a_broken_job_goes_on_in_another_one(make):
    """Each of its tasks has had one crash, whichever way it was heard of."""
    job = make()
    first = Host(job, task=0)
    first.received()
    first.report("RUNNING")
    until(job, lambda tasks: tasks[0].state == "RUNNING")
    assert job.again(RuntimeError("executor lost")) == [0, 1]
    assert first.received() == {"type": "kill"}
    first.die()
    assert "executor lost\nRestart 1 of 10" in job.statuses[0].trace
    assert [status.state for status in job.statuses] == ["RESTARTING", "RESTARTING"]
    again = Host(job, task=0, pid=200)
    assert again.received()["type"] == "spec"
    again.die()


def test_a_broken_job_whose_budgets_are_spent_is_over(make):
    """With what Spark said in the traces."""
    job = make(restarts=0)
    assert job.again(RuntimeError("no executor")) == []
    assert [status.state for status in job.statuses] == ["FAILED", "FAILED"]
    assert "no executor" in job.statuses[1].trace


@pytest.mark.slow
def test_a_job_that_is_stopped_by_force_is_not_run_again(make):
    """What Spark reports then is its answer to that."""
    job = make()
    job.stop(0.01)
    assert job.again(RuntimeError("cancelled")) == ()


def test_processes_that_never_call_spend_the_budget_too(make, cancelled):
    """Spark says how often they failed; the other task goes on in another job, without a crash."""
    job = make(restarts=3)
    job.recovery.failed(0, 2, "no python here")
    assert job.statuses[0].state == "RESTARTING"
    job.recovery.failed(0, 9, "no python here")
    assert (job.statuses[0].state, cancelled) == ("FAILED", [True])
    assert "ended unexpectedly: no python here" in job.statuses[0].trace
    assert job.again(RuntimeError("cancelled")) == [1]
    assert job.statuses[1].state == "UNASSIGNED"
    first = Crasher(job, attempt=1)  # of Spark's tasks by now, and the second of the connector's
    first.received()
    assert "Restart 1 of 3" in job.statuses[1].trace
    first.die()


def test_a_failure_of_a_task_that_has_called_is_not_reported_again(make):
    """Its line says it sooner."""
    job = make()
    host = Host(job)
    host.received()
    until(job, lambda tasks: tasks[0].pid)
    job.recovery.failed(0, 5, "late")
    assert job.statuses[0].trace == ""
    host.die()


class FakePlacement:
    """Spark has one slot for two tasks, which something else has."""

    master = "local[1]"

    def __init__(self, waiting=2, failures=0, slots=1):
        self._progress = Progress(waiting, failures)
        self._slots = slots

    def slots(self):
        """So many."""
        return self._slots

    def progress(self, tag):
        """The same for each."""
        return self._progress

    def failures(self, tag):
        """Of the first task."""
        return {0: (4, "no python here")}

    def leaving(self):
        """No executor."""
        return frozenset()


NO_SLOT = (
    "spark.no-slot: Spark has no slot for this task: it has 1, and 2 tasks need one. It starts as "
    "soon as a slot is free; for more slots, raise the number in spark.master=local[1]."
)


def test_tasks_without_a_slot_say_so(make, caplog):
    """In their status and once in the log, after the second look; a slot ends it."""
    job = make()
    watch = PlacementMonitor(lambda: [job], FakePlacement())
    watch.look()
    assert job.statuses[0].trace == ""
    watch.look()
    watch.look()
    assert [status.trace for status in job.statuses] == [NO_SLOT, NO_SLOT]
    assert [r.getMessage() for r in caplog.records] == [f"orders-0, orders-1: {NO_SLOT}"]
    host = Host(job)
    host.received()
    assert (job.statuses[0].state, job.statuses[0].trace) == ("UNASSIGNED", "")
    host.die()


@pytest.mark.parametrize(
    "placement",
    [FakePlacement(waiting=1), FakePlacement(slots=2)],
    ids=["one is launched, unknown which", "there are slots"],
)
def test_tasks_on_their_way_are_not_said_to_wait(make, placement):
    """Spark's own figures come late."""
    job = make()
    watch = PlacementMonitor(lambda: [job], placement)
    watch.look()
    watch.look()
    assert [status.trace for status in job.statuses] == ["", ""]


def test_a_task_that_calls_meanwhile_is_not_said_to_wait(make):
    """Spark was asked before it did."""
    job = make()
    host = Host(job)
    until(job, lambda tasks: tasks[0].pid)
    job.recovery.wait_for_slots([0, 1], "no slot")
    assert [status.trace for status in job.statuses] == ["", "no slot"]
    host.die()


def test_a_task_that_waits_for_a_slot_after_a_crash_is_unassigned(make):
    """As one is that never had any; it runs once its process calls."""
    job = make()
    first = Host(job)
    until(job, lambda tasks: tasks[0].pid)
    first.die()
    until(job, lambda tasks: tasks[0].state == "RESTARTING")
    job.recovery.wait_for_slots([0], "no slot")
    assert (job.statuses[0].state, job.statuses[0].trace) == ("UNASSIGNED", "no slot")


def test_a_task_without_a_slot_is_stopped_at_once(make, cancelled):
    """It has nothing to finish; Spark is to forget it."""
    job = make()
    job._patience_s = 5.0
    job._cancel = lambda: cancelled.append(job._force) or job.ended(RuntimeError("cancelled"))
    job.recovery.wait_for_slots([0, 1], "no slot")
    assert job.stop(5.0) is True
    assert ([status.state for status in job.statuses], cancelled) == (["STOPPED"] * 2, [""])


def test_the_watch_hears_of_processes_that_never_call(make):
    """And tells the job."""
    job = make(restarts=2)
    watch = PlacementMonitor(lambda: [job], FakePlacement(waiting=0, failures=4))
    watch.look()
    watch.look()
    assert job.statuses[0].state == "FAILED"


class Emptying(FakePlacement):
    """An executor with the second task is to go."""

    def leaving(self):
        """One."""
        return frozenset({"7"})

    def running_on(self, tag, executors):
        """The second task is there."""
        assert executors == {"7"}
        return [1]


def test_tasks_leave_an_executor_that_is_decommissioned(make, caplog):
    """Once, in an orderly way, and what comes then is no crash; a later one is the first."""
    caplog.set_level("INFO")
    job = make()
    host = Host(job, task=1)
    host.received()
    until(job, lambda tasks: tasks[1].pid)
    watch = PlacementMonitor(lambda: [job], Emptying(slots=2))
    watch.look()
    watch.look()
    assert host.received() == {"type": "leave"}
    assert host.channel.sent.empty()
    host.report("STOPPED")
    host.die()
    assert (job.statuses[1].state, job.statuses[1].trace) == ("RESTARTING", "")
    assert [record.getMessage() for record in caplog.records] == [
        "task orders-1 leaves its executor"
    ]

    there = Host(job, task=1, attempt=1, pid=101)
    there.received()
    there.report("RUNNING")
    until(job, lambda tasks: tasks[1].state == "RUNNING")
    there.die()
    again = Host(job, task=1, attempt=2, pid=102)
    again.received()
    assert "Restart 1 of 10" in job.statuses[1].trace
    again.die()


def test_a_task_without_a_process_cannot_leave(make):
    """Spark starts it elsewhere anyway."""
    job = make()
    job.leave(1)
    host = Host(job, task=1)
    host.received()
    host.report("RUNNING")
    until(job, lambda tasks: tasks[1].state == "RUNNING")
    host.die()
    again = Host(job, task=1, attempt=1, pid=101)
    again.received()
    assert "Restart 1 of 10" in job.statuses[1].trace
    again.die()


def test_a_task_that_is_stopped_while_it_leaves_stays_stopped(make):
    """Spark's next process for it is dismissed."""
    job = make()
    host = Host(job)
    host.received()
    until(job, lambda tasks: tasks[0].pid)
    job.leave(0)
    stopping = threading.Thread(target=job.stop, args=(60.0, [0]))
    stopping.start()
    assert [host.received()["type"] for _ in range(2)] == ["leave", "stop"]
    host.report("STOPPED")
    host.die()
    stopping.join(60)
    next_host = Host(job, attempt=1, pid=101)

    assert next_host.received() == {"type": "dismissed"}
    assert job.statuses[0].state == "STOPPED"
    next_host.die()


class MutePlacement(FakePlacement):
    """Spark's answers cannot be read; counts how often it was asked."""

    asked = 0

    def progress(self, tag):
        """None."""
        self.asked += 1
        raise ValueError("no such method")


def test_a_watch_that_learns_nothing_says_so_once(make, monkeypatch, caplog):
    """A few failures are usual while Spark stops."""
    monkeypatch.setattr(watch_module, "_PERIOD_S", 0.0)
    job, placement = make(), MutePlacement()
    watch = PlacementMonitor(lambda: [job], placement)
    watch.start()
    while placement.asked < 4 * watch_module._UNUSUAL:
        time.sleep(0.01)
    watch.close()

    (record,) = caplog.records
    assert "no such method" in record.getMessage()


def test_a_cluster_without_executors_is_no_lack_of_slots():
    """Other things are to be looked at."""
    assert lack_of_slots(0, 3, "spark://a:7077") == (
        "Spark has no executor yet; 3 tasks need a slot. Check that the workers of "
        "spark://a:7077 are running, and have the memory and cores that spark.executor.memory "
        "and spark.executor.cores request."
    )


def test_a_cluster_gets_more_slots_by_executors_or_their_cores():
    """The name of its master does not say how many there are."""
    assert "raise spark.executor.cores above the number of" in lack_of_slots(
        4, 5, "local-cluster[2,2,1024]"
    )


@pytest.mark.parametrize(
    ("given", "patient", "plain"),
    [
        ("local", "local[1,2147483647]", "local[1]"),
        ("local[*]", "local[*,2147483647]", "local[*]"),
        ("local[8, 3]", "local[8,2147483647]", "local[8]"),
        ("local-cluster[2,2,1024]", "local-cluster[2,2,1024]", "local-cluster[2,2,1024]"),
        ("spark://a:7077,b:7077", "spark://a:7077,b:7077", "spark://a:7077,b:7077"),
    ],
    ids=str,
)
def test_no_number_of_failures_ends_the_others(given, patient, plain):
    """Whatever the operator writes; and what he reads has no such number."""
    assert patient_master(given) == patient
    assert plain_master(patient) == plain


LOST = "ExecutorLostFailure (executor 1 exited) Reason: Command exited with code 137"
FATAL = 'Fatal Python error: Segmentation fault\n\nThread 1:\n  File "shop.py", line 3 in put'


@pytest.mark.parametrize(
    ("message", "words"),
    [
        (LOST, LOST),
        (f"org.apache.spark.SparkException: crashed: {FATAL}\n\n\tat org.apache.Some.java", FATAL),
        ("java.io.IOException: no python\n\tat java.lang.Some", "java.io.IOException: no python"),
    ],
    ids=["executor", "native code", "no python"],
)
def test_sparks_words_come_without_its_stacks(message, words):
    """They say where Spark noticed, which is no help."""
    assert failure_words(message) == words


def test_who_holds_most_slots_is_named():
    """An operator can take some only from there; with one connector there is none to name."""

    def job(name, wanted):
        return SimpleNamespace(name=name, connector=name.partition("-")[0], wanted=wanted)

    large, small = [job("orders-1", 3), job("orders-2", 2)], job("bills-1", 2)
    missing = {"orders-1": [2], "orders-2": [], "bills-1": [0, 1]}

    said = largest_connector([small, *large], missing)

    assert said == " Connector orders has 4 of them; lowering its tasks.max frees some."
    assert [largest_connector(each, missing) for each in (large, [small], [])] == ["", "", ""]


class FakeFailures:
    """Spark's list of failed attempts."""

    def __init__(self):
        self.found, self.asked, self.now = {}, 0, 0.0
        self.reports = FailureReports(self._ask, lambda: self.now)

    def _ask(self):
        self.asked += 1
        return dict(self.found)

    def words(self, task, attempt, job="orders-1"):
        """What is said to a process that calls."""
        return self.reports.words(Hello(job, task, attempt, 0, "", 1))


def test_spark_is_asked_once_about_tasks_that_crashed_together():
    """Its answer has all of them; a later crash of one of them is another question."""
    spark = FakeFailures()
    spark.found = {n: (1, f"first end of {n}") for n in range(100)}
    assert [spark.words(n, 1) for n in range(100)] == [f"first end of {n}" for n in range(100)]
    assert spark.asked == 1
    spark.found[7] = (2, "second end of 7")
    assert (spark.words(7, 2), spark.asked) == ("second end of 7", 2)


def test_spark_is_not_asked_again_at_once_for_what_it_does_not_know():
    """It lists the newest attempts alone."""
    spark = FakeFailures()
    assert ([spark.words(n, 1) for n in range(9)], spark.asked) == ([""] * 9, 1)
    spark.found, spark.now = {3: (1, "late")}, 1.5
    assert (spark.words(3, 1), spark.asked) == ("late", 2)


def test_another_job_numbers_its_tasks_anew():
    """What was said about the former one is about other tasks."""
    spark = FakeFailures()
    spark.found = {0: (4, "of the former job")}
    assert spark.words(0, 4) == "of the former job"
    spark.found = {0: (1, "of this one")}
    assert spark.words(0, 1, job="orders-1.1") == "of this one"
