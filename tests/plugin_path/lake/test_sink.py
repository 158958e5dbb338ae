"""The lake sink: names of files, rotation, promises, repetitions."""

from __future__ import annotations

import datetime as dt
import errno
import os
from types import SimpleNamespace

import fsspec
import pytest

from plugwright import (
    BatchIdentity,
    ConnectError,
    DataError,
    RetriableError,
    SinkRecord,
    TopicPartition,
)
from plugwright_lake.layout import Layout
from plugwright_lake.local_store import LocalStore
from plugwright_lake.partition_files import PartitionFiles

HOME = TopicPartition("t", 0)


def test_a_file_is_named_by_topic_partition_and_first_offset(sink):
    """The name of Confluent's S3 sink, ten digits wide."""
    lake = sink()
    lake.put("a", "b", "c", first=7)
    assert lake.files() == {"topics/t/partition=0/t+0+0000000007.jsonl": b'"a"\n"b"\n"c"\n'}


def test_names_follow_their_settings(sink):
    """Delimiter, width, topics.dir."""
    lake = sink(**{"file.delim": "~", "filename.offset.zero.pad.width": "3", "topics.dir": "x/y"})
    lake.put(1, 2, 3)
    assert list(lake.files()) == ["x/y/t/partition=0/t~0~000.jsonl"]


def test_only_offsets_below_unfinished_files_are_promised(sink):
    """What waits in memory is delivered again."""
    lake = sink()
    lake.put(*range(5))
    assert lake.promised(5) == 3
    lake.put(5, first=5)
    assert lake.promised(6) == 6


def test_without_a_record_in_memory_the_consumer_is_right(sink):
    """It knows of offsets that hold no record, such as the marks of transactions."""
    lake = sink()
    lake.put(*range(3))
    assert lake.promised(9) == 9


@pytest.mark.parametrize("form", ["jsonl", "avro", "parquet"])
def test_a_repetition_after_a_crash_writes_the_same_bytes(sink, form):
    """The task died after it wrote, before it committed; batches are cut elsewhere then."""
    first = sink(**{"format.class": form})
    first.put(*map(str, range(8)))
    before = first.files()

    second = sink(**{"format.class": form})
    second.put("0", "1")
    for offset in range(2, 8):
        second.put(str(offset), first=offset)

    assert len(before) == 2
    assert second.files() == before


def test_a_commit_finishes_files_where_that_is_wanted(sink):
    """The name has the last offset, too."""
    lake = sink(**{"rotate.on.commit": "true"})
    lake.put("a", "b")
    assert lake.files() == {}
    assert lake.promised(2) == 2
    assert list(lake.files()) == ["topics/t/partition=0/t+0+0000000000+0000000001.jsonl"]


def test_what_a_finished_file_has_is_not_written_again(sink):
    """After a crash between the file and the commit, with more records in the next batch."""
    first = sink(**{"rotate.on.commit": "true"})
    first.put("a", "b")
    first.promised(2)

    second = sink(**{"rotate.on.commit": "true", "flush.size": "10"})
    second.put("a", "b", "c")
    assert second.promised(3) == 3

    assert second.files() == {
        "topics/t/partition=0/t+0+0000000000+0000000001.jsonl": b'"a"\n"b"\n',
        "topics/t/partition=0/t+0+0000000002+0000000002.jsonl": b'"c"\n',
    }


def test_a_late_task_writes_nothing_that_the_new_owner_has(sink):
    """It was put out of the group and does not know it."""
    owner, late = (sink(**{"rotate.on.commit": "true", "flush.size": "99"}) for _ in range(2))
    late.put("a", "b")
    owner.put("a", "b", "c")
    owner.promised(3)
    late.promised(2)
    assert list(owner.files()) == ["topics/t/partition=0/t+0+0000000000+0000000002.jsonl"]


def test_records_that_come_again_to_the_same_task_count_once(sink):
    """The runtime goes back to the last commit when one fails."""
    lake = sink()
    lake.put("a", "b")
    lake.put("a", "b", "c")
    assert list(lake.files().values()) == [b'"a"\n"b"\n"c"\n']


def test_rotation_by_record_time_looks_at_the_records_alone(sink):
    """The first record that is an hour later begins a file."""
    lake = sink(**{"flush.size": "99", "rotate.interval.ms": "3600000"})
    lake.put("a", "b", timestamp=1000)
    lake.put("c", first=2, timestamp=3_600_999)
    assert lake.files() == {}
    lake.put("d", first=3, timestamp=3_601_000)
    assert list(lake.files().values()) == [b'"a"\n"b"\n"c"\n']
    assert lake.promised(4) == 3


@pytest.mark.parametrize(("interval", "promised"), [("3600000", 2), ("-1", 0)])
def test_rotation_by_record_time_finishes_the_folder_before(sink, interval, promised):
    """Ten minutes later, but in the next hour; without that rotation both folders wait."""
    settings = {"flush.size": "99", "partitioner.class": "hourly", "rotate.interval.ms": interval}
    lake = sink(**settings)
    lake.put("a", "b", timestamp=3_000_000)
    lake.put("c", first=2, timestamp=3_600_000)
    finished = {"topics/t/year=1970/month=01/day=01/hour=00/t+0+0000000000.jsonl": b'"a"\n"b"\n'}
    assert lake.files() == (finished if promised else {})
    assert lake.promised(3) == promised


@pytest.fixture
def clock(monkeypatch):
    """What the extractor Wallclock reads, in seconds."""
    seconds = [0]
    reads = SimpleNamespace(time_ns=lambda: seconds[0] * 1_000_000_000)
    monkeypatch.setattr("plugwright_lake.moments.time", reads)
    return seconds


BY_CLOCK = {"timestamp.extractor": "Wallclock", "rotate.interval.ms": "1000"}


def test_a_repetition_writes_nothing_twice_where_the_clock_has_cut(sink, clock):
    """The clock cuts elsewhere the second time, so names tell what is there."""
    first = sink(**BY_CLOCK, **{"flush.size": "99"})
    first.put("a", "b")
    clock[0] = 1
    first.put("c", first=2)
    second = sink(**BY_CLOCK)
    second.put("a", "b", "c", "d")
    assert second.promised(4) == 3
    assert second.files() == {
        "topics/t/partition=0/t+0+0000000000+0000000001.jsonl": b'"a"\n"b"\n',
        "topics/t/partition=0/t+0+0000000002+0000000002.jsonl": b'"c"\n',
    }


def test_a_late_task_replaces_no_file_where_the_clock_cuts(sink, clock):
    """It has fewer records in memory than the new owner has written, and committed."""
    owner, late = sink(**BY_CLOCK), sink(**BY_CLOCK)
    late.put("a")
    owner.put("a", "b", "c")
    assert owner.promised(3) == 3
    clock[0] = 1
    late.put("b", first=1)
    assert list(owner.files().values()) == [b'"a"\n"b"\n"c"\n']


def test_a_full_disk_is_tried_again_and_nothing_is_lost(sink, monkeypatch):
    """Then the same records come again."""

    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    lake = sink()
    with monkeypatch.context() as patch:
        patch.setattr(os, "write", full)
        with pytest.raises(RetriableError, match="No space left on device"):
            lake.put("a", "b", "c", "d")
        with pytest.raises(RetriableError):
            lake.promised(3)
        assert lake.files() == {}
    lake.put("a", "b", "c", "d")
    assert lake.promised(4) == 3
    assert lake.files() == {"topics/t/partition=0/t+0+0000000000.jsonl": b'"a"\n"b"\n"c"\n'}


BY_FIELD = {"partitioner.class": "field", "partition.field.name": "k", "flush.size": "4"}
FOLDERS = {
    "first offset": ({}, "", ""),
    "both offsets": ({"rotate.on.commit": "true"}, "+0000000002", "+0000000003"),
}


@pytest.mark.parametrize(("settings", "a_ends", "b_ends"), FOLDERS.values(), ids=FOLDERS)
def test_nothing_is_promised_until_the_files_of_all_folders_are_there(
    sink, monkeypatch, settings, a_ends, b_ends
):
    """The second file fails; the same task tries again, or another one begins anew."""
    values = ({"k": "a"}, {"k": "b"}) * 2
    a = {f"topics/t/k=a/t+0+0000000000{a_ends}.jsonl": b'{"k":"a"}\n' * 2}
    b = {f"topics/t/k=b/t+0+0000000001{b_ends}.jsonl": b'{"k":"b"}\n' * 2}
    lake, write = sink(**BY_FIELD, **settings), LocalStore.write

    def half(store, path, data):
        if "k=b" in path:
            raise OSError(errno.ENOSPC, "No space left on device")
        write(store, path, data)

    with monkeypatch.context() as patch:
        patch.setattr(LocalStore, "write", half)
        with pytest.raises(RetriableError):
            lake.put(*values)
        assert lake.files() == a
        with pytest.raises(RetriableError):
            lake.promised(4)
    again = sink(**BY_FIELD, **settings)
    again.put(*values)
    assert again.promised(4) == 4
    assert again.files() == a | b
    lake.put(*values)
    assert lake.promised(4) == 4
    assert lake.files() == a | b


def test_a_file_is_durable_before_it_has_its_name(sink, monkeypatch):
    """Its bytes, then its entry in the directory."""
    seen = []
    sync, replace = os.fsync, os.replace
    lake = sink()
    lake.put("a", "b", "c")  # makes the directories
    monkeypatch.setattr(os, "fsync", lambda each: seen.append("sync") or sync(each))
    monkeypatch.setattr(os, "replace", lambda *each: seen.append("move") or replace(*each))
    monkeypatch.setattr(os, "rename", lambda *each: seen.append("move") or replace(*each))
    lake.put("d", "e", "f", first=3)
    assert seen == ["sync", "move", "sync"]


def test_what_a_dead_task_has_half_written_goes_away(sink):
    """When its partition is opened, and only of that partition."""
    lake = sink()
    scratch = lake.root / "+tmp"
    scratch.mkdir()
    (scratch / "t+0+0000000000.jsonl.0a0b").touch()
    (scratch / "t+1+0000000000.jsonl.0a0b").touch()
    lake.task.open([HOME])
    assert [path.name for path in scratch.iterdir()] == ["t+1+0000000000.jsonl.0a0b"]


def test_a_record_without_place_is_reported_by_itself(sink):
    """The others are written (KIP-610), and offsets pass it."""
    lake = sink()
    lake.put("a", "\ud800", "b", float("nan"), "c")
    assert list(lake.files().values()) == [b'"a"\n"b"\n"c"\n']
    assert [offset for offset, _ in lake.reporter.reported] == [1, 3]
    assert lake.promised(5) == 5


def test_a_record_without_place_fails_the_task_without_a_reporter(sink):
    """With what is wrong."""
    lake = sink()
    lake.task.context.errant_record_reporter = lambda: None
    with pytest.raises(DataError, match="no number for nan"):
        lake.put(float("nan"))


def test_a_tombstone_follows_the_setting(sink):
    """An error, or left out."""
    lake = sink()
    lake.put(None)
    assert lake.reporter.reported == [(0, "the record at t-0@0 has no value")]
    quiet = sink(**{"behavior.on.null.values": "ignore"})
    quiet.put(None, "a", "b", "c")
    assert list(quiet.files().values()) == [b'"a"\n"b"\n"c"\n']
    assert quiet.reporter.reported == []


def test_a_batch_of_spark_ends_with_whole_files_and_repeats_them(sink):
    """The names of a repetition are those of the first attempt."""
    first = sink()
    for _ in range(2):
        assert first.task.begin_batch(BatchIdentity("q", 0, 0))
        first.put("a", "b", "c", "d")
        first.task.flush({HOME: 4})
    assert first.files() == {
        "topics/t/partition=0/t+0+0000000000.jsonl": b'"a"\n"b"\n"c"\n',
        "topics/t/partition=0/t+0+0000000003.jsonl": b'"d"\n',
    }


def test_partitions_that_leave_are_forgotten(sink):
    """Another task has them now."""
    lake = sink()
    lake.put("a", "b")
    lake.task.close([HOME])
    lake.put("c", "d", "e", first=5)
    assert list(lake.files()) == ["topics/t/partition=0/t+0+0000000005.jsonl"]


def test_a_transformed_topic_names_the_folder_and_the_original_one_the_file(sink):
    """So that two topics that are routed to one do not overwrite each other."""
    lake = sink(**{"flush.size": "1"})
    record = SinkRecord("t", 0, None, None, None, "a", 0).new_record(topic="all")
    lake.task.put([record])
    assert list(lake.files()) == ["topics/all/partition=0/t+0+0000000000.jsonl"]


@pytest.mark.parametrize("topic", ["../x", "..", "a/b", "", "x" * 256])
def test_a_transformed_topic_cannot_lead_elsewhere(sink, tmp_path, topic):
    """Such a record is reported, the next one is written."""
    lake = sink(**{"flush.size": "1"})
    odd = SinkRecord("t", 0, None, None, None, "a", 0).new_record(topic=topic)
    lake.task.put([odd, SinkRecord("t", 0, None, None, None, "b", 1)])
    assert lake.reporter.reported == [(0, f"the topic {topic!r} cannot name a folder")]
    assert [path.name for path in tmp_path.iterdir()] == ["lake"]
    assert lake.files() == {"topics/t/partition=0/t+0+0000000001.jsonl": b'"b"\n'}
    assert lake.promised(2) == 2


def test_a_place_that_is_no_directory_fails_the_start(sink, tmp_path):
    """With the system's reason."""
    (tmp_path / "lake").touch()
    with pytest.raises(ConnectError, match="Not a directory") as caught:
        sink()
    assert caught.value.code == "lake.write-failed"


def test_a_scheme_without_driver_is_explained(sink):
    """Before anything is read from Kafka."""
    with pytest.raises(ConnectError, match="nowhere") as caught:
        sink(**{"store.url": "nowhere://x"})
    assert caught.value.code == "lake.no-driver"


@pytest.mark.parametrize("form", ["jsonl", "avro", "parquet"])
def test_any_fsspec_driver_will_do(sink, form):
    """In memory, read by fsspec itself."""
    files = fsspec.filesystem("memory")
    lake = sink(**{"store.url": f"memory://{form}", "format.class": form, "avro.codec": "deflate"})
    lake.put("a", "b", "c")
    (path,) = files.find(f"/{form}")
    assert path.startswith(f"/{form}/topics/t/partition=0/t+0+0000000000.")
    assert files.size(path) > 10
    assert lake.promised(3) == 3


class _Store:
    """What is written, in memory."""

    def __init__(self):
        self.written = {}

    def names(self, folder):
        """Of all folders, as there is one."""
        return [path.rpartition("/")[2] for path in self.written]

    def write(self, path, data):
        """Keep it."""
        self.written[path] = data


SCHEDULES = {
    "a full hour of the zone": (
        "Asia/Kolkata",
        1,
        "2023-11-15T03:45+05:30",
        "2023-11-15T04:00+05:30",
    ),
    "seven hours end at midnight": ("UTC", 7, "2023-11-15T22:00Z", "2023-11-16T00:00Z"),
    "clocks put forward": ("Europe/Berlin", 2, "2024-03-31T03:30+02:00", "2024-03-31T05:00+02:00"),
    "clocks put back": ("Europe/Berlin", 24, "2024-10-27T12:00+01:00", "2024-10-27T23:00+01:00"),
    "25th hour": ("Europe/Berlin", 24, "2024-10-27T23:30+01:00", "2024-10-28T00:00+01:00"),
}


@pytest.mark.parametrize(("zone", "hours", "start", "due"), SCHEDULES.values(), ids=SCHEDULES)
def test_the_scheduled_rotation_goes_by_the_clock_on_the_wall(zone, hours, start, due):
    """Counted from midnight in the zone, whatever the records say."""
    begins, ends = (
        int(dt.datetime.fromisoformat(each).timestamp() * 1000) for each in (start, due)
    )
    store, now = _Store(), [begins]
    layout = Layout.parse(
        {
            "store.url": "x",
            "flush.size": "99",
            "rotate.schedule.interval.ms": str(hours * 3_600_000),
            "timezone": zone,
        }
    )
    files = PartitionFiles(store, layout, HOME, lambda: now[0])
    files.add(SinkRecord("t", 0, None, None, None, "a", 0))
    now[0] = ends - 1
    files.finish_if_due()
    assert store.written == {}
    now[0] += 1
    files.finish_if_due()
    assert store.written == {"topics/t/partition=0/t+0+0000000000+0000000000.jsonl": b'"a"\n'}
