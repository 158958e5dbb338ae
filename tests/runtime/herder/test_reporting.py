"""What a worker tells of a connector, before and after another one has taken over."""

from __future__ import annotations

import pytest

from plugwright.errors import ConnectError
from plugwright.herder import MemoryLog, StatusStore, TaskUpdate
from plugwright.herder.reporting import StatusReporter
from plugwright.herder.status_store import Status


class Away(MemoryLog):
    """A log that refuses everything while Kafka is away."""

    away = False

    def send(self, entries, writer=None):
        """Write, or not."""
        if self.away:
            raise ConnectError("no answer", code="kafka.unwritable")
        super().send(entries, writer)


class World:
    """Two workers that have the connector one after the other."""

    def __init__(self, first=10, second=20):
        self.clock = second
        self.log = Away()
        self.store = StatusStore(self.log)
        self.store.start()
        self.timers, self.gone = [], set()
        self.first = StatusReporter(
            "a",
            self.store,
            "first:8083",
            lambda: first,
            start_timer=self._later,
            exists=lambda part: part not in self.gone,
        )
        self.first.connector("RUNNING")
        self.first.tasks({0: TaskUpdate("RUNNING")})

    def _later(self, _, work):
        self.timers.append(work)
        return lambda: self.timers.remove(work)

    def wait(self):
        """The time of everything that waits has come."""
        due, self.timers = self.timers, []
        for work in due:
            work()

    def take_over(self):
        """The second worker runs it."""
        self.second = StatusReporter("a", self.store, "second:8083", lambda: self.clock)
        self.second.connector("RUNNING")
        self.second.tasks({0: TaskUpdate("RUNNING")})

    @property
    def stored(self):
        """State and worker of the connector and of its task."""
        statuses = [self.store.connector("a"), self.store.tasks("a")[0]]
        return [(status.state, status.worker_id) for status in statuses]


ENDS = {
    "released": lambda worker: worker.unassigned([0], connector=True),
    "failed": lambda worker: (worker.connector("FAILED"), worker.tasks({0: TaskUpdate("FAILED")})),
}


@pytest.mark.parametrize("end", ENDS.values(), ids=ENDS)
def test_a_former_owner_that_comes_to_its_end_is_not_heard(end):
    """It was suspended, and the new owner has begun meanwhile."""
    world = World()
    world.take_over()
    end(world.first)
    assert world.stored == [("RUNNING", "second:8083")] * 2


@pytest.mark.parametrize("clock", [10, 20, 5], ids=["same time", "later", "slow clock"])
def test_the_owner_is_heard_whatever_its_clock_says(clock):
    """Its statuses are newer than those of the former owner, which it knows."""
    world = World(10, clock)
    world.take_over()
    world.second.tasks({0: TaskUpdate("FAILED", "boom")})
    assert world.stored == [("RUNNING", "second:8083"), ("FAILED", "second:8083")]


def test_letting_go_is_reported_while_no_other_worker_has_it():
    """The connector and its tasks wait for a worker."""
    world = World()
    world.first.unassigned([0], connector=True)
    assert world.stored == [("UNASSIGNED", "first:8083")] * 2


def test_a_new_owner_has_a_newer_generation():
    """So that the former owner sees that it was overtaken."""
    world = World(10, 5)
    world.take_over()
    assert world.store.connector("a") == Status("RUNNING", "second:8083", "", 11)


def test_a_worker_that_slept_past_its_session_looks_before_it_tells(monkeypatch):
    """It was about to report RUNNING; the present owner reports that itself."""
    world = World()
    world.take_over()
    monkeypatch.setattr("plugwright.herder.reporting._SURE_S", -1.0)

    world.first.connector("RUNNING")
    world.first.tasks({0: TaskUpdate("RUNNING", topics=("t",))})
    world.first.restarting([0], connector=True)

    assert world.stored == [("RUNNING", "second:8083")] * 2
    assert world.store.topics("a") == []


def test_topics_that_were_under_way_during_a_reset_are_not_reported():
    """The order to forget them waits behind updates that name them."""
    world = World()

    world.first.hold_topics()
    world.first.hold_topics()
    world.first.tasks({0: TaskUpdate("RUNNING", topics=("before",))})
    world.first.release_topics()
    world.first.tasks({0: TaskUpdate("RUNNING", topics=("between",))})
    world.first.release_topics()
    world.first.tasks({0: TaskUpdate("RUNNING", topics=("after",))})

    assert world.store.topics("a") == ["after"]


def test_the_owner_tells_however_long_it_was_silent(monkeypatch):
    """Its own statuses are the newest."""
    monkeypatch.setattr("plugwright.herder.reporting._SURE_S", -1.0)
    world = World()

    world.first.tasks({0: TaskUpdate("PAUSED")})

    assert world.stored == [("RUNNING", "first:8083"), ("PAUSED", "first:8083")]


def test_no_second_look_comes_within_a_moment(monkeypatch):
    """A start tells of many tasks; each look asks Kafka."""
    world = World()
    looks = []
    monkeypatch.setattr(world.store, "refresh", lambda: looks.append(True))

    world.first.tasks({n: TaskUpdate("RUNNING") for n in range(3)})
    world.first.connector("PAUSED")

    assert looks == []


def test_a_status_that_could_not_be_written_is_written_later():
    """Kafka was away for longer than the client tries; the newest of each part counts."""
    world = World()
    world.log.away = True
    world.first.connector("PAUSED")
    world.first.tasks({0: TaskUpdate("UNASSIGNED")})
    world.first.tasks({0: TaskUpdate("FAILED", "boom")})
    world.wait()
    before = world.stored
    world.log.away = False
    world.wait()

    assert before == [("RUNNING", "first:8083")] * 2
    assert world.stored == [("PAUSED", "first:8083"), ("FAILED", "first:8083")]
    assert world.store.tasks("a")[0].trace == "boom"
    assert world.timers == []


def test_a_newer_status_takes_the_place_of_an_unwritten_one():
    """The older one does not come after it."""
    world = World()
    world.log.away = True
    world.first.tasks({0: TaskUpdate("FAILED", "boom")})
    world.log.away = False
    world.first.tasks({0: TaskUpdate("RUNNING")})
    world.wait()

    assert world.stored == [("RUNNING", "first:8083")] * 2


def test_what_is_another_workers_by_now_is_not_written_later():
    """Of the connector; of its task, which stayed, it is."""
    world = World()
    world.log.away = True
    world.first.connector("UNASSIGNED")
    world.first.tasks({0: TaskUpdate("PAUSED")})
    world.log.away = False
    StatusReporter("a", world.store, "second:8083", lambda: 20).connector("RUNNING")
    world.wait()

    assert world.stored == [("RUNNING", "second:8083"), ("PAUSED", "first:8083")]


def test_a_task_that_is_not_configured_any_more_gets_no_status_later():
    """The connector has fewer tasks by now; what it has is written."""
    world = World()
    world.log.away = True
    world.first.tasks({0: TaskUpdate("PAUSED"), 1: TaskUpdate("FAILED")})
    world.log.away, world.gone = False, {1}
    world.wait()

    assert {n: status.state for n, status in world.store.tasks("a").items()} == {0: "PAUSED"}


@pytest.mark.parametrize("end", ["forget", "forget_tasks", "close"])
def test_nothing_of_a_removed_connector_is_written_later(end):
    """Nor once its worker is done with it."""
    world = World()
    world.store.remove("a")
    world.log.away = True
    world.first.connector("FAILED")
    world.first.tasks({0: TaskUpdate("FAILED")})
    world.log.away = False
    getattr(world.first, end)()
    world.first._tell_again()
    world.wait()

    assert world.store.connector("a") is None
    assert world.store.tasks("a") == {}


def test_tasks_that_another_worker_has_taken_over_do_not_silence_the_others():
    """They are reported together, and only one of them runs elsewhere by now."""
    world = World()
    world.first.tasks({1: TaskUpdate("RUNNING")})
    world.take_over()

    world.first.tasks({0: TaskUpdate("FAILED"), 1: TaskUpdate("FAILED", "boom")})

    stored = {n: (task.state, task.worker_id) for n, task in world.store.tasks("a").items()}
    assert stored == {0: ("RUNNING", "second:8083"), 1: ("FAILED", "first:8083")}


def test_kafka_is_not_asked_where_nothing_is_to_be_said(monkeypatch):
    """A request to restart a connector reaches every worker, most of which have no such task."""
    world = World()
    asked = []
    monkeypatch.setattr(world.log, "read_to_end", lambda: asked.append(1))
    monkeypatch.setattr("plugwright.herder.reporting._SURE_S", -1.0)

    world.first.restarting([], connector=False)
    world.first.tasks({})
    assert asked == []

    world.first.restarting([0], connector=False)
    assert asked == [1]
