"""Reading a file that may be no file."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from plugwright.plugins._reading import NotRegularError, read_regular


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
