"""The sink, driven by hand as a worker drives it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from plugwright import ConfigError, DataError, SinkRecord, TopicPartition

from {{ cookiecutter.__package }}.sink import (
    CONFIG,
    {{ cookiecutter.__prefix }}SinkConnector,
    {{ cookiecutter.__prefix }}SinkTask,
)

if TYPE_CHECKING:
    from pathlib import Path


def record(value: Any, offset: int = 0) -> SinkRecord:
    """A record as a worker hands it over."""
    return SinkRecord("entries", 0, None, None, None, value, offset)


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


def test_tasks_share_the_settings() -> None:
    """Kafka divides the partitions among them."""
    connector = {{ cookiecutter.__prefix }}SinkConnector()

    connector.start({"file": "journal.jsonl"})

    assert connector.task_configs(2) == [{"file": "journal.jsonl"}] * 2
    assert connector.task_class() is {{ cookiecutter.__prefix }}SinkTask


def test_missing_setting_is_named() -> None:
    """Before anything runs."""
    with pytest.raises(ConfigError, match='"file" which has no default value'):
        CONFIG.parse({})
