"""The layout accounts for every byte by itself; the runtime's checks do not come before it here."""

from __future__ import annotations

import os
import struct
import zipfile
import zlib

import pytest
from tests.toolkit.archives import samples

from plugwright.plugins import ArchiveError
from plugwright_toolkit.archives.contents import PIECE, contents
from plugwright_toolkit.archives.layout import read_layout

LOCAL, CENTRAL, END = b"PK\x03\x04", b"PK\x01\x02", b"PK\x05\x06"


def _two(path, **options):
    return samples.pack(path, [("a.py", b"x" * 50), ("b.py", b"y" * 50)], **options)


def _layout(path):
    with zipfile.ZipFile(path) as archive, path.open("rb") as file:
        return read_layout(archive, file.fileno())


def _unmarked(path):
    samples.patched(_two(path), LOCAL, 0, b"PK??")


def _renamed(path):
    samples.patched(_two(path), LOCAL, 30, b"c.py")


def _overlapping(path):
    samples.patched(_two(path), CENTRAL, 42, bytes(4), occurrence=1)


def _between(path):
    with zipfile.ZipFile(path, "w") as archive:
        for name in ("a.py", "b.py", "c.py"):
            archive.writestr(name, "x")
        del archive.filelist[1]


def _too_long(path):
    """The last member reaches into the directory."""
    samples.patched(_two(path), LOCAL, 28, b"\x08", occurrence=1)


def _no_checksum(path):
    """Zeros are right only before a data descriptor."""
    samples.patched(_two(path), LOCAL, 14, bytes(4))


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (_unmarked, "a.py has no header"),
        (_renamed, "a.py has another name in its header"),
        (_overlapping, "overlaps|another name"),
        (_between, "a.py overlaps the next member or hides something behind it"),
        (_too_long, "b.py overlaps the next member or hides something behind it"),
        (_no_checksum, "the header of a.py has checksum and sizes"),
    ],
    ids=lambda made: getattr(made, "__name__", "")[1:],
)
def test_a_byte_that_belongs_nowhere_is_refused(tmp_path, make, text):
    """With the member it stands at."""
    make(tmp_path / "a.zip")

    with pytest.raises(ArchiveError, match=text):
        _layout(tmp_path / "a.zip")


@pytest.mark.parametrize("marker", [LOCAL, CENTRAL], ids=["header", "directory"])
@pytest.mark.parametrize(
    "twice",
    [struct.pack("<2HQ", 1, 8, 1) * 2, struct.pack("<2HBI", 0x7075, 9, 1, 0) + b"b.py" + bytes(7)],
    ids=["sizes", "names"],
)
def test_two_answers_in_one_header_are_refused(tmp_path, marker, twice):
    """In the member's own header as in the directory."""
    member = samples.info("a.py")
    member.extra = struct.pack("<2H", 0x9999, len(twice) - 4) + bytes(len(twice) - 4)
    path = samples.pack(tmp_path / "a.zip", [(member, b"")])
    samples.patched(path, marker, 34 if marker == LOCAL else 50, twice)

    with pytest.raises(ArchiveError, match=r"a\.py has two sizes or two names"):
        _layout(path)


def test_offsets_may_count_without_the_prefix(tmp_path):
    """Those of the ZIP64 records too."""
    path = _two(tmp_path / "a.pyz")
    data = path.read_bytes()
    place, start = data.index(END), data.index(CENTRAL)
    record = struct.pack("<4sQ2H2I4Q", b"PK\6\6", 44, 45, 45, 0, 0, 2, 2, place - start, start)
    locator = struct.pack("<4sIQI", b"PK\6\7", 0, place, 1)
    path.write_bytes(b"#!x\n" + data[:place] + record + locator + data[place:])

    assert [(member.name, member.start) for member in _layout(path).members] == [
        ("a.py", 4),
        ("b.py", 4 + data.index(LOCAL, 4)),
    ]


@pytest.mark.parametrize("size", [0, 1, PIECE - 1, PIECE, PIECE + 1, 3 * PIECE, 3 * PIECE + 5])
@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_contents_come_in_pieces(tmp_path, size, method):
    """None is large, and together they are whole."""
    data = b"0123456789" * (size // 10) + b"x" * (size % 10)
    path = samples.pack(tmp_path / "a.zip", [(samples.info("a", method=method), data)])
    (member,) = _layout(path).members

    with path.open("rb") as file:
        pieces = list(contents(file.fileno(), member))

    assert b"".join(pieces) == data
    assert max(map(len, pieces), default=0) <= PIECE


def test_a_member_that_lies_gives_no_more_than_it_promised(tmp_path):
    """It could fill memory or disk."""
    path = samples.pack(tmp_path / "a.zip", [("a", bytes(9 * PIECE))])
    for marker, offset in ((LOCAL, 22), (CENTRAL, 24)):
        samples.patched(path, marker, offset, struct.pack("<I", 9))
    (member,) = _layout(path).members
    pieces = []

    with path.open("rb") as file, pytest.raises(ArchiveError, match="a is damaged"):
        pieces.extend(contents(file.fileno(), member))

    assert sum(map(len, pieces)) <= 9


def test_packed_bytes_without_an_end_are_refused(tmp_path):
    """Some readers take what they got, others do not."""
    engine = zlib.compressobj(6, zlib.DEFLATED, -15)
    packed = engine.compress(b"abc") + engine.flush(zlib.Z_SYNC_FLUSH)
    path = samples.pack(tmp_path / "a.zip", [(samples.info("a", method=0), packed)])
    for marker, offset in ((LOCAL, 0), (CENTRAL, 2)):
        samples.patched(path, marker, offset + 8, b"\x08")
        samples.patched(path, marker, offset + 14, struct.pack("<I", zlib.crc32(b"abc")))
        samples.patched(path, marker, offset + 22, struct.pack("<I", 3))
    (member,) = _layout(path).members

    with (
        path.open("rb") as file,
        pytest.raises(ArchiveError, match="packed bytes do not end where"),
    ):
        list(contents(file.fileno(), member))


def test_a_file_that_is_cut_while_it_is_read_is_refused(tmp_path):
    """Rather than read for ever."""
    path = _two(tmp_path / "a.zip")
    member = _layout(path).members[1]
    os.truncate(path, member.data)

    with path.open("rb") as file, pytest.raises(ArchiveError, match=r"b\.py is cut off"):
        list(contents(file.fileno(), member))
