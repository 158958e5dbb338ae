"""Reading a file that may be no file."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from plugwright.plugins import read_regular
from plugwright.plugins.reading import NotRegularError


@pytest.mark.parametrize(("limit", "length"), [(1, 1), (5, 5), (6, 5), (1 << 20, 5)])
def test_at_most_so_many_bytes_are_read(tmp_path, limit, length):
    """The first ones."""
    (tmp_path / "file").write_bytes(b"abcde")
    assert read_regular(tmp_path / "file", limit) == b"abcde"[:length]


def test_an_empty_file_is_read(tmp_path):
    """As nothing."""
    (tmp_path / "file").touch()
    assert read_regular(tmp_path / "file", 10) == b""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs such a file system")
def test_a_file_whose_system_tells_no_size_is_read():
    """As those of /proc are."""
    assert read_regular(Path("/proc/self/status"), 1 << 20).startswith(b"Name:")


@pytest.mark.parametrize("name", ["/dev/zero", "."])
def test_devices_and_directories_are_refused(name):
    """Without reading from them."""
    with pytest.raises(NotRegularError):
        read_regular(name, 10)


@pytest.mark.parametrize("size", [1 << 16, (1 << 16) + 1, 1 << 17])
def test_a_large_file_is_read_whole(tmp_path, size):
    """And from its beginning."""
    (tmp_path / "file").write_bytes(b"a" + bytes(size - 1))
    assert read_regular(tmp_path / "file", 1 << 20) == b"a" + bytes(size - 1)


@pytest.mark.parametrize("content", [b"abcdef", bytes(1 << 17)], ids=["small", "large"])
def test_a_short_read_is_not_the_last(tmp_path, monkeypatch, content):
    """As on some network file systems."""
    (tmp_path / "file").write_bytes(content)
    real = os.pread
    monkeypatch.setattr(os, "pread", lambda fd, size, at: real(fd, size // 2 or 1, at))
    assert read_regular(tmp_path / "file", 1 << 20) == content


def test_a_pipe_is_refused_and_keeps_its_bytes(tmp_path):
    """Even one that a process writes to."""
    os.mkfifo(tmp_path / "pipe")
    descriptor = os.open(tmp_path / "pipe", os.O_RDWR | os.O_NONBLOCK)
    os.write(descriptor, b"text")
    with pytest.raises(NotRegularError):
        read_regular(tmp_path / "pipe", 10)
    assert os.read(descriptor, 10) == b"text"
    os.close(descriptor)


def test_a_path_may_start_from_an_open_directory(tmp_path):
    """Which keeps its meaning when the directory gets another name."""
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "file").write_bytes(b"abc")
    descriptor = os.open(tmp_path / "a", os.O_RDONLY)
    (tmp_path / "a").rename(tmp_path / "b")
    assert read_regular("file", 10, descriptor) == b"abc"
    os.close(descriptor)


def test_a_file_is_closed_whatever_comes(tmp_path):
    """No descriptor is left open."""
    (tmp_path / "file").write_bytes(b"abc")
    before = len(list(Path("/proc/self/fd").iterdir()))
    read_regular(tmp_path / "file", 10)
    with pytest.raises(NotRegularError):
        read_regular(tmp_path, 10)
    assert len(list(Path("/proc/self/fd").iterdir())) == before
