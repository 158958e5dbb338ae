"""A second reader with PyPI's rules for uploads: from the first byte to the last, no seeking."""

from __future__ import annotations

import struct

LOCAL, CENTRAL, END = b"PK\x03\x04", b"PK\x01\x02", b"PK\x05\x06"
END64, LOCATOR64 = b"PK\x06\x06", b"PK\x06\x07"


def check(data):
    """The names of an archive's members; AssertionError if a rule is broken."""
    place, local = 0, []
    while data[place : place + 4] == LOCAL:
        flags, crc, packed, size, name_size, extra = struct.unpack_from("<6xH6x3I2H", data, place)
        assert not flags & 0x8, "data descriptor"
        name = data[place + 30 : place + 30 + name_size].decode()
        assert name.isprintable()
        local.append((place, name, crc, packed, size))
        place += 30 + name_size + extra + packed
    start, listed = place, []
    while data[place : place + 4] == CENTRAL:
        fields = struct.unpack_from("<16x3I3H8xI", data, place)
        crc, packed, size, name_size, extra, comment, offset = fields
        listed.append(
            (offset, data[place + 46 : place + 46 + name_size].decode(), crc, packed, size)
        )
        place += 46 + name_size + extra + comment
    assert listed == local, "directory and headers differ"
    assert len({name for _, name, *_ in local}) == len(local), "a name twice"
    _check_end(data, place, len(local), start)
    return [name for _, name, *_ in local]


def _check_end(data, place, count, start):
    size = place - start
    if data[place : place + 4] == END64:
        record = struct.unpack_from("<4xQ2H2I4Q", data, place)
        assert record == (44, 45, 45, 0, 0, count, count, size, start)
        assert data[place + 56 : place + 60] == LOCATOR64
        assert struct.unpack_from("<4xIQI", data, place + 56) == (0, place, 1)
        place += 76
        count = min(count, 0xFFFF)
    assert data[place : place + 4] == END
    record = struct.unpack_from("<4x4H2IH", data, place)
    assert record[:6] == (0, 0, count, count, size, start)
    assert place + 22 + record[6] == len(data), "something follows"
