"""Which tables are read, by whom, and that new ones are noticed."""

from __future__ import annotations

import json
import threading

import pytest
from tests.plugin_path.sql.driving import copied, source

from plugwright import ConnectError, RetriableError
from plugwright_conformance.subject.contexts import RecordingConnectorContext
from plugwright_sql import SqlSourceConnector
from plugwright_sql.table_list import TableWatch

BASE = {"mode": "bulk", "topic.prefix": "p-"}


def _shared_out(url, tasks, **settings):
    connector = SqlSourceConnector()
    connector.initialize(RecordingConnectorContext())
    connector.start(
        {
            **BASE,
            "connection.url": url,
            **{key.replace("_", "."): value for key, value in settings.items()},
        }
    )
    try:
        configs = connector.task_configs(tasks)
    finally:
        connector.stop()
    return [[name for _, name in json.loads(config["tables"])] for config in configs]


@pytest.fixture
def four(run):
    """Four tables and a view."""
    run(
        "CREATE TABLE a (x INT)",
        "CREATE TABLE b (x INT)",
        "CREATE TABLE bb (x INT)",
        "CREATE TABLE c (x INT)",
        "CREATE VIEW v AS SELECT * FROM a",
    )


@pytest.mark.usefixtures("four")
@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({}, ["a", "b", "bb", "c"]),
        ({"table_whitelist": "c,a,nothing"}, ["a", "c"]),
        ({"table_blacklist": "a,b"}, ["bb", "c"]),
        ({"table_include_list": "b+"}, ["b", "bb"]),
        ({"table_include_list": "b", "table_blacklist": "b"}, []),
        ({"table_exclude_list": "b.*,main\\.c"}, ["a"]),
        ({"table_types": "VIEW"}, ["v"]),
        ({"table_types": "TABLE,VIEW", "table_whitelist": "a,v"}, ["a", "v"]),
    ],
)
def test_lists_choose_tables(url, settings, expected):
    """White and black by name, include and exclude by expression."""
    assert _shared_out(url, 1, **settings) == [expected]


@pytest.mark.usefixtures("four")
@pytest.mark.parametrize(
    ("tasks", "expected"),
    [
        (1, [["a", "b", "bb", "c"]]),
        (2, [["a", "b"], ["bb", "c"]]),
        (3, [["a", "b"], ["bb"], ["c"]]),
        (9, [["a"], ["b"], ["bb"], ["c"]]),
    ],
)
def test_tasks_share_the_tables(url, tasks, expected):
    """Every table has one task, and there is none without a table."""
    assert _shared_out(url, tasks) == expected


def test_tables_take_turns(url, run):
    """A long table does not keep the others waiting."""
    run("CREATE TABLE a (id INTEGER PRIMARY KEY)", "CREATE TABLE b (id INTEGER PRIMARY KEY)")
    run(*(f"INSERT INTO {t} VALUES ({n})" for t in "ab" for n in range(4)))
    with source(url, mode="incrementing", batch_max_rows="2") as task:
        assert [r.topic for r in copied(task)] == ["p-a"] * 2 + ["p-b"] * 2 + ["p-a"] * 2 + [
            "p-b"
        ] * 2


def test_one_topic_may_take_all_tables(url, run):
    """Instead of one for each."""
    run("CREATE TABLE a (id INTEGER PRIMARY KEY)", "INSERT INTO a VALUES (1)")
    with source(url, mode="incrementing", topic="all") as task:
        assert [r.topic for r in copied(task)] == ["all"]


def test_new_and_removed_tables_are_noticed():
    """Each change once; a failure that may pass ends nothing."""
    looks = [["a"], RetriableError("away"), ["a", "b"], ["a", "b"], ["b"], ConnectError("refused")]
    changes, failures, ended = [], [], threading.Event()

    def look():
        found = looks.pop(0)
        if isinstance(found, Exception):
            raise found
        return found

    def failed(error):
        failures.append(str(error))
        ended.set()

    watch = TableWatch(look, 1, lambda: changes.append(len(looks)), failed)
    watch.start(["a"])
    assert ended.wait(20)
    watch.stop()

    assert changes == [3, 1]
    assert failures == ["refused"]


def test_a_running_connector_asks_for_tasks_when_a_table_is_new(url, run):
    """Through its context."""
    asked = threading.Event()
    context = RecordingConnectorContext()
    context.request_task_reconfiguration = asked.set
    connector = SqlSourceConnector()
    connector.initialize(context)
    run("CREATE TABLE a (x INT)")
    connector.start({**BASE, "connection.url": url, "table.poll.interval.ms": "1"})
    try:
        run("CREATE TABLE b (x INT)")
        assert asked.wait(20)
        assert len(connector.task_configs(2)) == 2
    finally:
        connector.stop()


def test_a_connector_waits_for_a_database_that_is_away(url, run, path, monkeypatch):
    """As often as connection.attempts says, as its tasks do."""
    run("CREATE TABLE a (x INT)")
    away = path.rename(path.with_name("away"))
    connector = SqlSourceConnector()
    waits = []

    def come_back(seconds):
        waits.append(seconds)
        if len(waits) == 2:
            away.rename(path)

    monkeypatch.setattr(connector._stopping, "wait", come_back)
    connector.initialize(RecordingConnectorContext())
    settings = {"connection.attempts": "3", "connection.backoff.ms": "7"}
    connector.start({**BASE, "connection.url": url, **settings})
    try:
        assert waits == [0.007, 0.007]
        assert len(connector.task_configs(1)) == 1
    finally:
        connector.stop()
