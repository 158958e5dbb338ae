"""Accounts for every byte of an archive; an unaccounted byte makes it invalid."""

from __future__ import annotations

import os
import struct
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import TYPE_CHECKING

from plugwright.plugins import local_header, raw_name
from plugwright_toolkit.archives._errors import flaw

if TYPE_CHECKING:
    import zipfile
    from collections.abc import Iterator, Sequence

DESCRIPTOR = 0x8
UTF8 = 0x800

_ZIP64 = 0x0001
_LARGE = 0xFFFFFFFF
_FIELD = struct.Struct("<2H")
_NOTHING_DEFLATED = 2
_DEFLATE_OPTIONS = 0x6
_KNOWN_FLAGS = _DEFLATE_OPTIONS | DESCRIPTOR | UTF8
_UNICODE_PATH = 0x7075
_CENTRAL_SIZE = 46
_END = struct.Struct("<4s4H2IH")
_END64 = struct.Struct("<4sQ2H2I4Q")
_LOCATOR64 = struct.Struct("<4sIQI")
_DESCRIPTOR_FORMS = {12: "<3I", 16: "<4s3I", 20: "<I2Q", 24: "<4sI2Q"}
_SATURATED = (0xFFFF,) * 4 + (_LARGE,) * 2


@dataclass(frozen=True, slots=True)
class Placed:
    """A member and the positions of its parts.

    Attributes:
        info: its entry in the central directory.
        start: offset of its local header.
        data: offset of its compressed bytes.
        stop: offset after them and after the data descriptor, if any.
        extra: the local header's extra fields.
    """

    info: zipfile.ZipInfo
    start: int
    data: int
    stop: int
    extra: bytes

    @property
    def name(self) -> str:
        """Its path in the archive."""
        return self.info.filename

    @property
    def has_descriptor(self) -> bool:
        """Whether its sizes follow its bytes."""
        return bool(self.info.flag_bits & DESCRIPTOR)


@dataclass(frozen=True, slots=True)
class Layout:
    """All members in the order of their bytes, what precedes them, and the archive's comment."""

    members: Sequence[Placed]
    prefix: int
    comment: bytes


def read_layout(archive: zipfile.ZipFile, file: int) -> Layout:
    """Account for every byte of an open archive.

    The rules are PyPI's for uploads, with data descriptors and a prefix: local headers say what
    the directory says, parts touch without gap or overlap, counts and offsets are right.

    Raises:
        plugwright.plugins.ArchiveError: if a byte is unaccounted for, or is counted twice.
    """
    ordered = sorted(archive.infolist(), key=lambda info: info.header_offset)
    if not ordered:
        raise flaw("it has no members")
    starts = chain((info.header_offset for info in ordered), (archive.start_dir,))
    members = [
        _placed(file, info, stop) for info, (_, stop) in zip(ordered, pairwise(starts), strict=True)
    ]
    prefix = members[0].start
    _require_honest_end(archive, file, prefix)
    return Layout(members, prefix, archive.comment)


def _placed(file: int, info: zipfile.ZipInfo, limit: int) -> Placed:
    header = local_header(file, info)
    extra, data = header.extra, header.data
    _require_plain(info, extra)
    if (header.flags ^ info.flag_bits) & ~_DEFLATE_OPTIONS or header.method != info.compress_type:
        raise flaw(f"the header of {info.filename} names another way of packing")
    found = header.crc, *_local_sizes(extra, header.packed, header.size)
    _require_same(info, found)
    _require_touching(file, info, data + info.compress_size, limit)
    return Placed(info, info.header_offset, data, limit, extra)


def _require_plain(info: zipfile.ZipInfo, extra: bytes) -> None:
    if info.flag_bits & ~_KNOWN_FLAGS:
        raise flaw(f"{info.filename} is packed in an unusual way")
    if not raw_name(info).isascii() and not info.flag_bits & UTF8:
        raise flaw(f"the name {info.filename!r} is not marked as UTF-8")
    if info.is_dir() and (info.file_size or info.compress_size > _NOTHING_DEFLATED):
        raise flaw(f"the directory {info.filename} has contents")
    for each in (extra, info.extra):
        kinds = [kind for kind, _ in _fields(each)]
        if kinds.count(_ZIP64) > 1 or _UNICODE_PATH in kinds:
            raise flaw(f"{info.filename} has two sizes or two names")


def _require_same(info: zipfile.ZipInfo, found: tuple[int, ...]) -> None:
    expected = info.CRC, info.compress_size, info.file_size
    later = info.flag_bits & DESCRIPTOR
    for ours, theirs in zip(expected, found, strict=True):
        if theirs != ours and not (later and theirs == 0):
            message = f"the header of {info.filename} has checksum and sizes {found}, "
            raise flaw(f"{message}the directory {expected}")


def _require_touching(file: int, info: zipfile.ZipInfo, end: int, limit: int) -> None:
    """Check that the next part begins where this one ends, after its data descriptor, if any."""
    if not info.flag_bits & DESCRIPTOR:
        if end != limit:
            raise flaw(f"{info.filename} overlaps the next member or hides something behind it")
        return
    form = _DESCRIPTOR_FORMS.get(limit - end)
    found = struct.unpack(form, os.pread(file, limit - end, end)) if form else ()
    expected = info.CRC, info.compress_size, info.file_size
    if found not in {expected, (b"PK\x07\x08", *expected)}:
        raise flaw(f"the data descriptor of {info.filename} is missing or wrong")


def _require_honest_end(archive: zipfile.ZipFile, file: int, prefix: int) -> None:
    """Check that the end records count what exists, with offsets relative to the prefix or not."""
    infos = archive.infolist()
    parts = (len(raw_name(info)) + len(info.extra) + len(info.comment) for info in infos)
    size = _CENTRAL_SIZE * len(infos) + sum(parts)
    directory_end = archive.start_dir + size
    end = os.fstat(file).st_size - _END.size - len(archive.comment)
    short = _END.unpack(os.pread(file, _END.size, end))[1:7]
    stated = short
    if end != directory_end:
        stated = _large_record(file, directory_end, end, prefix)
    true = [(0, 0, len(infos), len(infos), size, archive.start_dir - n) for n in (0, prefix)]
    limits = short if end == directory_end else _SATURATED
    agree = all(a in {b, limit} for a, b, limit in zip(short, stated, limits, strict=True))
    if stated not in true or not agree or any(info.volume for info in infos):
        raise flaw("the end of the archive counts members or bytes that are not there")


def _large_record(file: int, place: int, end: int, prefix: int) -> tuple[int, ...]:
    """The content of the ZIP64 records between the directory and the end of the archive."""
    if end - place != _END64.size + _LOCATOR64.size:
        raise flaw("something stands between the directory and the end of the archive")
    name, size, _, _, *stated = _END64.unpack(os.pread(file, _END64.size, place))
    locator = _LOCATOR64.unpack(os.pread(file, _LOCATOR64.size, place + _END64.size))
    honest = [(b"PK\x06\x07", 0, place - shift, 1) for shift in (0, prefix)]
    if name != b"PK\x06\x06" or size != _END64.size - 12 or locator not in honest:
        raise flaw("its ZIP64 records contradict each other")
    return tuple(stated)


def _fields(extra: bytes) -> Iterator[tuple[int, bytes]]:
    """Type and whole bytes of each field; an incomplete last one is omitted."""
    place = 0
    while place + _FIELD.size <= len(extra):
        kind, size = _FIELD.unpack_from(extra, place)
        stop = place + _FIELD.size + size
        if stop > len(extra):
            return
        yield kind, extra[place:stop]
        place = stop


def _local_sizes(extra: bytes, packed: int, size: int) -> tuple[int, int]:
    """Compressed and uncompressed size from a local header, or its ZIP64 field."""
    if _LARGE not in {packed, size}:
        return packed, size
    for kind, field in _fields(extra):
        if kind == _ZIP64 and len(field) >= _FIELD.size + 16:
            size, packed = struct.unpack_from("<2Q", field, _FIELD.size)
    return packed, size


def without_sizes(extra: bytes) -> bytes:
    """The fields without sizes, which the writer of the headers adds if needed."""
    return b"".join(field for kind, field in _fields(extra) if kind != _ZIP64)
