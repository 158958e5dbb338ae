"""How tasks are put onto Spark, without Spark."""

from __future__ import annotations

import queue
from types import SimpleNamespace

import pytest

from plugwright.spark import SparkLauncher


class FakeSession:
    """Keeps the environments that plans were made in, and the names of the jobs that ran."""

    def __init__(self):
        self.planned, self.ran = [], queue.Queue()
        self.sparkContext = SimpleNamespace(
            environment={"MINE": "1"},
            addJobTag=lambda _: None,
            cancelJobsWithTag=lambda _: None,
            getConf=lambda: {"spark.driver.host": "127.0.0.1"},
            setLocalProperty=lambda key, value: self.ran.put((key, value)),
        )

    def range(self, *_):
        """The plan itself."""
        return self

    def mapInArrow(self, host, schema):  # noqa: N802  # Spark's name
        """Made now, under the present environment."""
        self.planned.append(dict(self.sparkContext.environment))
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


def test_jobs_of_the_same_shape_share_one_plan(launcher, session):
    """To make one takes Spark a tenth of a second, which a hundred connectors would wait for."""
    for name in ("a", "b"):
        launcher.launch(name, [None], python_path="/one")
    launcher.launch("c", [None, None], python_path="/one")
    launcher.launch("d", [None], python_path="/two")

    locations = [environment["PLUGWRIGHT_LOCATIONS"] for environment in session.planned]
    assert locations == ["/one", "/one", "/two"]
    assert session.sparkContext.environment == {"MINE": "1"}


def test_each_job_tells_its_tasks_which_one_they_are(launcher, session):
    """The plan that they share does not."""
    launcher.launch("a", [None])
    launcher.launch("b", [None])

    told = {session.ran.get(timeout=10), session.ran.get(timeout=10)}
    assert told == {("plugwright.job", "a"), ("plugwright.job", "b")}
