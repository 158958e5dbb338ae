"""The source, driven by hand as a worker drives it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from plugwright import ConfigError, ConnectError

from {{ cookiecutter.__package }}.source import (
    CONFIG,
    {{ cookiecutter.__prefix }}SourceConnector,
    {{ cookiecutter.__prefix }}SourceTask,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from plugwright import PluginMetrics

Offset = dict[str, Any]


class Context:
    """What a worker offers to a source task; knows one stored offset for every partition."""

    def __init__(self, stored: Offset | None) -> None:
        self._stored = stored
        self.configs: Mapping[str, str] = {}
        self.transaction_context = None

    @property
    def offset_storage_reader(self) -> Context:
        """Itself."""
        return self

    def plugin_metrics(self) -> PluginMetrics:
        """Not used by these tests."""
        raise NotImplementedError

    def offset(self, partition: Mapping[str, Any]) -> Offset | None:  # noqa: ARG002
        """The stored offset."""
        return self._stored

    def offsets(
        self, partitions: Iterable[Mapping[str, Any]]
    ) -> Sequence[tuple[Mapping[str, Any], Offset | None]]:
        """The stored offset, for each partition."""
        return [(partition, self._stored) for partition in partitions]


def started(file: Path, stored: Offset | None = None) -> {{ cookiecutter.__prefix }}SourceTask:
    """A task at work on a journal."""
    task = {{ cookiecutter.__prefix }}SourceTask()
    task.initialize(Context(stored))
    task.start({"file": str(file), "topic": "entries", "batch.size": "2"})
    return task


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    """A journal of three entries."""
    path = tmp_path / "journal.jsonl"
    path.write_bytes(b'"one"\n"two"\nnull\n')
    return path


def test_each_entry_becomes_a_record(journal: Path) -> None:
    """In batches, until there are no more."""
    task = started(journal)

    polls = [task.poll() for _ in range(3)]

    values = [[record.value for record in records or []] for records in polls]
    assert values == [["one", "two"], [None], []]


def test_reading_goes_on_after_the_stored_offset(journal: Path) -> None:
    """The offset of a record is the position after it."""
    first = (started(journal).poll() or [])[0]

    rest = started(journal, dict(first.source_offset or {})).poll()

    assert [record.value for record in rest or []] == ["two", None]


@pytest.mark.parametrize(
    "offset",
    [{}, {"position": -1}, {"position": "6"}, {"position": 6, "more": 1}],
    ids=["empty", "negative", "text", "more"],
)
def test_foreign_offset_is_refused(journal: Path, offset: Offset) -> None:
    """A guess would start somewhere."""
    with pytest.raises(ConnectError, match=r"an offset must be {'position': bytes from 0}, found"):
        started(journal, offset)


def test_waiting_poll_ends_when_the_task_stops(tmp_path: Path) -> None:
    """Also if stop came first."""
    task = started(tmp_path / "later")

    task.stop()

    assert task.poll() is None


def test_one_task_reads_one_journal() -> None:
    """With the settings of the connector."""
    connector = {{ cookiecutter.__prefix }}SourceConnector()
    settings = {"file": "journal.jsonl", "topic": "entries"}

    connector.start(settings)

    assert connector.task_configs(7) == [settings]
    assert connector.task_class() is {{ cookiecutter.__prefix }}SourceTask


def test_altered_offsets_have_to_be_positions() -> None:
    """A tool may write anything."""
    connector = {{ cookiecutter.__prefix }}SourceConnector()
    journal = {"file": "journal.jsonl"}

    assert connector.alter_offsets({}, [(journal, {"position": 6}), (journal, None)])
    with pytest.raises(ConnectError, match=r"a source partition must be {'file': text}, found"):
        connector.alter_offsets({}, [({"table": "t"}, None)])


def test_missing_setting_is_named() -> None:
    """Before anything runs."""
    with pytest.raises(ConfigError, match='"topic" which has no default value'):
        CONFIG.parse({"file": "journal.jsonl"})
