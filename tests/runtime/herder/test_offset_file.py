"""Offsets of a standalone worker in a file that Kafka Connect's own worker can take over."""

from __future__ import annotations

import pathlib
import shutil

import pytest
from tests.runtime.herder.conftest import WORKER

from plugwright.errors import ConfigError, ConnectError, DataError
from plugwright.herder import OffsetFile, WorkerConfig
from plugwright.herder.java_map import loaded

RECORDED = pathlib.Path(__file__).parents[2] / "golden" / "offsets"
PARTITION = {"filename": "/tmp/in.txt"}  # noqa: S108  # as it was recorded
KEY = b'["file-source",{"filename":"/tmp/in.txt"}]'
FORGOTTEN = '["zähler",{"table":"Bücher"}]'.encode()


@pytest.fixture
def path(tmp_path):
    """A copy of a file that Java wrote."""
    return pathlib.Path(shutil.copy(RECORDED / "two.offsets", tmp_path / "connect.offsets"))


def test_javas_file_is_taken_over(path):
    """Forgotten offsets are not there."""
    file = OffsetFile(path)

    assert file.read("file-source") == [(PARTITION, {"position": 42})]
    assert file.read("zähler") == []


def test_a_change_is_in_the_file_at_once_and_leaves_others_alone(path):
    """As `FileOffsetBackingStore.set`."""
    OffsetFile(path).write("file-source", [(PARTITION, {"position": 43})])

    assert loaded(path.read_bytes()) == {KEY: b'{"position":43}', FORGOTTEN: None}
    assert OffsetFile(path).read("file-source") == [(PARTITION, {"position": 43})]


def test_a_forgotten_offset_stays_as_a_null(path):
    """As Kafka leaves it."""
    file = OffsetFile(path)

    file.write("file-source", [(PARTITION, None)])

    assert file.read("file-source") == []
    assert loaded(path.read_bytes()) == {KEY: None, FORGOTTEN: None}


def test_a_partition_is_the_same_in_another_order(tmp_path):
    """Maps have no order; Java writes them in its own."""
    file = OffsetFile(tmp_path / "new.offsets")

    file.write("db", [({"a": 1, "b": 2}, {"id": 1})])
    file.write("db", [({"b": 2, "a": 1}, {"id": 2})])

    assert file.read("db") == [({"a": 1, "b": 2}, {"id": 2})]


def test_the_file_is_replaced_as_a_whole_where_its_link_leads(path, tmp_path):
    """Its mode stays, and nothing is left beside it."""
    path.chmod(0o640)
    link = tmp_path / "link"
    link.symlink_to(path)

    OffsetFile(link).write("a", [({"p": 1}, {"o": 1})])

    assert link.is_symlink()
    assert (path.stat().st_mode & 0o777, len(loaded(path.read_bytes()))) == (0o640, 3)
    assert sorted(each.name for each in tmp_path.iterdir()) == ["connect.offsets", "link"]


def test_a_write_that_fails_changes_nothing(path, monkeypatch):
    """Neither the file nor what is known; the worker tries again with its next commit."""
    before = path.read_bytes()
    file = OffsetFile(path)

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(ConnectError) as caught:
        file.write("file-source", [(PARTITION, {"position": 43})])

    assert caught.value.code == "offsets.not-stored"
    assert str(caught.value).endswith("were not stored in " + f"{path}: No space left on device")
    assert file.read("file-source") == [(PARTITION, {"position": 42})]
    assert (path.read_bytes(), len(list(path.parent.iterdir()))) == (before, 1)


def test_only_flat_maps_are_written(path):
    """Kafka's rule for offsets."""
    with pytest.raises(DataError):
        OffsetFile(path).write("file-source", [(PARTITION, {"a": []})])


@pytest.mark.parametrize("data", [None, b""], ids=["missing", "empty"])
def test_a_file_that_is_to_be_made_holds_nothing(tmp_path, data):
    """Kafka's worker begins in the same way."""
    path = tmp_path / "new.offsets"
    if data is not None:
        path.write_bytes(data)

    assert OffsetFile(path).read("file-source") == []


def test_another_file_is_refused(tmp_path):
    """It would be overwritten with the first offset."""
    path = tmp_path / "notes.txt"
    path.write_text("notes")

    with pytest.raises(ConfigError) as caught:
        OffsetFile(path)

    assert str(caught.value) == (
        f"Invalid value {path} for configuration offset.storage.file.filename: is not an "
        "offset file: expected a serialised java.util.HashMap at byte 0"
    )


def test_a_place_that_is_not_there_is_refused_before_anything_runs(tmp_path):
    """Kafka notices with the first commit."""
    with pytest.raises(ConfigError, match="cannot be created in"):
        OffsetFile(tmp_path / "nowhere" / "offsets")


def test_exactly_once_sources_need_a_topic(tmp_path):
    """Their offsets go into Kafka's transactions."""
    settings = {
        "offset.storage.file.filename": str(tmp_path / "offsets"),
        "exactly.once.source.support": "enabled",
    }

    with pytest.raises(ConfigError, match="part of Kafka transactions"):
        OffsetFile.of(WorkerConfig.parse(WORKER | settings))


def test_a_worker_without_the_setting_has_no_file():
    """Its offsets are in a topic."""
    assert OffsetFile.of(WorkerConfig.parse(WORKER)) is None
