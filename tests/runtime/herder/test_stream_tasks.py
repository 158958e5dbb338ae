"""Tasks of a streamed connector share a query: what starting and stopping some of them means."""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace

import pytest

from plugwright.herder.stream_tasks import StreamTasks


@dataclass
class Spec:
    """Of a task, as far as this is about it."""

    task: int
    paused: bool = False


class Job:
    """A query that obeys."""

    def __init__(self, name, specs, heard):
        self.name, self.specs, self.heard = name, [spec.task for spec in specs], heard
        self.calls, self.paused = [], [spec.paused for spec in specs]
        self.counters = {spec.task: {"records": 10} for spec in specs}
        self.topics = {spec.task: ("t",) for spec in specs}

    def pause(self):
        """Hold still."""
        self.calls.append("pause")

    def resume(self):
        """Go on."""
        self.calls.append("resume")

    def forget_topics(self, before_ms):
        """Tell anew."""
        self.calls.append(f"forget {before_ms}")

    def stop(self, timeout_s):
        """End in order."""
        self.calls.append("stop")
        return True


class Stage:
    """Tasks 0 and 1, and what is heard of them."""

    def __init__(self):
        self.jobs, self.updates = [], []
        self.tasks = StreamTasks(self._launch)
        self.start("c-1", 0, 1)

    def _launch(self, name, specs, heard):
        self.jobs.append(Job(name, specs, heard))
        return self.jobs[-1]

    def start(self, name, *numbers, paused=False):
        """Under the name of a launch."""
        specs = [Spec(number, paused) for number in numbers]
        self.tasks.start(
            name, specs, lambda n, updates: self.updates.append((name, n, updates.state))
        )


@pytest.fixture
def stage():
    """Just started."""
    return Stage()


def test_a_task_is_restarted_with_its_query(stage):
    """The others are RESTARTING meanwhile, and reported to their launcher."""
    gracefully = stage.tasks.stop(5.0, [1])
    stage.start("c-2", 1)
    for number in (0, 1):
        stage.jobs[1].heard(number, SimpleNamespace(state="RUNNING", trace="", topics=()))

    assert gracefully
    assert [(job.name, job.specs) for job in stage.jobs] == [("c-1", [0, 1]), ("c-2", [0, 1])]
    assert stage.jobs[0].calls == ["stop"]
    assert stage.updates == [("c-1", 0, "RESTARTING"), ("c-1", 0, "RUNNING"), ("c-2", 1, "RUNNING")]


def test_a_paused_connector_stays_paused_when_a_task_is_restarted(stage):
    """Until it is resumed, or all of it was stopped."""
    stage.tasks.pause()
    stage.tasks.stop(5.0, [0])
    stage.start("c-2", 0)
    stage.tasks.stop(5.0)
    stage.start("c-3", 0, 1)

    assert [job.calls for job in stage.jobs] == [["pause", "stop"], ["stop"], []]
    assert [job.paused for job in stage.jobs] == [[False] * 2, [True] * 2, [False] * 2]


def test_tasks_that_are_launched_paused_begin_so_until_they_are_resumed(stage):
    """A restart after that begins running, whatever the first launch said."""
    stage.tasks.stop(5.0)
    stage.start("c-2", 0, 1, paused=True)
    stage.tasks.resume()
    stage.tasks.stop(5.0, [0])
    stage.start("c-3", 0)

    assert [job.paused for job in stage.jobs[1:]] == [[True, True], [False, False]]


def test_totals_of_tasks_that_stay_go_on_growing(stage):
    """Those of a restarted task are its runner's to carry on."""
    stage.tasks.stop(5.0, [1])
    stage.start("c-2", 1)

    assert stage.tasks.counters() == {0: {"records": 20}, 1: {"records": 10}}


def test_the_topics_of_tasks_that_have_stopped_are_known(stage):
    """They may have used some on the way."""
    before = stage.tasks.topics()
    stage.tasks.stop(5.0)

    assert before == stage.tasks.topics() == {0: ("t",), 1: ("t",)}


def test_what_is_reported_of_a_task_that_was_stopped_is_not_heard(stage):
    """It has left already."""
    stage.tasks.stop(5.0)
    stage.jobs[0].heard(0, SimpleNamespace(state="STOPPED", trace="", topics=()))

    assert stage.updates == []
    assert stage.tasks.counters() == {0: {"records": 10}, 1: {"records": 10}}
