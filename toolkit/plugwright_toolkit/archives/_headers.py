"""Headers as they are written: ZIP64 only where a value needs it (APPNOTE 4.3 and 4.5.3)."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from plugwright_toolkit.archives._fields import SATURATED, with_sizes
from plugwright_toolkit.archives._layout import raw_name

if TYPE_CHECKING:
    from zipfile import ZipInfo

__all__ = ["central_header", "end_records", "local_header"]

_LOCAL = struct.Struct("<4s2B4H3I2H")
_CENTRAL = struct.Struct("<4s4B4H3I5H2I")
_END = struct.Struct("<4s4H2IH")
_END64 = struct.Struct("<4sQ2H2I4Q")
_LOCATOR64 = struct.Struct("<4sIQI")
_COUNT_LIMIT = 0xFFFF
_ZIP64_VERSION = 45


def local_header(info: ZipInfo, extra: bytes = b"") -> bytes:
    """A header with true sizes, to stand before a member's bytes."""
    sizes = info.file_size, info.compress_size
    large = max(sizes) >= SATURATED
    fields = with_sizes(extra, *sizes) if large else with_sizes(extra)
    name = raw_name(info)
    head = _LOCAL.pack(
        b"PK\x03\x04",
        max(info.extract_version, _ZIP64_VERSION) if large else info.extract_version,
        info.reserved,
        info.flag_bits,
        info.compress_type,
        *_moment(info),
        info.CRC,
        SATURATED if large else info.compress_size,
        SATURATED if large else info.file_size,
        len(name),
        len(fields),
    )
    return head + name + fields


def central_header(info: ZipInfo, offset: int) -> bytes:
    """A member's entry in the central directory."""
    values = info.file_size, info.compress_size, offset
    large = [value for value in values if value >= SATURATED]
    size, packed, start = (min(value, SATURATED) for value in values)
    fields, name = with_sizes(info.extra, *large), raw_name(info)
    head = _CENTRAL.pack(
        b"PK\x01\x02",
        info.create_version,
        info.create_system,
        max(info.extract_version, _ZIP64_VERSION) if large else info.extract_version,
        info.reserved,
        info.flag_bits,
        info.compress_type,
        *_moment(info),
        info.CRC,
        packed,
        size,
        len(name),
        len(fields),
        len(info.comment),
        0,
        info.internal_attr,
        info.external_attr,
        start,
    )
    return head + name + fields + info.comment


def end_records(count: int, size: int, offset: int, comment: bytes) -> bytes:
    """What closes an archive whose directory has that many entries and bytes and begins there."""
    records = b""
    if count >= _COUNT_LIMIT or max(size, offset) >= SATURATED:
        version, place = _ZIP64_VERSION, offset + size
        records = _END64.pack(
            b"PK\x06\x06", _END64.size - 12, version, version, 0, 0, count, count, size, offset
        ) + _LOCATOR64.pack(b"PK\x06\x07", 0, place, 1)
    short = min(count, _COUNT_LIMIT)
    sizes = min(size, SATURATED), min(offset, SATURATED)
    return records + _END.pack(b"PK\x05\x06", 0, 0, short, short, *sizes, len(comment)) + comment


def _moment(info: ZipInfo) -> tuple[int, int]:
    """Time and date as MS-DOS packs them, in steps of two seconds."""
    year, month, day, hour, minute, second = info.date_time
    return hour << 11 | minute << 5 | second // 2, (year - 1980) << 9 | month << 5 | day
