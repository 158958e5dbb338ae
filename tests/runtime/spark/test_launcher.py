"""How tasks are put onto Spark, without Spark."""

from __future__ import annotations

import queue
from types import SimpleNamespace

import pytest
from pyspark import cloudpickle
from tests.runtime.spark.hosts import task_spec

from plugwright.spark import SparkLauncher, StreamSettings
from plugwright.spark.tickets import TICKET_PROPERTY


class FakeSession:
    """Keeps the environments that plans were made in, and the names of the jobs that ran."""

    def __init__(self):
        self.planned, self.ran, self.keys = [], queue.Queue(), queue.Queue()
        self.pools = queue.Queue()
        self.sparkContext = SimpleNamespace(
            environment={"MINE": "1"},
            master="local[2]",
            pythonExec="python3",
            addJobTag=lambda _: None,
            cancelJobsWithTag=lambda _: None,
            getConf=lambda: {"spark.driver.host": "127.0.0.1"},
            setLocalProperty=self._set,
        )

    def _set(self, key, value):
        kept = {TICKET_PROPERTY: self.keys, "spark.scheduler.pool": self.pools}
        kept.get(key, self.ran).put((key, value))

    def range(self, *_):
        """The plan itself."""
        return self

    def mapInArrow(self, host, schema):  # noqa: N802  # Spark's name
        """Made now, under the present environment."""
        self.planned.append(dict(self.sparkContext.environment))
        self.broadcast = cloudpickle.dumps(host)
        return self

    def collect(self):
        """Over at once."""


@pytest.fixture
def session():
    """A fresh one."""
    return FakeSession()


@pytest.fixture
def launcher(session):
    """Puts tasks onto the session."""
    launcher = SparkLauncher(session)
    yield launcher
    launcher.close()


def test_each_family_of_processes_is_made_ready_ahead(launcher, session):
    """One empty task each."""
    launcher.prepare(["/one", "/two"])
    locations = [environment["PLUGWRIGHT_LOCATIONS"] for environment in session.planned]
    assert locations == ["/one", "/two"]


def test_jobs_of_the_same_shape_share_one_plan(launcher, session):
    """To make one takes Spark a tenth of a second, which a hundred connectors would wait for."""
    for name in ("a", "b"):
        launcher.launch(name, [task_spec()], python_path="/one")
    launcher.launch("c", [task_spec(), task_spec(1)], python_path="/one")
    launcher.launch("d", [task_spec()], python_path="/two")

    locations = [environment["PLUGWRIGHT_LOCATIONS"] for environment in session.planned]
    assert locations == ["/one", "/one", "/two"]
    assert session.sparkContext.environment == {"MINE": "1"}


def test_a_job_that_cannot_be_started_is_forgotten(launcher, monkeypatch):
    """The watch of places would wait for it, and so would the end of the worker."""

    def fail(_):
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as patch:
        patch.setattr("threading.Thread.start", fail)
        with pytest.raises(RuntimeError):
            launcher.launch("a", [task_spec()])
        with pytest.raises(RuntimeError):
            launcher.launch_stream("b", [task_spec()], StreamSettings("checkpoints"))

    assert launcher._all() == []


def test_each_job_tells_its_tasks_which_one_they_are(launcher, session):
    """The plan that they share does not."""
    launcher.launch("a", [task_spec()])
    launcher.launch("b", [task_spec()])

    reported = {session.ran.get(timeout=10), session.ran.get(timeout=10)}
    assert reported == {("plugwright.job", "a"), ("plugwright.job", "b")}


def test_each_connector_has_a_pool_of_its_own(launcher, session):
    """Spark gives a slot that comes free to the pool with the fewest."""
    launcher.launch("a-1", [task_spec()])
    launcher.launch("a-2", [task_spec()])

    reported = {session.pools.get(timeout=10), session.pools.get(timeout=10)}
    assert reported == {("spark.scheduler.pool", task_spec().connector)}


def test_the_key_of_a_job_is_its_own_and_never_in_the_plan(launcher, session):
    """Spark makes a broadcast of the plan, which whoever reaches a port of it can fetch."""
    launcher.launch("a", [task_spec()])
    launcher.launch("b", [task_spec()])

    keys = {session.keys.get(timeout=10)[1], session.keys.get(timeout=10)[1]}
    assert len(keys) == 2
    assert not any(key.encode() in session.broadcast for key in keys)
