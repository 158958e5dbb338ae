"""What a task host tells its driver, without Spark."""

from __future__ import annotations

import os
import signal
import threading

import pytest
from tests.runtime.spark.hosts import task_spec, until

from plugwright.spark import ResidentJob
from plugwright.spark import report as implementation
from plugwright.spark.channel import ChannelServer, connect
from plugwright.spark.messages import Hello, HostReport
from plugwright.spark.task_commands import host_task
from plugwright.spark.task_process import OwnProcess
from plugwright.spark.tickets import Tickets, shown
from plugwright.worker import TaskControl, TaskCounters


class FakeChannel:
    """Keeps what is sent."""

    def __init__(self):
        self.sent = []
        self.heard = threading.Event()

    def send(self, message):
        """To the driver."""
        self.sent.append(message)
        self.heard.set()


@pytest.fixture
def channel():
    """To the driver."""
    return FakeChannel()


@pytest.fixture
def report(monkeypatch, channel):
    """A report that looks for changes all the time."""
    monkeypatch.setattr(implementation, "_REPORT_S", 0.001)
    return implementation.TaskReport(channel)


def test_a_task_without_changes_reports_nothing(report, channel):
    """A hundred idle tasks would keep the driver busy."""
    report.running()

    with report:
        threading.Event().wait(0.02)

    assert len(channel.sent) == 1


def test_topics_are_reported_with_their_last_use(report, channel):
    """The map is the loop's own, which goes on meanwhile."""
    used = report.topics = {"a": 1, "b": 2}
    report.running()
    used["b"] = 3
    report.running()

    assert [status.topics for status in channel.sent] == [
        {"a": 1, "b": 2},
        {"a": 1, "b": 3},
    ]


def test_new_figures_are_reported_without_a_new_state(report, channel):
    """They are for the metrics, which no caller waits for."""
    report.running()
    channel.heard.clear()

    with report:
        report.counters = lambda: {"records": 3}
        assert channel.heard.wait(10)

    assert channel.sent[-1] == HostReport("RUNNING", "", {"records": 3})


class Obedient:
    """A loop that does nothing but what its commands say."""

    def __init__(self, commands):
        self.counters = TaskCounters()
        self._steering = commands

    def run(self):
        """Until it is stopped."""
        control, report = self._steering.control, self._steering.report
        self._steering.enter("start")
        report.running()
        while not control.stopping:
            control.wait(0.05)  # a command may come between the look and the wait
            (report.paused if control.paused else report.running)()
        report.stopped()


@pytest.fixture
def interruptible():
    """A host hears no interrupts; the tests go on hearing them."""
    before = signal.getsignal(signal.SIGINT)
    yield
    signal.signal(signal.SIGINT, before)


def hosted(job, steer, process):
    """Run a task over a real connection while a person steers it; the state that it ends in."""
    tickets = Tickets()
    server = ChannelServer(
        tickets.admits, lambda channel, hello: job.converse(hello.task, hello, channel)
    )
    who = {"job": "orders-1", "task": 0, "attempt": 0, "run": 1}
    ticket = shown(tickets.issue("orders-1"), **who)
    person = threading.Thread(target=steer)
    person.start()
    channel = connect(server.address, server.certificate)
    channel.send(Hello(**who, ticket=ticket, pid=os.getpid()))
    state = host_task(
        channel,
        process,
        channel.receive(),
        TaskControl(),
        lambda _, commands, __: Obedient(commands),
    )
    person.join(10)
    server.close()
    return state


@pytest.fixture
def job():
    """One task."""
    return ResidentJob("orders-1", [task_spec()], lambda: None, patience_s=0.01)


@pytest.mark.usefixtures("interruptible")
def test_a_host_runs_its_task_by_the_commands_of_its_driver(job):
    """From the first word to the last."""

    def steer():
        until(job, lambda tasks: tasks[0].state == "RUNNING")
        job.pause()
        until(job, lambda tasks: tasks[0].state == "PAUSED")
        job.resume()
        until(job, lambda tasks: tasks[0].state == "RUNNING")
        job.stop(5.0)

    phases = []
    state = hosted(job, steer, OwnProcess(phases.append))

    assert (state, job.statuses[0].state, phases) == ("STOPPED", "STOPPED", ["start"])


class Endless(OwnProcess):
    """A process that outlives its end."""

    ended = 0

    def end(self):
        """Count it."""
        self.ended += 1


@pytest.mark.usefixtures("interruptible")
def test_a_process_ends_after_a_task_that_leaves_it(job):
    """Spark starts another one, as the task has not been stopped."""

    def steer():
        until(job, lambda tasks: tasks[0].state == "RUNNING" and tasks[0].pid)
        job.leave(0)
        until(job, lambda tasks: tasks[0].state == "RESTARTING" and not tasks[0].pid)

    process = Endless(lambda _: None)
    state = hosted(job, steer, process)

    assert (state, job.statuses[0].state, process.ended) == ("STOPPED", "RESTARTING", 1)


@pytest.mark.usefixtures("interruptible")
def test_a_process_outlives_a_task_that_is_stopped(job):
    """Spark ends it, once its own task is done."""

    def steer():
        until(job, lambda tasks: tasks[0].state == "RUNNING")
        job.stop(5.0)

    process = Endless(lambda _: None)
    hosted(job, steer, process)

    assert process.ended == 0


class Waits:
    """An event that is not set for some turns; remembers how long each was to be."""

    def __init__(self, turns):
        self.asked = []
        self._turns = turns

    def wait(self, timeout_s):
        """At once."""
        self.asked.append(timeout_s)
        return len(self.asked) == self._turns


def test_a_calm_task_looks_for_changes_less_and_less_often():
    """A hundred of them share a machine."""
    report = implementation.TaskReport(FakeChannel())
    report._ended = Waits(5)

    report._beat()

    assert report._ended.asked == [0.25, 0.25, 0.5, 1.0, 1.0]


@pytest.mark.parametrize("ending", ["resume", "stop"])
def test_a_task_that_is_paused_does_not_begin_before_it_is_resumed(ending, channel):
    """It tells so; one that is stopped meanwhile never begins."""
    report, control = implementation.TaskReport(channel), TaskControl(paused=True)
    reported = []

    def hold():
        reported.append(report.holds_still(control))

    thread = threading.Thread(target=hold)
    thread.start()
    assert channel.heard.wait(10)
    assert reported == []
    getattr(control, ending)()
    thread.join(10)

    assert [each.state for each in channel.sent] == ["PAUSED"]
    assert reported == [ending == "stop"]


def test_a_task_that_runs_begins_at_once(channel):
    """Without a word of a pause; one that is to stop by then does not."""
    report, control = implementation.TaskReport(channel), TaskControl()
    assert not report.holds_still(control)
    control.stop()
    assert report.holds_still(control)
    assert channel.sent == []
