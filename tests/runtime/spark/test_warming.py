"""An empty task ahead of the first real one, without Spark."""

from __future__ import annotations

import sys
import threading
from pathlib import Path
from types import SimpleNamespace

import pytest

from plugwright.spark import warming
from plugwright.spark.warming import warm_up


class FakeSession:
    """Runs plans at once, or never, or not at all."""

    def __init__(self):
        self.cancelled, self.planned = [], []
        self.may_end = threading.Event()
        self.may_end.set()
        self.failure = None
        self.tags = []
        self.sparkContext = SimpleNamespace(
            environment={"MINE": "1"},
            master="local[2]",
            pythonExec="python3",
            addJobTag=self.tags.append,
            cancelJobsWithTag=self.cancelled.append,
        )

    def range(self, *numbers):
        """Of one task."""
        assert numbers == (0, 1, 1, 1)
        return self

    def mapInArrow(self, host, schema):  # noqa: N802  # Spark's name
        """Made now, under the present environment."""
        assert list(host(iter(["batch"]))) == ["batch"]
        self.planned.append(dict(self.sparkContext.environment))
        return self

    def collect(self):
        """Over when it may be."""
        assert self.may_end.wait(10)
        if self.failure is not None:
            raise self.failure


@pytest.fixture
def session():
    """A fresh one."""
    session = FakeSession()
    yield session
    session.may_end.set()


def test_an_empty_task_runs_where_the_first_real_one_will(session):
    """In the processes of these directories; the session stays as it was."""
    assert warm_up(session, "/one")
    assert [each["PLUGWRIGHT_LOCATIONS"] for each in session.planned] == ["/one"]
    assert session.sparkContext.environment == {"MINE": "1"}
    assert session.cancelled == []


def test_a_cluster_without_executors_is_not_waited_for_forever(session, caplog):
    """The task is taken back, and the worker goes on."""
    session.may_end.clear()

    assert not warm_up(session, "", limit_s=0.01)

    assert session.cancelled == session.tags
    assert "has not run an empty task" in caplog.text


@pytest.mark.slow
def test_a_task_that_cannot_run_is_not_waited_for(session):
    """Whoever knows that it fails again and again may say so; its job has the tag."""
    session.may_end.clear()
    asked = []

    assert not warm_up(session, "", 60.0, lambda tag: asked.append(tag) or len(asked) > 1)

    assert asked == [*session.tags] * 2
    assert session.cancelled == session.tags


def test_what_fails_then_is_for_the_real_task_to_tell(session):
    """It has a connector to tell it to."""
    session.failure = RuntimeError("no Python")
    assert not warm_up(session, "/one")


@pytest.mark.parametrize(
    ("python", "site"),
    [
        (
            "./environment/bin/python",
            "environment/lib/python{0}.{1}/site-packages/plugwright/spark",
        ),
        ("python3", None),
        ("/usr/bin/python3", None),
    ],
)
def test_start_up_files_are_where_the_interpreter_of_executors_is(session, python, site):
    """In an environment that Spark unpacks there, or where this process has them."""
    session.sparkContext.pythonExec = python
    here = str(Path(warming.__file__).parent)

    warm_up(session, "/one")

    expected = here if site is None else site.format(*sys.version_info)
    assert session.planned[0]["PYTHONPATH"] == f"{expected}/_site"
