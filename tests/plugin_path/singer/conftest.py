"""A tap that a test writes, the task that runs it, and a look at what is left afterwards."""

from __future__ import annotations

import threading

import pytest
from tests.plugin_path.singer.programs import context, processes_with, write_program

from plugwright import ConnectError
from plugwright_singer import SingerSourceTask
from plugwright_singer import source_task as implementation


@pytest.fixture(autouse=True)
def scratch(tmp_path, monkeypatch):
    """Where programs have their private files; nothing is left there, nor in the process table."""
    place = tmp_path / "scratch"
    place.mkdir()
    monkeypatch.setenv("TMPDIR", str(place))
    monkeypatch.setattr("tempfile.tempdir", str(place))
    before = {*threading.enumerate()}
    yield place
    assert list(place.iterdir()) == []
    assert processes_with(str(tmp_path)) == []
    assert {*threading.enumerate()} <= before


@pytest.fixture
def tap(tmp_path):
    """Writes the tap; returns its path."""
    return lambda body: write_program(tmp_path / "tap-test", body)


@pytest.fixture
def source(tap):
    """Starts a task with a tap of that body; stops it after the test."""
    tasks = []

    def source(body, stored=None, **props):
        task = SingerSourceTask()
        tasks.append(task)
        task.initialize(context(stored))
        given = {name.replace("_", "."): value for name, value in props.items()}
        program = str(tap(body))
        task.start({"singer.tap": "tap-test", "singer.executable": program, **given})
        return task

    yield source
    for task in tasks:
        task.stop()


@pytest.fixture
def polled():
    """Polls until there are so many records."""

    def polled(task, count):
        found = []
        while len(found) < count:
            found += task.poll() or ()
        return found

    return polled


@pytest.fixture
def failure():
    """Polls until the task fails; the error, and the records before it."""

    def failure(task):
        found = []
        while True:
            try:
                found += task.poll() or ()
            except ConnectError as error:
                return error, found

    return failure


@pytest.fixture
def _patient(monkeypatch):
    """A record is held until it is known what follows, however slow the machine is."""
    monkeypatch.setattr(implementation, "_HOLD_S", 60.0)
