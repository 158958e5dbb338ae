"""The file sink: every value a line, durable before its offset."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plugwright import (
    ConnectError,
    DataError,
    RetriableError,
    SinkRecord,
    TopicPartition,
)
from plugwright_file_sink import FileStreamSinkConnector, FileStreamSinkTask
from plugwright_file_sink.testing import FileEndpoint

HERE = TopicPartition("t", 0)


def _record(value, offset=0):
    return SinkRecord("t", 0, None, None, None, value, offset)


def _start(file):
    task = FileStreamSinkTask()
    task.start({"file": str(file)})
    return task


@pytest.fixture
def task(lines):
    """A started task."""
    task = _start(lines)
    yield task
    task.stop()


def test_each_value_is_a_line(task, lines):
    """In order, as UTF-8; a carriage return is part of its value."""
    task.put([_record("ä"), _record(""), _record("b\r"), _record(" c ")])
    assert lines.read_bytes() == "ä\n\nb\r\n c \n".encode()


def test_a_tombstone_is_written_as_null(task, lines):
    """As Kafka's own file sink does (println of null)."""
    task.put([_record(None)])
    assert lines.read_bytes() == b"null\n"


def test_an_empty_put_writes_nothing(task, lines):
    """The runtime sends them on idle topics."""
    task.put([])
    assert lines.read_bytes() == b""


def test_an_existing_file_is_appended_to(lines):
    """A restart keeps what is there."""
    lines.write_bytes(b"old\n")
    task = _start(lines)
    task.put([_record("new")])
    task.stop()
    assert lines.read_bytes() == b"old\nnew\n"


@pytest.mark.parametrize("value", [5, b"a", {"a": 1}, ["a"], True], ids=repr)
def test_another_type_fails_the_task_with_the_records_place(task, lines, value):
    """And nothing of the batch is written."""
    with pytest.raises(DataError, match=rf"found {type(value).__name__} at t-0@7") as caught:
        task.put([_record("a"), _record(value, 7)])
    assert caught.value.code == "file-sink.not-a-string"
    assert lines.read_bytes() == b""


def test_text_that_is_no_unicode_fails_the_task(task, lines):
    """Half a surrogate pair cannot be written."""
    with pytest.raises(DataError) as caught:
        task.put([_record("a"), _record("\ud800")])
    assert (caught.value.code, lines.read_bytes()) == ("file-sink.not-utf-8", b"")


def test_offsets_wait_for_the_disk(task, monkeypatch):
    """pre_commit returns after fsync of the file that was written."""
    synced = []
    monkeypatch.setattr(os, "fsync", synced.append)
    task.put([_record("a")])
    assert task.pre_commit({HERE: 1}) == {HERE: 1}
    assert synced == [task._descriptor]


def test_a_disk_that_fails_keeps_the_offsets_back(task, monkeypatch):
    """An exception from pre_commit commits nothing."""

    def fail(_):
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(ConnectError, match="cannot be made durable: Input/output error"):
        task.pre_commit({HERE: 1})


class _Disk:
    """Takes so many bytes a write, and has room for so many."""

    def __init__(self, at_once, room):
        self.content = b""
        self._at_once = at_once
        self._room = room

    def write(self, _, data):
        """What os.write does."""
        count = min(len(data), self._at_once, self._room - len(self.content))
        if not count:
            raise OSError(errno.ENOSPC, "No space left on device")
        self.content += bytes(data[:count])
        return count


def test_short_writes_are_continued(task, monkeypatch):
    """The system may take less than it was given."""
    disk = _Disk(3, 100)
    monkeypatch.setattr(os, "write", disk.write)
    task.put([_record("abcdef"), _record("g")])
    assert disk.content == b"abcdef\ng\n"


def test_a_full_disk_is_tried_again_if_nothing_was_written(task, monkeypatch):
    """The same batch may come again without a repetition."""
    monkeypatch.setattr(os, "write", _Disk(9, 0).write)
    with pytest.raises(RetriableError, match="No space left on device"):
        task.put([_record("a")])


def test_a_disk_that_fills_within_a_batch_fails_the_task(task, monkeypatch):
    """Trying again would repeat what was written."""
    monkeypatch.setattr(os, "write", _Disk(9, 3).write)
    with pytest.raises(ConnectError) as caught:
        task.put([_record("abc"), _record("def")])
    assert not isinstance(caught.value, RetriableError)
    assert "last line may be cut" in caught.value.hint


def test_several_writers_do_not_mix_their_lines(lines):
    """Each batch is one write to a file opened for appending."""
    tasks = [_start(lines) for _ in range(3)]
    for round_ in range(5):
        for number, task in enumerate(tasks):
            task.put([_record(f"{number}-{round_}-{'x' * 999}"), _record(f"{number}")])
    for task in tasks:
        task.stop()
    found = lines.read_text().splitlines()
    assert [line[0] for line in found] == ["0", "0", "1", "1", "2", "2"] * 5
    assert all(len(line) in {1, 1003} for line in found)


def test_a_batch_is_one_write(task, monkeypatch):
    """Which is what keeps several writers apart."""
    writes = []
    monkeypatch.setattr(os, "write", lambda _, data: writes.append(bytes(data)) or len(data))
    task.put([_record("a"), _record("b")])
    assert writes == [b"a\nb\n"]


@pytest.mark.parametrize("name", ["missing/lines.txt", "."], ids=["no-directory", "a-directory"])
def test_a_file_that_cannot_be_opened_fails_the_start(tmp_path, name):
    """With the path and the system's reason."""
    with pytest.raises(ConnectError, match="cannot write") as caught:
        _start(tmp_path / name)
    assert caught.value.code == "file-sink.unwritable"


@pytest.mark.parametrize("props", [{}, {"file": ""}], ids=repr)
def test_without_a_file_lines_go_to_standard_output(capsys, props):
    """As Kafka's console sink; the runtime has them in its log."""
    FileStreamSinkConnector().start(props)
    task = FileStreamSinkTask()
    task.start(props)
    task.put([_record("ä"), _record(None)])
    task.flush({})
    task.stop()
    assert capsys.readouterr().out == "ä\nnull\n"


def test_stop_closes_the_file_and_may_come_twice(lines):
    """Also before start, and flush after stop does no harm."""
    FileStreamSinkTask().stop()
    task = _start(lines)
    descriptor = task._descriptor
    task.stop()
    task.stop()
    task.flush({})
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(descriptor)


def test_the_connector_makes_as_many_tasks_as_allowed():
    """All append to the same file."""
    connector = FileStreamSinkConnector()
    connector.start({"file": "f"})
    assert connector.task_configs(3) == [{"file": "f"}] * 3
    assert connector.alter_offsets({}, {HERE: None})


VALUES = st.text(st.characters(exclude_characters="\n", codec="utf-8"))


@pytest.mark.slow
@settings(max_examples=50, deadline=None)
@given(st.lists(st.lists(VALUES, max_size=5), max_size=5))
def test_what_was_put_can_be_read_back(tmp_path_factory, batches):
    """By splitting at line feeds alone."""
    lines = tmp_path_factory.mktemp("sink") / "lines.txt"
    task = _start(lines)
    for batch in batches:
        task.put([_record(value) for value in batch])
    task.stop()
    expected = [value for batch in batches for value in batch]
    assert lines.read_bytes().decode().split("\n")[:-1] == expected


class _Reporter:
    """Takes bad records."""

    def __init__(self):
        self.reported = []

    def report(self, record, error):
        """Note which one, and why."""
        self.reported.append((record.kafka_offset, type(error)))


def test_bad_record_is_reported_and_the_others_are_written(lines):
    """If the runtime has a reporter for it (KIP-610)."""
    task, reporter = FileStreamSinkTask(), _Reporter()
    task.initialize(SimpleNamespace(errant_record_reporter=lambda: reporter))
    task.start({"file": str(lines)})
    task.put([_record("a"), _record(5, 1), _record("\ud800", 2), _record("b", 3)])
    task.stop()
    assert lines.read_bytes() == b"a\nb\n"
    assert reporter.reported == [(1, DataError), (2, DataError)]


@pytest.mark.parametrize(
    ("written", "lines"),
    [(b"", []), (b"a\n\n", ["a", ""]), (b"a\n\xd1", ["a"]), (b"half", [])],
    ids=["nothing", "lines", "half a character", "half a line"],
)
def test_the_endpoint_reads_back_what_is_complete(written, lines, tmp_path):
    """A sink may be in the middle of a write when it is asked."""
    endpoint = FileEndpoint(tmp_path)
    file = Path(endpoint.start()["file"])
    file.write_bytes(written)

    assert endpoint.read_back() == lines
