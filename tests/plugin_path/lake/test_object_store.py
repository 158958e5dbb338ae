"""File systems where a file that is being written is seen: written elsewhere, moved into place."""

from __future__ import annotations

import pytest
from fsspec.implementations.local import LocalFileSystem

from plugwright_lake.object_store import ObjectStore

PATH = "topics/t/partition=0/t+0+0000000000.jsonl"


class _Files(LocalFileSystem):
    """A disk that notes what happens; instances are not shared."""

    cachable = False

    def __init__(self):
        super().__init__()
        self.calls = []

    def pipe_file(self, path, value, **_):
        """Note the first part of the path."""
        self.calls.append(("write", "+tmp" in path))
        super().pipe_file(path, value)

    def rm_file(self, path):
        """Note it."""
        self.calls.append("remove")
        super().rm_file(path)

    def mv(self, path1, path2, **_):
        """Note what is moved where."""
        self.calls.append(("move", "+tmp" in path1, "+tmp" in path2))
        super().mv(path1, path2)


@pytest.fixture
def files():
    """The file system."""
    return _Files()


@pytest.fixture
def store(files, tmp_path):
    """A store where files are moved into place."""
    found = ObjectStore(files, str(tmp_path / "lake"), moves=True)
    found.prepare()
    return found


def test_a_file_is_moved_into_place(store, files, tmp_path):
    """It is seen as a whole; nothing is left of the way there."""
    store.write(PATH, b"all")
    assert files.calls == [("write", True), ("move", True, False)]
    assert (tmp_path / "lake" / PATH).read_bytes() == b"all"
    assert list((tmp_path / "lake" / "+tmp").iterdir()) == []


def test_a_repetition_leaves_the_file_where_it_is(store, files, tmp_path):
    """Its offsets may be committed: it must not be away for a moment."""
    store.write(PATH, b"all")
    files.calls.clear()
    store.write(PATH, b"all")
    assert files.calls == []
    store.write(PATH, b"other")
    assert (tmp_path / "lake" / PATH).read_bytes() == b"other"


def test_what_is_half_written_of_a_partition_is_removed(store, tmp_path):
    """And nothing of the others."""
    scratch = tmp_path / "lake" / "+tmp"
    scratch.mkdir()
    (scratch / "t+0+0000000000.jsonl.0a0b").touch()
    (scratch / "t+1+0000000000.jsonl.0a0b").touch()
    store.discard("t+0+")
    assert [path.name for path in scratch.iterdir()] == ["t+1+0000000000.jsonl.0a0b"]


def test_a_finished_file_is_moved_into_a_folder_that_is_made(store, tmp_path):
    """And one that is not there any more is left out."""
    store.write(PATH, b"all")
    store.move(PATH, f"finished/{PATH}")
    store.move(PATH, f"finished/{PATH}")
    assert (tmp_path / "lake" / "finished" / PATH).read_bytes() == b"all"
    assert not (tmp_path / "lake" / PATH).exists()


@pytest.mark.parametrize(("by_time", "found"), [(False, ["a/1", "b/2"]), (True, ["b/2", "a/1"])])
def test_files_are_listed_by_path_or_time(store, files, by_time, found):
    """Relative to the root."""
    for path in ("b/2", "a/1"):
        store.write(path, b"x")
    files.modified = lambda path: 1 if path.endswith("2") else 2
    assert store.walk("", by_time=by_time) == found
    assert store.names("b") == ["2"]
    assert store.names("c") == []
