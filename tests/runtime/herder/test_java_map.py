"""A standalone worker's file of offsets, byte for byte as Java writes it."""

from __future__ import annotations

import pathlib
import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plugwright.herder.java_map import JavaMapError, dumped, loaded

RECORDED = pathlib.Path(__file__).parents[2] / "golden" / "offsets"
FILE_SOURCE = b'["file-source",{"filename":"/tmp/in.txt"}]'
FORGOTTEN = '["zähler",{"table":"Bücher"}]'.encode()
TWO = (RECORDED / "two.offsets").read_bytes()


@pytest.mark.parametrize("name", ["none", "two", "many"])
def test_what_java_wrote_is_written_the_same(name):
    """Recorded files: capacity, threshold and references are Java's own."""
    data = (RECORDED / f"{name}.offsets").read_bytes()

    assert dumped(loaded(data)) == data


def test_what_java_wrote_is_understood():
    """A forgotten offset is a null."""
    assert loaded(TWO) == {FILE_SOURCE: b'{"position":42}', FORGOTTEN: None}


def test_forty_entries_are_understood():
    """Keys and values stay together."""
    found = loaded((RECORDED / "many.offsets").read_bytes())

    wanted = {b'["db",{"table":"t%d"}]' % n: b'{"id":%d}' % n for n in range(1, 41)}
    assert found == wanted


@pytest.mark.parametrize(
    ("count", "capacity", "threshold"),
    [(0, 16, 0), (1, 16, 12), (12, 16, 12), (13, 32, 24), (25, 64, 48)],
)
def test_the_sizes_are_those_that_java_grows_to(count, capacity, threshold):
    """A map doubles when it is three quarters full; `HashMap.putVal`."""
    data = dumped({b"%d" % n: b"" for n in range(count)})

    assert struct.unpack_from(">i", data, 67) == (threshold,)
    assert struct.unpack_from(">ii", data, 73) == (capacity, count)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"{}", "expected a serialised java.util.HashMap at byte 0"),
        (
            TWO.replace(b"java.util.HashMap", b"java.util.TreeMap"),
            "expected a serialised java.util.HashMap at byte 0",
        ),
        (TWO[:-20], "the file ends at byte 194, inside an entry"),
        (TWO[:-1], "expected the end of the map at byte 213"),
        (TWO + b"x", "expected the end of the file at byte 214"),
        (TWO.replace(b"[B\xac", b"[C\xac"), "expected an array of bytes or null at byte 81"),
        (
            TWO.replace(b"\x00\x00\x00\x1f", b"\xff\xff\xff\xff"),
            "expected a length at byte 100",
        ),
    ],
    ids=["JSON", "TreeMap", "cut", "no end", "more", "chars", "negative"],
)
def test_anything_else_is_refused(data, reason):
    """Nothing that a stream names is ever made."""
    with pytest.raises(JavaMapError) as caught:
        loaded(data)

    assert str(caught.value) == reason


@pytest.mark.slow
@given(st.dictionaries(st.none() | st.binary(max_size=9), st.none() | st.binary(max_size=9)))
@settings(max_examples=50)
def test_any_map_survives(entries):
    """Nulls and empty arrays are different things."""
    assert loaded(dumped(entries)) == entries


@pytest.mark.slow
@given(st.data())
@settings(max_examples=100)
def test_a_damaged_file_is_understood_or_refused(data):
    """Never any other error, nor a huge reservation."""
    place = data.draw(st.integers(0, len(TWO) - 1))
    damaged = TWO[:place] + data.draw(st.binary(min_size=1, max_size=4)) + TWO[place + 1 :]
    try:
        found = loaded(damaged)
    except JavaMapError:
        return
    assert len(found) <= 2
