"""The lake source: files back to records, each once."""

from __future__ import annotations

import datetime as dt
import errno
import gzip
import os
from decimal import Decimal as Number
from itertools import chain
from pathlib import Path
from types import SimpleNamespace

import fastavro
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from plugwright import (
    ConfigError,
    ConnectError,
    DataError,
    ExactlyOnceSupport,
    RetriableError,
    Struct,
)
from plugwright_lake import LakeSourceConnector, LakeSourceTask

FIRST = "topics/t/partition=0/t+0+0000000000.jsonl"


class _Offsets:
    """What is stored, by file."""

    def __init__(self):
        self.stored = {}

    def offsets(self, partitions):
        """In the order asked."""
        return [(partition, self.stored.get(partition["file"])) for partition in partitions]

    def keep(self, records):
        """Store the offsets of records."""
        for record in records:
            self.stored[record.source_partition["file"]] = record.source_offset


@pytest.fixture
def offsets():
    """Nothing is stored yet."""
    return _Offsets()


@pytest.fixture
def source(tmp_path, offsets):
    """Makes tasks over one directory and one store of offsets."""

    def make(**settings):
        task = LakeSourceTask()
        task.initialize(SimpleNamespace(offset_storage_reader=offsets))
        task.start({"store.url": str(tmp_path), "poll.interval.ms": "1", **settings})
        return task

    return make


@pytest.fixture
def write(tmp_path):
    """Writes a file."""

    def make(path, data):
        target = tmp_path / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)

    return make


def _all(task):
    found = []
    while batch := task.poll():
        found += batch
    return found


def test_lines_are_values_of_the_topic_that_names_the_folder(source, write):
    """Without schema, as JSON has none."""
    write(FIRST, b'{"a":1}\n"text"\n[2]\n')
    found = _all(source())
    assert [(each.topic, each.value, each.value_schema) for each in found] == [
        ("t", {"a": 1}, None),
        ("t", "text", None),
        ("t", [2], None),
    ]
    assert [each.source_partition for each in found] == [{"file": FIRST}] * 3
    assert [each.source_offset for each in found] == [
        {"position": 1, "finished": False},
        {"position": 2, "finished": False},
        {"position": 3, "finished": True},
    ]


def test_a_task_goes_on_after_the_stored_row(source, write, offsets):
    """And does not read a finished file again."""
    write(FIRST, b"1\n2\n3\n")
    first = source(**{"batch.size": "2"})
    offsets.keep(first.poll())
    second = source()
    found = _all(second)
    offsets.keep(found)
    assert [each.value for each in found] == [3]
    assert _all(source()) == []


@pytest.mark.parametrize("form", ["avro", "parquet"])
def test_a_task_goes_on_in_the_middle_of_rows_with_a_schema(source, tmp_path, offsets, form):
    """After the stored row, as with lines."""
    path = tmp_path / f"topics/t/a.{form}"
    path.parent.mkdir(parents=True)
    if form == "avro":
        _write_avro(path, range(5))
    else:
        pq.write_table(pa.table({"value": list(range(5))}), path)
    offsets.keep(source(**{"batch.size": "3"}).poll())
    found = _all(source())
    assert [(each.value, each.source_offset) for each in found] == [
        (3, {"position": 4, "finished": False}),
        (4, {"position": 5, "finished": True}),
    ]


def test_files_that_come_later_are_read_whatever_their_names(source, write):
    """Also those that sort before the ones that were read."""
    task = source(topic="all")
    write("topics/b.jsonl", b"1\n")
    assert [each.value for each in _all(task)] == [1]
    write("topics/a.jsonl", b"2\n")
    assert [(each.topic, each.value) for each in _all(task)] == [("all", 2)]


@pytest.mark.parametrize(("order", "values"), [("name", [1, 2]), ("modified", [2, 1])])
def test_files_have_an_order(source, write, tmp_path, order, values):
    """That of their paths, or of their times."""
    write("topics/t/a.jsonl", b"1\n")
    write("topics/t/b.jsonl", b"2\n")
    os.utime(tmp_path / "topics/t/b.jsonl", (1, 1))
    assert [each.value for each in _all(source(**{"file.order": order}))] == values


def test_finished_files_are_moved_once_their_end_is_stored(source, write, offsets, tmp_path):
    """Not before: a crash in between reads them again."""
    write(FIRST, b"1\n2\n")
    task = source(**{"finished.dir": "done", "topics.dir": ""}, topic="t")
    found = _all(task)
    assert (tmp_path / FIRST).exists()
    offsets.keep(found)
    assert task.poll() is None
    assert not (tmp_path / FIRST).exists()
    assert (tmp_path / "done" / FIRST).read_bytes() == b"1\n2\n"
    assert _all(task) == []


def test_tasks_share_files_by_their_paths(source, write):
    """Each file has one task, however many there are."""
    for number in range(20):
        write(f"topics/t/{number}.jsonl", b"%d\n" % number)
    connector = LakeSourceConnector()
    connector.start({"store.url": "x"})
    shares = [
        [each.value for each in _all(source(**{**props, "store.url": source_root(source)}))]
        for props in connector.task_configs(3)
    ]
    assert sorted(chain(*shares)) == list(range(20))
    assert all(shares)


def source_root(source):
    """The directory of the sources of a test."""
    return source()._settings.url


def test_parquet_rows_are_structs(source, tmp_path):
    """Written by pyarrow, with logical types and what may be missing."""
    folder = tmp_path / "topics" / "t"
    folder.mkdir(parents=True)
    at = dt.datetime(2024, 2, 29, tzinfo=dt.UTC)
    columns = pa.schema(
        [
            pa.field("id", pa.int32(), nullable=False),
            ("amount", pa.decimal128(38, 2)),
            ("at", pa.timestamp("ms", "UTC")),
            ("day", pa.date32()),
            ("many", pa.list_(pa.string())),
            ("named", pa.map_(pa.string(), pa.int64())),
            ("inner", pa.struct([("x", pa.int8())])),
        ]
    )
    row = {
        "id": 1,
        "amount": Number("1.50"),
        "at": at,
        "day": dt.date(2024, 2, 29),
        "many": ["a", None],
        "named": [("k", 1)],
        "inner": {"x": 7},
    }
    nothing = dict.fromkeys(row) | {"id": 2}
    pq.write_table(pa.Table.from_pylist([row, nothing], columns), folder / "a.parquet")
    first, second = _all(source())
    assert isinstance(first.value, Struct)
    first.value.validate()
    assert {name: first.value.get(name) for name in row} == row | {
        "named": {"k": 1},
        "inner": first.value.get("inner"),
    }
    assert first.value.get("inner").get("x") == 7
    assert {name: second.value.get(name) for name in row} == nothing


def test_avro_records_are_structs(source, tmp_path):
    """Written by fastavro; names that refer to a record that was written before."""
    folder = tmp_path / "topics" / "t"
    folder.mkdir(parents=True)
    point = {"type": "record", "name": "Point", "fields": [{"name": "x", "type": "int"}]}
    schema = {
        "type": "record",
        "name": "com.example.Pair",
        "fields": [
            {"name": "a", "type": point},
            {"name": "b", "type": ["null", "com.example.Point"]},
            {"name": "at", "type": {"type": "long", "logicalType": "timestamp-millis"}},
            {"name": "tags", "type": {"type": "map", "values": "string"}},
        ],
    }
    at = dt.datetime(2024, 2, 29, tzinfo=dt.UTC)
    row = {"a": {"x": 1}, "b": None, "at": at, "tags": {"k": "v"}}
    with (folder / "a.avro").open("wb") as file:
        fastavro.writer(file, fastavro.parse_schema(schema), [row])
    (found,) = _all(source())
    found.value.validate()
    assert found.value_schema.name == "com.example.Pair"
    assert found.value.get("a").get("x") == 1
    assert [found.value.get(name) for name in ("b", "at", "tags")] == [None, at, {"k": "v"}]


@pytest.mark.parametrize("form", ["jsonl", "avro", "parquet"])
def test_what_the_sink_has_written_comes_back(sink, form):
    """In the order of the offsets."""
    lake = sink(**{"format.class": form})
    lake.put("a", "ä\n", "", "d", "e", "f")
    offsets = _Offsets()
    task = LakeSourceTask()
    task.initialize(SimpleNamespace(offset_storage_reader=offsets))
    task.start({"store.url": str(lake.root), "poll.interval.ms": "1"})
    assert [each.value for each in _all(task)] == ["a", "ä\n", "", "d", "e", "f"]


@pytest.mark.parametrize("name", ["a.parquet", "a.avro", "a.jsonl.gz"])
def test_a_file_that_is_no_such_file_fails_the_task(source, write, name):
    """With its path."""
    write(f"topics/t/{name}", b"nothing of that kind")
    with pytest.raises(DataError, match=f"topics/t/{name} cannot be read"):
        source().poll()


COLUMNS = {
    "microseconds": (pa.timestamp("us"), "is of type timestamp[us]"),
    "64 bits without sign": (pa.uint64(), "is of type uint64"),
}


@pytest.mark.parametrize(("kind", "words"), COLUMNS.values(), ids=COLUMNS)
def test_a_column_that_connect_has_no_type_for_fails_the_task(source, tmp_path, kind, words):
    """With the path of the file."""
    (tmp_path / "topics/t").mkdir(parents=True)
    table = pa.table({"odd": pa.array([1], kind)})
    pq.write_table(table, tmp_path / "topics/t/a.parquet", version="2.6")
    with pytest.raises(DataError) as caught:
        source().poll()
    assert str(caught.value).startswith("topics/t/a.parquet cannot be read: the column odd")
    assert words in str(caught.value)


@pytest.mark.parametrize("end", [1, 12, 30, -9, -1])
@pytest.mark.parametrize("kind", ["parquet", "avro", "jsonl.gz"])
def test_a_file_that_is_cut_or_bent_fails_the_task(source, write, tmp_path, kind, end):
    """With its path, whatever the reader says."""
    whole = {
        "parquet": lambda path: pq.write_table(pa.table({"n": list(range(99))}), path),
        "avro": lambda path: _write_avro(path, range(99)),
        "jsonl.gz": lambda path: path.write_bytes(
            gzip.compress(b"".join(b"%d\n" % n for n in range(99)))
        ),
    }
    path = tmp_path / f"whole.{kind}"
    whole[kind](path)
    data = path.read_bytes()
    write(f"topics/t/a.{kind}", data[:end])
    with pytest.raises(DataError, match=rf"^topics/t/a\.{kind} cannot be read: "):
        source().poll()
    write(f"topics/t/a.{kind}", data[:12] + bytes(8 * [255]) + data[20:])
    with pytest.raises(DataError, match=rf"^topics/t/a\.{kind} cannot be read: "):
        _all(source())


def _write_avro(path, numbers):
    with path.open("wb") as file:
        fastavro.writer(file, fastavro.parse_schema({"type": "long"}), numbers, codec="deflate")


def test_the_order_survives_a_file_that_cannot_be_read_for_a_moment(source, write, monkeypatch):
    """The next poll begins with that file."""
    write("topics/t/a.jsonl", b"1\n")
    write("topics/t/b.jsonl", b"2\n")
    task, read = source(), Path.read_bytes

    def fails(path):
        monkeypatch.setattr(Path, "read_bytes", read)
        raise OSError(errno.EIO, "Input/output error", str(path))

    monkeypatch.setattr(Path, "read_bytes", fails)
    with pytest.raises(RetriableError, match="Input/output error"):
        task.poll()
    assert [each.value for each in _all(task)] == [1, 2]


def test_a_file_that_is_taken_away_is_left_out(source, write, tmp_path):
    """Between the look and the read; the others are read."""
    for name in "abc":
        write(f"topics/t/{name}.jsonl", b'"%s"\n' % name.encode())
    task = source(**{"batch.size": "1"})
    found = list(task.poll())
    (tmp_path / "topics/t/b.jsonl").unlink()
    assert [each.value for each in found + _all(task)] == ["a", "c"]


def test_a_line_that_is_no_json_fails_the_task_after_those_before_it(source, write):
    """With its place."""
    write("topics/t/a.jsonl", b"1\n{\n")
    task = source()
    assert [each.value for each in task.poll()] == [1]
    with pytest.raises(DataError, match=r"topics/t/a.jsonl cannot be read: line 2"):
        task.poll()


def test_other_files_are_left_and_a_last_line_needs_no_end(source, write):
    """Temporary ones, those of other kinds."""
    write("topics/t/readme.txt", b"1\n")
    write("topics/t/a.jsonl", b"1\n2")
    write("+tmp/b.jsonl", b"3\n")
    assert [each.value for each in _all(source(topic="t", **{"topics.dir": ""}))] == [1, 2]


def test_a_file_in_no_folder_needs_a_topic(source, write):
    """Otherwise the destination is unknown."""
    write("topics/a.jsonl", b"1\n")
    with pytest.raises(ConnectError) as caught:
        source().poll()
    assert caught.value.code == "lake.no-topic"


@pytest.mark.parametrize(
    ("folder", "finished", "fits"),
    [("in", "in", False), ("in/a", "/in/", False), ("in", "in/done", True), ("in", "inn", True)],
)
def test_finished_files_must_not_hide_the_others(folder, finished, fits):
    """Nothing below finished.dir is read."""
    connector = LakeSourceConnector()
    props = {"store.url": "x", "topics.dir": folder, "finished.dir": finished}
    wrong = {each.name: each.error_messages for each in connector.validate(props)}
    assert wrong["finished.dir"] == (
        () if fits else ("topics.dir lies in finished.dir, whose files are not read",)
    )
    if fits:
        connector.start(props)
        return
    with pytest.raises(ConfigError, match=r"topics.dir lies in finished.dir"):
        connector.start(props)


OFFSETS = {
    "a row": ({"file": "a"}, {"position": 3}, True),
    "the end": ({"file": "a"}, {"position": 3, "finished": True}, True),
    "nothing": ({"x": 1}, None, True),
    "below zero": ({"file": "a"}, {"position": -1}, False),
    "text": ({"file": "a"}, {"position": "3"}, False),
    "another key": ({"file": "a"}, {"position": 3, "x": 1}, False),
    "another partition": ({"x": "a"}, {"position": 3}, False),
}


@pytest.mark.parametrize(("partition", "offset", "accepted"), OFFSETS.values(), ids=OFFSETS)
def test_altered_offsets_are_checked(partition, offset, accepted):
    """Before they are stored."""
    connector = LakeSourceConnector()
    assert connector.exactly_once_support({}) is ExactlyOnceSupport.SUPPORTED
    if accepted:
        assert connector.alter_offsets({}, [(partition, offset)])
        return
    with pytest.raises(ConnectError):
        connector.alter_offsets({}, [(partition, offset)])
