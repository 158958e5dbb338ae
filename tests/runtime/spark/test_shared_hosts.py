"""How tasks are distributed among processes that they share, without Spark."""

from __future__ import annotations

import threading
from dataclasses import astuple, replace

import pytest
from tests.runtime.spark.hosts import FakeChannel, task_spec

from plugwright.spark import CrashBudget, ResidentJob
from plugwright.spark.messages import (
    Admission,
    Dismissed,
    EndProcess,
    EndRequested,
    Hello,
    OwnProcessWanted,
    from_frame,
    to_frame,
)
from plugwright.spark.shared_hosts import SharedHosts
from plugwright.spark.tickets import Tickets

DAEMON = "machine:1"


class FakeStarter:
    """Notes which processes are started and cancelled."""

    def __init__(self):
        self.started, self.cancelled = [], []

    def start(self, host):
        """Only note it."""
        self.started.append(host)

    def cancel(self, host):
        """Only note it."""
        self.cancelled.append(host)


class Line(FakeChannel):
    """One connection of a process, whose driver's end has a thread."""

    def __init__(self, serve):
        super().__init__()
        self.thread = threading.Thread(target=serve, args=(self,))
        self.thread.start()

    def received(self):
        """The next message from the driver."""
        return from_frame(self.sent.get(timeout=60))

    def tell(self, message):
        """Send the driver a message."""
        self.frames.put(to_frame(message))

    def cut(self):
        """Disconnect, and wait until the driver has noticed."""
        self.closed = True
        self.frames.put(None)
        self.thread.join(60)


class Process:
    """A shared process, as the driver sees it."""

    def __init__(self, bench, host, attempt=0, pid=100, exits=None):
        self._bench, self._pid, self._exits = bench, pid, exits or {}
        self.tasks = {}
        hello = Hello(host.name, 0, attempt, attempt, "", pid, DAEMON, self._exits)
        self.line = Line(lambda line: bench.hosts.converse(host, hello, line))

    def admit(self):
        """Connect for the next task that the driver admits, and run it."""
        admission = self.line.received()
        assert isinstance(admission, Admission)
        job = self._bench.jobs[admission.job]
        run, place = admission.run, admission.task
        hello = Hello(*astuple(admission), self._pid, DAEMON, self._exits)
        assert self._bench.tickets.admits(hello)

        def serve(line):
            job.converse(place, hello, line)
            self._bench.hosts.left(job, place, run)

        line = self.tasks[admission.job, place] = Line(serve)
        line.received()
        self.report(admission.job, "RUNNING", place)
        return admission

    def report(self, job, state, place=0):
        """Send the state of a task."""
        frame = {"type": "status", "state": state, "trace": "", "counters": {}}
        self.tasks[job, place].frames.put(frame)
        wanted = {state, "RESTARTING"} if state == "STOPPED" else {state}
        assert self._bench.jobs[job].wait_for(lambda all_: all_[place].state in wanted, 60)

    def die(self):
        """All connections break."""
        for line in [self.line, *self.tasks.values()]:
            line.cut()


class Bench:
    """Processes of two tasks, and jobs."""

    def __init__(self):
        self.starter = FakeStarter()
        self.tickets = Tickets()
        self.hosts = SharedHosts(2, self.starter, self.tickets.admission, patience=2)
        self.jobs, self.processes = {}, []

    def launch(self, name, tasks=1, path="/p"):
        """A job that has ended once all its tasks have left their processes."""
        specs = [replace(task_spec(index), connector=name) for index in range(tasks)]
        budget = CrashBudget(backoff_s=0.0)
        cancel = lambda: self.hosts.evict(self.jobs[name])  # noqa: E731
        job = self.jobs[name] = ResidentJob(name, specs, cancel, budget=budget)
        self.hosts.add(job, path, lambda: job.ended(None))
        return job

    def process(self, number=0, **more):
        """The process of the Spark job that was started as the given one."""
        process = Process(self, self.starter.started[number], **more)
        self.processes.append(process)
        return process

    def close(self):
        """Give up what is left."""
        for job in self.jobs.values():
            self.hosts.evict(job)
        for process in self.processes:
            process.die()
        assert all(job.wait_for(lambda _, job=job: job._ended, 60) for job in self.jobs.values())


@pytest.fixture
def bench():
    """A fresh one."""
    bench = Bench()
    yield bench
    bench.close()


def _tasks(bench):
    """The tasks of each process: connector and number."""
    hosts = bench.hosts.all()
    return [[(each.job.name, each.index) for each in host.tasks] for host in hosts]


def test_a_process_is_filled_before_another_one_is_started(bench):
    """Those of another import path have processes of their own."""
    bench.launch("a")
    bench.launch("b", tasks=2)
    bench.launch("c", path="/q")
    bench.launch("d")

    assert _tasks(bench) == [[("a", 0), ("b", 0)], [("b", 1), ("d", 0)], [("c", 0)]]


def test_a_task_is_admitted_when_the_process_connects_or_at_once(bench):
    """With the ticket of its own job."""
    first = bench.launch("a")
    process = bench.process()
    process.admit()
    second = bench.launch("b")
    process.admit()

    assert [job.statuses[0].state for job in (first, second)] == ["RUNNING", "RUNNING"]
    assert first.statuses[0].pid == second.statuses[0].pid == 100


def test_the_last_task_dismisses_its_process(bench):
    """A task that comes later has a new one."""
    bench.launch("a")
    bench.launch("b")
    process = bench.process()
    for _ in range(2):
        process.admit()
    process.report("a", "STOPPED")
    process.tasks["a", 0].cut()
    assert _tasks(bench) == [[("b", 0)]]
    process.report("b", "STOPPED")
    process.tasks["b", 0].cut()

    assert process.line.received() == Dismissed()
    bench.launch("c")
    assert len(bench.starter.started) == 2


def test_a_crash_divides_the_tasks_and_counts_for_each(bench):
    """Whoever is to blame is soon alone."""
    jobs = [bench.launch("a"), bench.launch("b")]
    process = bench.process()
    for _ in range(2):
        process.admit()
    process.die()
    assert [job.statuses[0].state for job in jobs] == ["RESTARTING", "RESTARTING"]
    again = bench.process(attempt=1, pid=101, exits={"100": (11, "poll of b-0")})
    assert again.admit().attempt == 1
    other = bench.process(1, pid=102)
    other.admit()

    assert _tasks(bench) == [[("a", 0)], [("b", 0)]]
    assert [job.statuses[0].pid for job in jobs] == [101, 102]
    assert "killed by SIGSEGV in poll of b-0" in jobs[0].statuses[0].last_exit.__str__()


def test_a_process_that_went_with_its_machine_is_not_divided(bench):
    """No task of it is to blame."""
    bench.launch("a")
    bench.launch("b")
    process = bench.process()
    for _ in range(2):
        process.admit()
    process.die()
    again = bench.process(attempt=1, pid=101)
    for _ in range(2):
        again.admit()

    assert _tasks(bench) == [[("a", 0), ("b", 0)]]


def test_a_process_ends_on_request_and_its_tasks_do_not_count_it(bench):
    """They come back in one, and as if for the first time."""
    jobs = [bench.launch("a"), bench.launch("b")]
    process = bench.process()
    for _ in range(2):
        process.admit()
    process.report("a", "FAILED")
    process.line.tell(EndRequested())
    assert process.line.received() == EndProcess()
    process.die()
    again = bench.process(attempt=1, pid=101, exits={"100": (256, "")})

    admission = again.admit()
    assert (admission.job, admission.task, admission.attempt) == ("b", 0, 0)
    assert _tasks(bench) == [[("b", 0)]]
    assert (jobs[1].statuses[0].state, jobs[1].statuses[0].last_exit) == ("RUNNING", None)


def test_a_job_that_is_evicted_ends_its_process_for_all(bench):
    """A task that does not stop cannot be taken out of it."""
    stuck, other = bench.launch("a"), bench.launch("b")
    process = bench.process()
    for _ in range(2):
        process.admit()
    stopping = threading.Thread(target=stuck.stop, args=(0.01,))
    stopping.start()
    assert process.line.received() == EndProcess()
    process.die()
    stopping.join(60)
    bench.process(attempt=1, pid=101).admit()

    assert stuck.statuses[0].state == "FAILED"
    assert (other.statuses[0].state, other.statuses[0].attempt) == ("RUNNING", 0)


def test_a_busy_task_moves_to_a_process_that_stays_its_own(bench):
    """It stops, and is not over; no thread joins it."""
    job = bench.launch("a")
    bench.launch("b")
    process = bench.process()
    for _ in range(2):
        process.admit()
    process.line.tell(OwnProcessWanted("a", 0))
    assert to_frame(process.tasks["a", 0].received()) == {"type": "stop"}
    process.report("a", "STOPPED")
    assert job.statuses[0].state == "RESTARTING"
    process.tasks["a", 0].cut()
    bench.launch("c")
    bench.process(1, pid=101).admit()

    assert _tasks(bench) == [[("b", 0), ("c", 0)], [("a", 0)]]
    assert (job.statuses[0].state, job.statuses[0].attempt) == ("RUNNING", 0)
    assert job.statuses[0].pid == 101


def test_tasks_of_a_process_leave_an_executor_that_is_decommissioned(bench):
    """For another process, which they share again; new tasks do not join the former."""
    jobs = [bench.launch("a"), bench.launch("b")]
    process = bench.process()
    for _ in range(2):
        process.admit()
    former = bench.starter.started[0]
    former.leave(0)
    former.leave(0)
    for name in ("a", "b"):
        assert to_frame(process.tasks[name, 0].received()) == {"type": "stop"}
        assert process.tasks[name, 0].sent.empty()
        process.report(name, "STOPPED")
        process.tasks[name, 0].cut()
    there = bench.process(1, pid=101)
    for _ in range(2):
        there.admit()

    assert process.line.received() == Dismissed()
    assert _tasks(bench) == [[("a", 0), ("b", 0)]]
    assert [job.statuses[0].state for job in jobs] == ["RUNNING", "RUNNING"]


def test_no_task_joins_a_process_whose_executor_is_to_go(bench):
    """One that has not connected there yet follows the others when it has."""
    job = bench.launch("a")
    process = bench.process()
    bench.starter.started[0].leave(0)
    bench.launch("b")
    process.admit()
    bench.starter.started[0].leave(0)

    assert to_frame(process.tasks["a", 0].received()) == {"type": "stop"}
    assert _tasks(bench) == [[("a", 0)], [("b", 0)]]
    process.report("a", "STOPPED")
    process.tasks["a", 0].cut()
    assert _tasks(bench) == [[("b", 0), ("a", 0)]]
    assert job.statuses[0].state == "RESTARTING"


def test_tasks_stay_with_the_process_that_follows_elsewhere(bench):
    """Spark has started it on another executor after a crash."""
    bench.launch("a")
    first = bench.process()
    bench.starter.started[0].leave(0)
    first.line.cut()
    bench.process(attempt=1, pid=101).admit()
    bench.launch("b")

    assert _tasks(bench) == [[("a", 0), ("b", 0)]]


def test_a_busy_task_that_is_stopped_meanwhile_stays_stopped(bench):
    """The command of the operator is the newer one."""
    job = bench.launch("a")
    bench.launch("b")
    process = bench.process()
    for _ in range(2):
        process.admit()
    process.line.tell(OwnProcessWanted("a", 0))
    process.tasks["a", 0].received()
    stopping = threading.Thread(target=job.stop, args=(60.0,))
    stopping.start()
    assert to_frame(process.tasks["a", 0].received()) == {"type": "stop"}
    process.report("a", "STOPPED")
    process.tasks["a", 0].cut()
    stopping.join(60)

    assert job.statuses[0].state == "STOPPED"
    assert _tasks(bench) == [[("b", 0)]]


def test_a_task_alone_in_its_process_is_not_moved(bench):
    """It has one of its own."""
    bench.launch("a")
    process = bench.process()
    process.admit()
    process.line.tell(OwnProcessWanted("a", 0))
    process.line.cut()

    assert process.tasks["a", 0].sent.empty()


def test_a_conversation_that_breaks_alone_is_taken_up_again(bench):
    """By the same process, which lives."""
    job = bench.launch("a")
    process = bench.process()
    process.admit()
    process.tasks["a", 0].cut()

    assert process.admit().attempt == 1
    assert job.statuses[0].state == "RUNNING"


def test_the_end_of_an_older_conversation_changes_nothing(bench):
    """The task has been admitted again meanwhile."""
    job = bench.launch("a")
    process = bench.process()
    former = process.admit()
    process.tasks["a", 0].cut()
    process.admit()

    bench.hosts.left(job, 0, former.run)
    process.line.cut()
    assert process.line.sent.empty()
    assert job.statuses[0].state == "RUNNING"


def test_tasks_wait_for_a_slot_together(bench):
    """Those of all processes that have none."""
    job = bench.launch("a", tasks=3)
    first, second = bench.starter.started
    assert [first.missing(), first.wanted, first.connector] == [(0,), 1, "a"]

    first.wait_for_slots((0,), "no slot")
    assert [status.trace for status in job.statuses] == ["no slot"] * 3
    bench.process(1).admit()
    assert second.missing() == ()
    assert [status.trace for status in job.statuses] == ["no slot", "no slot", ""]


def test_a_process_that_never_connects_fails_its_tasks(bench):
    """After as many attempts as a task survives crashes; with the words of Spark."""
    job = bench.launch("a")
    (host,) = bench.starter.started
    host.failed(0, 2, "no python here")
    assert job.statuses[0].state == "UNASSIGNED"
    host.failed(0, 3, "no python here")

    assert (job.statuses[0].state, job.statuses[0].trace) == ("FAILED", "no python here")
    assert bench.starter.cancelled == [host]


def test_attempts_count_from_the_last_that_connected(bench):
    """A process that had run for days is none that never connects."""
    job = bench.launch("a")
    (host,) = bench.starter.started
    process = bench.process(attempt=7)
    process.admit()
    process.die()
    host.failed(0, 8, "killed")
    assert job.statuses[0].state == "RESTARTING"


def test_tasks_whose_spark_job_has_ended_get_another_process(bench):
    """A cluster removes executors."""
    bench.launch("a")
    (host,) = bench.starter.started
    bench.hosts.ended(host, RuntimeError("executors were removed"))
    bench.process(1).admit()

    assert _tasks(bench) == [[("a", 0)]]
    assert bench.hosts.find(host.name) is None


def test_without_spark_all_tasks_fail(bench):
    """And say so."""
    job = bench.launch("a")
    (host,) = bench.starter.started
    bench.hosts.abandon(host, "Spark has ended")

    assert (job.statuses[0].state, job.statuses[0].trace) == ("FAILED", "Spark has ended")
    assert bench.hosts.all() == []


def test_a_process_that_comes_too_late_is_dismissed(bench):
    """Its tasks have been stopped before it connected."""
    job = bench.launch("a")
    (host,) = bench.starter.started
    bench.hosts.evict(job)
    late = bench.process()

    assert late.line.received() == Dismissed()
    assert bench.starter.cancelled == [host]


def test_a_job_whose_process_cannot_be_started_is_forgotten(bench, monkeypatch):
    """Others go on."""
    bench.launch("a", tasks=2)

    def fail(_):
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as patch:
        patch.setattr(bench.starter, "start", fail)
        with pytest.raises(RuntimeError):
            bench.launch("b")
    del bench.jobs["b"]

    assert _tasks(bench) == [[("a", 0), ("a", 1)]]


def test_a_job_has_ended_when_its_last_task_has_left(bench):
    """Not before."""
    job = bench.launch("a", tasks=2)
    process = bench.process()
    for _ in range(2):
        process.admit()
    process.report("a", "STOPPED", 0)
    process.tasks["a", 0].cut()
    assert not job._ended
    process.report("a", "STOPPED", 1)
    process.tasks["a", 1].cut()
    assert job._ended
