"""Headers byte by byte, and the ZIP64 forms that no small archive needs (APPNOTE 4.3, 4.5.3)."""

from __future__ import annotations

import struct
import zipfile

import pytest
from tests.toolkit.archives import samples

from plugwright_toolkit.archives import open_artifact
from plugwright_toolkit.archives._headers import central_header, end_records, local_header

LARGE = 0xFFFFFFFF


def _info(size=5, packed=3, extra=b""):
    member = samples.info("a.py", (2024, 5, 6, 7, 8, 10))
    member.create_version = member.extract_version = 20
    member.create_system = 3
    member.CRC, member.file_size, member.compress_size = 0x01020304, size, packed
    member.extra = extra
    return member


def test_a_local_header_is_as_the_format_says():
    """Version 2.0, no flags, deflated, 6 May 2024 07:08:10."""
    assert local_header(_info()) == bytes.fromhex(
        "504b0304 1400 0000 0800 0539 a658 04030201 03000000 05000000 0400 0000"
    ) + (b"a.py")


def test_a_directory_entry_is_as_the_format_says():
    """Made on Unix, a file with mode 0644, at offset 7."""
    member = _info(extra=b"\x99\x99\x00\x00")
    member.comment = b"hi"

    assert central_header(member, 7) == bytes.fromhex(
        "504b0102 1403 1400 0000 0800 0539 a658 04030201 03000000 05000000"
        "0400 0400 0200 0000 0000 0000a481 07000000"
    ) + (b"a.py\x99\x99\x00\x00hi")


@pytest.mark.parametrize(("size", "packed"), [(LARGE, 3), (5, LARGE), (LARGE + 9, LARGE + 1)])
def test_a_local_header_has_both_sizes_in_its_large_field(size, packed):
    """Once one of them needs it; foreign fields stay, an old large field goes."""
    old = struct.pack("<2H2Q", 1, 16, 1, 2) + b"\x99\x99\x01\x00x" + b"pad"

    made = local_header(_info(size, packed), old)

    assert struct.unpack_from("<H", made, 4) == (45,)
    assert struct.unpack_from("<2I", made, 18) == (LARGE, LARGE)
    assert made[34:] == struct.pack("<2H2Q", 1, 16, size, packed) + b"\x99\x99\x01\x00xpad"


@pytest.mark.parametrize(
    ("values", "short", "large"),
    [
        ((5, 3, LARGE - 1), (3, 5, LARGE - 1), ()),
        ((5, 3, LARGE), (3, 5, LARGE), (LARGE,)),
        ((LARGE, 3, 7), (3, LARGE, 7), (LARGE,)),
        ((5, LARGE + 1, 7), (LARGE, 5, 7), (LARGE + 1,)),
        (
            (LARGE + 3, LARGE + 1, LARGE + 2),
            (LARGE, LARGE, LARGE),
            (LARGE + 3, LARGE + 1, LARGE + 2),
        ),
    ],
    ids=["none", "offset", "size", "packed", "all"],
)
def test_a_directory_entry_has_large_values_only(values, short, large):
    """In the order size, packed size, offset."""
    size, packed, offset = values

    made = central_header(_info(size, packed, struct.pack("<2HQ", 1, 8, 1)), offset)

    field = struct.pack(f"<2H{len(large)}Q", 1, 8 * len(large), *large) if large else b""
    assert (*struct.unpack_from("<2I", made, 20), *struct.unpack_from("<I", made, 42)) == short
    assert (made[50:], struct.unpack_from("<H", made, 30)) == (field, (len(field),))
    assert struct.unpack_from("<H", made, 6) == (45 if large else 20,)


@pytest.mark.parametrize(
    ("count", "size", "offset", "needed"),
    [
        (0xFFFE, LARGE - 1, LARGE - 1, False),
        (0xFFFF, 1, 1, True),
        (1, LARGE, 1, True),
        (1, 1, LARGE, True),
    ],
    ids=["small", "count", "size", "offset"],
)
def test_large_records_are_written_only_when_needed(count, size, offset, needed):
    """From the first value that the short record cannot say (APPNOTE 4.4.1.4)."""
    made = end_records(count, size, offset, b"c")

    large = struct.pack("<4sQ2H2I4Q", b"PK\6\6", 44, 45, 45, 0, 0, count, count, size, offset)
    locator = struct.pack("<4sIQI", b"PK\6\7", 0, offset + size, 1)
    end = struct.pack("<4s4H2IH", b"PK\5\6", 0, 0, count, count, size, offset, 1) + b"c"
    assert made == (large + locator if needed else b"") + end


def test_an_archive_beyond_four_gigabytes_is_read(tmp_path):
    """Case 107: behind a prefix that is mostly a hole."""
    path = tmp_path / "a.pyz"
    with path.open("wb") as file:
        file.write(b"#!/usr/bin/env python3\n")
        file.truncate(5 << 30)
        file.seek(0, 2)
        with zipfile.ZipFile(file, "w") as archive:
            archive.writestr("a.py", b"far")

    assert open_artifact(path).read("a.py") == b"far"
