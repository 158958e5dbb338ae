"""The sink that a C5 sink is held against: lines and offsets change together."""

from __future__ import annotations

import sqlite3

import pytest

from plugwright import RetriableError, SinkRecord, TopicPartition
from plugwright_conformance.reference import reference_for
from plugwright_conformance.reference.rows.exact_sink import ExactSinkTask

HOME = TopicPartition("orders", 0)


class Context:
    """Keeps what a task wants to resume at."""

    def __init__(self):
        self.sought = {}

    def offset(self, offsets):
        """Seek."""
        self.sought.update(offsets)


@pytest.fixture
def task(tmp_path):
    """A new task over one and the same database."""

    def task():
        made = ExactSinkTask()
        made.initialize(Context())
        made.start({"rows.url": f"rows://user@localhost{tmp_path}", "rows.text": "true"})
        made.open([HOME])
        return made

    return task


@pytest.fixture
def lines(tmp_path):
    """Reads the table as another program does."""
    database = sqlite3.connect(tmp_path / "lines.sqlite")
    yield lambda: [line for (line,) in database.execute("SELECT line FROM lines")]
    database.close()


def records(*offsets):
    """One record of text for each offset."""
    return [SinkRecord("orders", 0, None, None, None, f"line {n}", n) for n in offsets]


@pytest.mark.parametrize(
    ("kind", "exact", "name"),
    [
        ("sink", False, "lines-sink"),
        ("sink", True, "exact-lines-sink"),
        ("source", False, "lines-source"),
        ("source", True, "lines-source"),
    ],
)
def test_exactly_once_plugin_is_held_against_one_that_declares_the_same(kind, exact, name):
    """An at-least-once connector cannot reach C5; held against it, every run is invalid."""
    assert reference_for(kind, exact=exact).name == name


def test_new_task_resumes_after_the_lines_that_are_there(task, lines):
    """Kafka may know less: the commit there comes after the one here."""
    task().put(records(0, 1, 2))

    assert task().context.sought == {HOME: 3}
    assert lines() == ['"line 0"', '"line 1"', '"line 2"']


def test_two_tasks_of_one_partition_write_each_line_once(task, lines):
    """A task that was lost and is still there does no harm."""
    lost, new = task(), task()

    new.put(records(0, 1))
    lost.put(records(0, 1, 2))
    new.put(records(2, 3))

    assert lines() == ['"line 0"', '"line 1"', '"line 2"', '"line 3"']


def test_transaction_that_fails_leaves_neither_lines_nor_offsets(task, lines, tmp_path):
    """The runtime gives the batch again."""
    made = task()
    database = sqlite3.connect(tmp_path / "lines.sqlite", isolation_level=None)
    database.execute(
        "CREATE TRIGGER no BEFORE INSERT ON ends BEGIN SELECT RAISE(FAIL, 'disk is full'); END"
    )

    with pytest.raises(RetriableError, match="disk is full"):
        made.put(records(0))
    assert lines() == []

    database.execute("DROP TRIGGER no")
    database.close()
    made.put(records(0))
    assert lines() == ['"line 0"']
