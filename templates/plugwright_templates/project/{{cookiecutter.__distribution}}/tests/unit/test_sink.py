"""The sink, driven by hand as a worker drives it."""

from __future__ import annotations

{% if cookiecutter.__ledger %}
import sqlite3
from contextlib import closing
{% endif %}
from typing import TYPE_CHECKING, Any

import pytest
from plugwright import ConfigError, DataError, SinkRecord, TopicPartition

from {{ cookiecutter.__package }}.sink import (
    CONFIG,
    {{ cookiecutter.__prefix }}SinkConnector,
    {{ cookiecutter.__prefix }}SinkTask,
)

if TYPE_CHECKING:
{% if cookiecutter.__ledger %}
    from collections.abc import Mapping
{% endif %}
    from pathlib import Path

{% if cookiecutter.__ledger %}
    from plugwright import ErrantRecordReporter, PluginMetrics
{% endif %}

{% if cookiecutter.__ledger %}
HOME = TopicPartition("entries", 0)


class Context:
    """What a worker offers to a sink task; remembers where the task wants to continue."""

    def __init__(self) -> None:
        self.configs: Mapping[str, str] = {}
        self.sought: dict[TopicPartition, int] = {}

    def offset(self, offsets: Mapping[TopicPartition, int]) -> None:
        """Remember them."""
        self.sought.update(offsets)

    def errant_record_reporter(self) -> ErrantRecordReporter | None:
        """There is none."""
        return None

    def plugin_metrics(self) -> PluginMetrics:
        """Not used by these tests."""
        raise NotImplementedError

    def assignment(self) -> set[TopicPartition]:
        """Not used by these tests."""
        raise NotImplementedError

    def timeout(self, timeout_ms: int) -> None:
        """Not used by these tests."""
        raise NotImplementedError

    def pause(self, *partitions: TopicPartition) -> None:
        """Not used by these tests."""
        raise NotImplementedError

    def resume(self, *partitions: TopicPartition) -> None:
        """Not used by these tests."""
        raise NotImplementedError

    def request_commit(self) -> None:
        """Not used by these tests."""
        raise NotImplementedError


{% endif %}
def record(value: Any, offset: int = 0) -> SinkRecord:
    """A record as a worker hands it over."""
    return SinkRecord("entries", 0, None, None, None, value, offset)


{% if cookiecutter.__ledger %}
def started(path: Path) -> tuple[{{ cookiecutter.__prefix }}SinkTask, Context]:
    """A task at work on a ledger, with its context."""
    task, context = {{ cookiecutter.__prefix }}SinkTask(), Context()
    task.initialize(context)
    task.start({"file": str(path)})
    task.open([HOME, TopicPartition("entries", 1)])
    return task, context


def texts(path: Path) -> list[str | None]:
    """What is in the ledger, in order."""
    with closing(sqlite3.connect(path)) as database:
        return [text for (text,) in database.execute("SELECT text FROM entries ORDER BY number")]


def test_each_record_becomes_an_entry(tmp_path: Path) -> None:
    """A tombstone is an entry, too."""
    task, context = started(tmp_path / "ledger")

    task.put([record("one", 0), record(None, 1)])
    task.put([])

    assert texts(tmp_path / "ledger") == ["one", None]
    assert context.sought == {}
    task.stop()


def test_a_task_continues_where_the_ledger_ends(tmp_path: Path) -> None:
    """Whatever offsets were committed before the crash."""
    started(tmp_path / "ledger")[0].put([record("one", 6)])

    task, context = started(tmp_path / "ledger")

    assert context.sought == {HOME: 7}
    task.put([record("one", 6), record("two", 7)])
    assert texts(tmp_path / "ledger") == ["one", "two"]


def test_value_that_is_no_text_fails_its_whole_batch(tmp_path: Path) -> None:
    """Nothing of it is written, so that it may come again."""
    task, _ = started(tmp_path / "ledger")

    with pytest.raises(DataError, match="a ledger takes text, found int at entries-0@7"):
        task.put([record("one", 6), record(1, 7)])

    assert texts(tmp_path / "ledger") == []


def test_altered_offsets_move_the_positions(tmp_path: Path) -> None:
    """A reset makes the sink take everything again."""
    path = tmp_path / "ledger"
    started(path)[0].put([record("one", 0)])

    settings = {"file": str(path)}
    assert {{ cookiecutter.__prefix }}SinkConnector().alter_offsets(settings, {HOME: None})

    task, context = started(path)
    assert context.sought == {}
    task.put([record("one", 0)])
    assert texts(path) == ["one", "one"]


{% else %}
@pytest.fixture
def task(tmp_path: Path) -> {{ cookiecutter.__prefix }}SinkTask:
    """A task at work on a journal."""
    task = {{ cookiecutter.__prefix }}SinkTask()
    task.start({"file": str(tmp_path / "journal.jsonl")})
    return task


def test_each_record_becomes_an_entry(
    task: {{ cookiecutter.__prefix }}SinkTask,
    tmp_path: Path,
) -> None:
    """A tombstone is an entry, too."""
    task.put([record("one", 0), record(None, 1)])
    task.put([])

    offsets = {TopicPartition("entries", 0): 2}
    assert task.pre_commit(offsets) == offsets
    assert (tmp_path / "journal.jsonl").read_bytes() == b'"one"\nnull\n'
    task.stop()


def test_value_that_is_no_text_fails_its_whole_batch(
    task: {{ cookiecutter.__prefix }}SinkTask,
    tmp_path: Path,
) -> None:
    """Nothing of it is written, so that it may come again."""
    with pytest.raises(DataError, match="a journal takes text, found int at entries-0@7"):
        task.put([record("one", 6), record(1, 7)])

    assert not (tmp_path / "journal.jsonl").exists()


def test_stopping_twice_is_stopping(task: {{ cookiecutter.__prefix }}SinkTask) -> None:
    """A forced shutdown comes after an orderly one."""
    task.put([record("one")])
    task.stop()
    task.stop()


{% endif %}
def test_tasks_share_the_settings() -> None:
    """Kafka divides the partitions among them."""
    connector = {{ cookiecutter.__prefix }}SinkConnector()

{% if cookiecutter.__ledger %}
    connector.start({"file": "ledger"})
{% else %}
    connector.start({"file": "journal.jsonl"})
{% endif %}

{% if cookiecutter.__ledger %}
    assert connector.task_configs(2) == [{"file": "ledger"}] * 2
{% else %}
    assert connector.task_configs(2) == [{"file": "journal.jsonl"}] * 2
{% endif %}
    assert connector.task_class() is {{ cookiecutter.__prefix }}SinkTask


def test_missing_setting_is_named() -> None:
    """Before anything runs."""
    with pytest.raises(ConfigError, match='"file" which has no default value'):
        CONFIG.parse({})
