"""Reads untrusted archives: validates them, and maps their members to files."""

from __future__ import annotations

import os
import re
import stat
import struct
import unicodedata
import zipfile
from itertools import pairwise
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

_MEMBERS_LIMIT = 200_000
_TOTAL_LIMIT = 4 << 30
_RATIO_LIMIT = 200
_RATIO_COUNTS_FROM = 1 << 20
_END_RECORD = 22
_LOCAL_HEADER = struct.Struct("<4s5H3I2H")
_DESCRIPTOR_LIMIT = 24
_ENCRYPTED = 0x1
_DESCRIPTOR = 0x8
_UTF8 = 0x800
_METHODS = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}
_UNSAFE = re.compile(r"[\x00-\x1f\x7f\\]|^/|^[A-Za-z]:|(^|/)\.\.?(/|$)|//")


class ArchiveError(Exception):
    """An archive that must not be unpacked.

    Attributes:
        code: ``zip-invalid``, ``zip-unsafe-name`` or ``zip-bomb``.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class LocalHeader(NamedTuple):
    """The local header of a member.

    Attributes:
        flags: general purpose flags.
        method: compression method.
        crc: checksum; like the sizes, zero if a data descriptor has it.
        packed: compressed size in bytes.
        size: uncompressed size in bytes.
        extra: its extra fields.
        data: offset of its compressed bytes.
    """

    flags: int
    method: int
    crc: int
    packed: int
    size: int
    extra: bytes
    data: int


def checked_members(archive: zipfile.ZipFile, path: Path) -> Sequence[zipfile.ZipInfo]:
    """The members, files only, of an archive that every reader interprets alike.

    The rules are those of PyPI's upload check, except that a zip application may start with a
    ``#!`` line, and that data descriptors are read.

    Raises:
        ArchiveError: if the archive violates one.
        OSError: if the file cannot be read.
    """
    members = archive.infolist()
    _require_honest_sizes(members)
    for member in members:
        _require_plain(member)
    _require_distinct(members)
    _require_contiguous(archive, path, members)
    return [member for member in members if not member.is_dir()]


def target_of(member: zipfile.ZipInfo) -> str | None:
    """The path below the import path to which pip would install a member; ``None`` for other files.

    A wheel's ``.data`` directory holds code in ``purelib`` and ``platlib`` (binary distribution
    format, "Installing a wheel").
    """
    first, _, rest = member.filename.partition("/")
    if not first.endswith(".data"):
        return member.filename
    scheme, _, inner = rest.partition("/")
    return inner if scheme in {"purelib", "platlib"} and inner else None


def raw_name(member: zipfile.ZipInfo) -> bytes:
    """The raw name of a member in the archive."""
    return member.orig_filename.encode("utf-8" if member.flag_bits & _UTF8 else "cp437", "replace")


def local_header(file: int, member: zipfile.ZipInfo) -> LocalHeader:
    """Read the local header of a member.

    Args:
        file: descriptor of the archive.
        member: its entry in the central directory.

    Raises:
        ArchiveError: if the header is invalid, or has another name.
    """
    header = os.pread(file, _LOCAL_HEADER.size, member.header_offset)
    if len(header) != _LOCAL_HEADER.size or header[:4] != b"PK\x03\x04":
        raise ArchiveError("zip-invalid", f"{member.filename} has no header")
    _, _, flags, method, _, _, crc, packed, size, name_size, extra_size = _LOCAL_HEADER.unpack(
        header
    )
    rest = os.pread(file, name_size + extra_size, member.header_offset + _LOCAL_HEADER.size)
    if rest[:name_size] != raw_name(member):
        raise ArchiveError("zip-invalid", f"{member.filename} has another name in its header")
    data = member.header_offset + _LOCAL_HEADER.size + name_size + extra_size
    return LocalHeader(flags, method, crc, packed, size, rest[name_size:], data)


def _require_honest_sizes(members: Sequence[zipfile.ZipInfo]) -> None:
    total = sum(member.file_size for member in members)
    if len(members) > _MEMBERS_LIMIT or total > _TOTAL_LIMIT:
        raise ArchiveError("zip-bomb", f"{len(members)} members of {total} bytes are too much")
    for member in members:
        limit = max(member.compress_size * _RATIO_LIMIT, _RATIO_COUNTS_FROM)
        if member.file_size > limit:
            message = f"{member.filename} grows from {member.compress_size} bytes to "
            raise ArchiveError("zip-bomb", f"{message}{member.file_size}")


def _require_plain(member: zipfile.ZipInfo) -> None:
    name = member.orig_filename
    if _UNSAFE.search(name) or name != member.filename or not name:
        raise ArchiveError("zip-unsafe-name", f"a member is called {name!r}")
    if member.flag_bits & _ENCRYPTED or member.compress_type not in _METHODS:
        raise ArchiveError("zip-invalid", f"{name} is encrypted or packed in an unusual way")
    kind = stat.S_IFMT(member.external_attr >> 16)
    if kind not in {0, stat.S_IFREG, stat.S_IFDIR}:
        raise ArchiveError("zip-invalid", f"{name} is a link or a device")


def _spellings(members: Sequence[zipfile.ZipInfo]) -> Iterator[str]:
    for member in members:
        name = PurePosixPath(member.filename)
        yield str(name)
        yield from (str(parent) for parent in name.parents)


def _require_distinct(members: Sequence[zipfile.ZipInfo]) -> None:
    files = {member.filename for member in members if not member.is_dir()}
    if len({member.filename for member in members}) != len(members):
        raise ArchiveError("zip-invalid", "two members have one name")
    spelt: dict[str, str] = {}
    for name in _spellings(members):
        folded = unicodedata.normalize("NFC", name).casefold()
        if (other := spelt.setdefault(folded, name)) != name:
            message = f"{other} and {name} are one file on some file systems"
            raise ArchiveError("zip-unsafe-name", message)
    parents = {str(parent) for file in files for parent in PurePosixPath(file).parents}
    if clash := files & parents:
        raise ArchiveError("zip-invalid", f"{min(clash)} is a file and a directory")


def _require_contiguous(
    archive: zipfile.ZipFile, path: Path, members: Sequence[zipfile.ZipInfo]
) -> None:
    """Reject bytes that only some readers see: gaps, overlaps, leading and trailing data."""
    ordered = sorted(members, key=lambda member: member.header_offset)
    with path.open("rb") as file:
        ends = [
            (m.header_offset, local_header(file.fileno(), m).data + m.compress_size, m)
            for m in ordered
        ]
        file.seek(0)
        shebang = path.suffix.lower() == ".pyz" and file.read(2) == b"#!"
        file.seek(-_END_RECORD - len(archive.comment), 2)
        at_end = file.read(4) == b"PK\x05\x06"
    if not at_end or b"PK\x05\x06" in archive.comment:
        raise ArchiveError("zip-invalid", "something follows the archive")
    if ends and ends[0][0] and not shebang:
        raise ArchiveError("zip-invalid", "something precedes the archive")
    stops = [*ends, (archive.start_dir, 0, None)]
    for (_, end, member), (start, _, _) in pairwise(stops):
        slack = _DESCRIPTOR_LIMIT if member and member.flag_bits & _DESCRIPTOR else 0
        if not end <= start <= end + slack:
            raise ArchiveError("zip-invalid", "members overlap or hide something between them")
