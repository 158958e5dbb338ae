"""The file source: every byte of the file, and the position after each line."""

from __future__ import annotations

import os
import threading
import time
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plugwright import ConfigError, ConnectError, DataError, ExactlyOnceSupport, RetriableError
from plugwright.schema import STRING_SCHEMA
from plugwright_file_source import FileStreamSourceConnector, FileStreamSourceTask, standard_input
from plugwright_file_source import task as implementation


@pytest.fixture(autouse=True)
def _impatient(monkeypatch):
    """No test waits for a file to grow."""
    monkeypatch.setattr(implementation, "_WAIT_FOR_GROWTH_S", 0.0)
    monkeypatch.setattr(implementation, "_WAIT_FOR_FILE_S", 0.0)


def _start(file, stored=None, **props):
    task = FileStreamSourceTask()
    reader = SimpleNamespace(offset=lambda partition: stored)
    task.initialize(SimpleNamespace(offset_storage_reader=reader))
    task.start({"file": str(file), "topic": "t", **props})
    return task


def _poll(task, rounds=3):
    """All records of a few polls."""
    return [record for _ in range(rounds) for record in task.poll() or ()]


def _read(file, stored=None, **props):
    task = _start(file, stored, **props)
    try:
        return [(r.value, r.source_offset["position"]) for r in _poll(task)]
    finally:
        task.stop()


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"", []),
        (b"a\n", [("a", 2)]),
        (b"a\nb\n", [("a", 2), ("b", 4)]),
        (b"a\r\nb\r\n", [("a\r", 3), ("b\r", 6)]),
        (b"a\rb\n", [("a\rb", 4)]),
        (b"\n\n", [("", 1), ("", 2)]),
        (b" a \n", [(" a ", 4)]),
        ("ä€😀\n".encode(), [("ä€😀", 10)]),
        (b"a\x00b\x0b\x0c\x1c\n", [("a\x00b\x0b\x0c\x1c", 7)]),
        ("a\u2028b\x85c\n".encode(), [("a\u2028b\x85c", 9)]),
        (b"a\nhalf", [("a", 2)]),
        (b"half", []),
    ],
    ids=repr,
)
def test_lines_and_positions(content, expected, lines):
    """A line feed ends a line, nothing else does; the rest waits."""
    lines.write_bytes(content)
    assert _read(lines) == expected


def test_a_record_says_where_it_comes_from(lines):
    """Partition, offset, topic, schema, time; no key."""
    lines.write_bytes(b"a\n")
    task = _start(lines)
    (record,) = task.poll()
    task.stop()
    assert (record.topic, record.value, record.value_schema) == ("t", "a", STRING_SCHEMA)
    assert record.source_partition == {"filename": str(lines)}
    assert (record.source_offset, record.key, record.kafka_partition) == (
        {"position": 2},
        None,
        None,
    )
    assert abs(record.timestamp / 1000 - time.time()) < 60


def test_a_task_goes_on_where_the_stored_offset_says(lines):
    """Not a byte before, not a byte after."""
    lines.write_bytes("ä\nb\nc\n".encode())
    assert _read(lines, {"position": 3}) == [("b", 5), ("c", 7)]


def test_growth_is_followed(lines):
    """Also in the middle of a line, and of a character."""
    content = "a\nbäc\n".encode()
    task = _start(lines)
    found = []
    with lines.open("wb", buffering=0) as file:
        for byte in content:
            file.write(bytes([byte]))
            found += [record.value for record in _poll(task, 1)]
    task.stop()
    assert found == ["a", "bäc"]


def test_a_file_may_appear_later(lines):
    """Until then there is nothing."""
    task = _start(lines)
    before = task.poll()
    lines.write_bytes(b"a\n")
    after = _poll(task)
    task.stop()
    assert (before, [record.value for record in after]) == (None, ["a"])


@pytest.mark.parametrize("position", [3, 4000], ids=["by-one", "by-far"])
def test_a_file_shorter_than_its_offset_fails_the_task(lines, position):
    """It is not the file that was read; nothing is guessed."""
    lines.write_bytes(b"a\n")
    task = _start(lines, {"position": position})
    with pytest.raises(ConnectError, match=f"2 bytes, but {position}") as caught:
        task.poll()
    task.stop()
    assert caught.value.code == "file-source.truncated"


def test_a_file_that_is_cut_while_it_is_read_fails_the_task(lines):
    """Even in what was read but not yet complete."""
    lines.write_bytes(b"a\nhalf")
    task = _start(lines)
    _poll(task)
    lines.write_bytes(b"a\nha")
    with pytest.raises(ConnectError, match="truncated or replaced"):
        _poll(task)
    task.stop()


@pytest.fixture
def rotated(lines, tmp_path):
    """Reads a file; another one of a given content takes its name, after a while without any."""

    def rotated(content):
        lines.write_bytes(b"a\nhalf")
        task = _start(lines)
        assert [record.value for record in _poll(task)] == ["a"]
        lines.rename(tmp_path / "lines.1")
        assert task.poll() is None
        (tmp_path / "new").write_bytes(content)
        (tmp_path / "new").rename(lines)
        return task

    return rotated


def test_a_file_that_takes_the_name_of_another_one_is_read(rotated):
    """From the same place on."""
    task = rotated(b"a\nhalf of it\n")
    found = _poll(task)
    task.stop()
    assert [(r.value, r.source_offset) for r in found] == [("half of it", {"position": 13})]


def test_a_shorter_file_that_takes_the_name_fails_the_task(rotated):
    """The place is not in it."""
    task = rotated(b"b")
    with pytest.raises(ConnectError, match="truncated or replaced"):
        _poll(task)
    task.stop()


def test_a_batch_is_as_large_as_configured(lines):
    """The positions go on over its end."""
    lines.write_bytes(b"a\nb\nc\n")
    task = _start(lines, **{"batch.size": "2"})
    first, second = task.poll(), task.poll()
    task.stop()
    assert [record.value for record in first] == ["a", "b"]
    assert [(record.value, record.source_offset) for record in second] == [("c", {"position": 6})]


@pytest.mark.slow
def test_a_huge_line_is_one_record(lines):
    """Many times what is read at once, in time that grows with its length."""
    text = "x" * (8 << 20)
    lines.write_bytes(f"a\n{text}\nb\n".encode())
    task = _start(lines)
    values = [record.value for record in _poll(task, 40)]
    task.stop()
    assert (values[0], values[1] == text, values[2:]) == ("a", True, ["b"])


def test_invalid_text_fails_the_task_with_its_place(lines):
    """Byte 5 of the file, after the lines before it were delivered."""
    lines.write_bytes(b"ab\ncd\xff\nef\n")
    task = _start(lines)
    assert [record.value for record in task.poll()] == ["ab"]
    with pytest.raises(DataError, match="not UTF-8 at byte 5") as caught:
        task.poll()
    task.stop()
    assert caught.value.facts["position"] == 5


def test_invalid_text_is_found_again_after_a_restart(lines):
    """The position is that of the file, not of the rest."""
    lines.write_bytes(b"ab\ncd\xff\n")
    task = _start(lines, {"position": 3})
    with pytest.raises(DataError, match="not UTF-8 at byte 5"):
        task.poll()
    task.stop()


def test_a_directory_is_explained(tmp_path):
    """The reason is the system's."""
    task = _start(tmp_path)
    with pytest.raises(ConnectError, match="Is a directory") as caught:
        task.poll()
    assert caught.value.code == "file-source.unreadable"


@pytest.mark.parametrize(
    "stored",
    [
        {},
        {"position": -1},
        {"position": "4"},
        {"position": True},
        {"position": 1, "x": 2},
        {"x": 1},
    ],
    ids=repr,
)
def test_an_offset_that_is_no_position_fails_the_start(lines, stored):
    """Reading from somewhere else would lose or repeat lines."""
    with pytest.raises(ConnectError) as caught:
        _start(lines, stored)
    assert caught.value.code == "file-source.bad-offset"


@pytest.mark.parametrize(
    "props",
    [
        {"file": "f", "topic": ""},
        {"file": "f"},
        {},
        {"file": "f", "topic": "t", "batch.size": "many"},
    ],
    ids=repr,
)
def test_settings_are_checked(props):
    """By the connector, before any task starts."""
    with pytest.raises(ConfigError):
        FileStreamSourceConnector().start(props)


@pytest.fixture
def pipe(monkeypatch):
    """What the task reads as its standard input."""
    reading, writing = os.pipe()
    monkeypatch.setattr(standard_input, "_DESCRIPTOR", reading)
    with open(reading, "rb"), open(writing, "wb", buffering=0) as end:  # noqa: PTH123
        yield end


def _console(**props):
    task = FileStreamSourceTask()
    task.initialize(SimpleNamespace(offset_storage_reader=None))
    task.start({"topic": "t", **props})
    return task


@pytest.mark.parametrize("props", [{}, {"file": ""}], ids=repr)
def test_without_a_file_standard_input_is_read(pipe, props):
    """Line by line, without positions, as Kafka's console source; a half line waits."""
    task = _console(**props)
    pipe.write("ä\nb\nha".encode())
    records = _poll(task)
    assert [(r.value, r.source_partition, r.source_offset) for r in records] == [
        ("ä", {"filename": None}, {"position": None}),
        ("b", {"filename": None}, {"position": None}),
    ]
    pipe.write(b"lf\n")
    assert [r.value for r in _poll(task)] == ["half"]
    assert _poll(task) == []
    task.stop()


def test_at_the_end_of_standard_input_nothing_more_comes(pipe):
    """The task goes on and has nothing, as in Kafka."""
    task = _console()
    pipe.write(b"a\n")
    pipe.close()
    assert [r.value for r in _poll(task, 5)] == ["a"]
    assert task.poll() is None
    task.stop()


def test_standard_input_has_no_offsets_to_rely_on():
    """Neither exactly once nor changes of offsets."""
    connector = FileStreamSourceConnector()
    assert connector.exactly_once_support({"topic": "t"}) is ExactlyOnceSupport.UNSUPPORTED
    with pytest.raises(ConnectError, match="standard input") as caught:
        connector.alter_offsets({"topic": "t"}, [({"filename": None}, None)])
    assert caught.value.code == "file-source.no-positions"


def test_stop_ends_a_waiting_poll(lines, monkeypatch):
    """It comes from another thread and does not wait its turn."""
    monkeypatch.setattr(implementation, "_WAIT_FOR_FILE_S", 60.0)
    task = _start(lines)
    thread = threading.Thread(target=task.poll)
    thread.start()
    task.stop()
    thread.join(10)
    assert not thread.is_alive()


def test_a_still_file_is_looked_at_less_and_less_often(lines, monkeypatch):
    """Until there is something new: a lively file has little delay, a still one costs little."""
    monkeypatch.setattr(implementation, "_WAIT_FOR_GROWTH_S", 0.1)
    monkeypatch.setattr(implementation, "_LONGEST_WAIT_S", 0.13)
    lines.touch()
    task = _start(lines)
    waits = []
    monkeypatch.setattr(task._stopping, "wait", waits.append)

    _poll(task, rounds=8)
    lines.write_bytes(b"a\n")
    _poll(task, rounds=2)
    task.stop()

    assert waits == [0.002, 0.004, 0.008, 0.016, 0.032, 0.064, 0.128, 0.13, 0.002]


def test_a_stopped_task_reads_nothing_and_may_start_again(lines):
    """Stop is safe more than once; a restart begins at the stored offset."""
    lines.write_bytes(b"a\nb\n")
    task = _start(lines)
    task.stop()
    task.stop()
    assert task.poll() is None
    task.start({"file": str(lines), "topic": "t"})
    assert [record.value for record in _poll(task)] == ["a", "b"]
    task.stop()


@pytest.mark.slow
@settings(max_examples=50, deadline=None)
@given(
    st.lists(st.text(st.characters(exclude_characters="\n", codec="utf-8")), max_size=10), st.data()
)
def test_wherever_it_stopped_nothing_is_lost_or_repeated(tmp_path_factory, texts, data):
    """Writing the values back, one line each, gives the same bytes."""
    lines = tmp_path_factory.mktemp("source") / "lines.txt"
    content = "".join(f"{text}\n" for text in texts).encode()
    lines.write_bytes(content)
    whole = _read(lines)
    assert "".join(f"{value}\n" for value, _ in whole).encode() == content
    cut = data.draw(st.integers(0, len(whole)))
    stored = {"position": whole[cut - 1][1]} if cut else None
    assert _read(lines, stored) == whole[cut:]


def test_the_connector_makes_one_task_whatever_is_allowed():
    """A file cannot be divided."""
    props = {"file": "f", "topic": "t"}
    connector = FileStreamSourceConnector()
    connector.start(props)
    assert connector.task_configs(8) == [props]
    assert connector.exactly_once_support(props) is ExactlyOnceSupport.SUPPORTED


@pytest.mark.parametrize(
    ("partition", "offset"),
    [
        ({"filename": "f"}, {"position": 0}),
        ({"filename": 3}, {"position": 0}),
        ({"filename": "f", "x": 1}, {"position": 0}),
        ({"filename": "f"}, None),
        ({"file": "f"}, None),
        ({}, None),
    ],
    ids=repr,
)
def test_offsets_may_be_altered_to_positions(partition, offset):
    """Or be forgotten, whatever partition they are of; as Kafka's own file source says."""
    assert FileStreamSourceConnector().alter_offsets({"file": "f"}, [(partition, offset)])


@pytest.mark.parametrize(
    ("partition", "offset"),
    [
        ({"filename": "f"}, {"position": -1}),
        ({"file": "f"}, {"position": 0}),
        ({}, {"position": 0}),
    ],
    ids=repr,
)
def test_other_offsets_are_refused(partition, offset):
    """Before anything is changed."""
    with pytest.raises(ConnectError, match="must"):
        FileStreamSourceConnector().alter_offsets({"file": "f"}, [(partition, offset)])


def test_a_refusal_of_offsets_is_in_the_words_of_json():
    """As they were sent, not as Python has them."""
    with pytest.raises(ConnectError) as caught:
        FileStreamSourceConnector().alter_offsets(
            {"file": "f"}, [({"filename": "f"}, {"position": None, "ü": True})]
        )
    assert str(caught.value).endswith('found {"position": null, "ü": true}')


def test_read_that_fails_is_tried_again_and_nothing_is_skipped(tmp_path):
    """Even if the system took the bytes before it failed."""
    file = tmp_path / "a"
    file.write_bytes(b"a\nb\n")
    task = _start(file)
    task._open()
    good = task._file

    def lose(size):
        good.read(size)
        raise OSError(5, "Input/output error")

    task._file = SimpleNamespace(read=lose, close=good.close)
    with pytest.raises(RetriableError, match="Input/output error"):
        task.poll()
    assert [record.value for record in _poll(task)] == ["a", "b"]
    task.stop()
