"""The bytes of a member, unpacked piece by piece and checked against the directory."""

from __future__ import annotations

import os
import zipfile
import zlib
from typing import TYPE_CHECKING

from plugwright_toolkit.archives._errors import flaw

if TYPE_CHECKING:
    from collections.abc import Iterator

    from plugwright_toolkit.archives.layout import Placed

PIECE = 1 << 18


def contents(file: int, member: Placed) -> Iterator[bytes]:
    """Decompress a member.

    Pieces hold a few hundred kilobytes, whatever a member claims. Several threads may read one
    file at a time, since its position is not used, and unpacking releases the interpreter lock.

    Raises:
        plugwright.plugins.ArchiveError: if the bytes are damaged, too many or too few.
        OSError: if the file cannot be read.
        zlib.error: if the bytes are damaged.
    """
    checksum = size = 0
    for piece in _unpacked(file, member):
        checksum = zlib.crc32(piece, checksum)
        size += len(piece)
        if size > member.info.file_size:
            break
        yield piece
    if (checksum, size) != (member.info.CRC, member.info.file_size):
        raise flaw(f"{member.name} is damaged: its checksum or size is wrong")


def _unpacked(file: int, member: Placed) -> Iterator[bytes]:
    if member.info.compress_type == zipfile.ZIP_STORED:
        yield from _packed(file, member)
        return
    engine = zlib.decompressobj(-zlib.MAX_WBITS)
    for packed in _packed(file, member):
        rest = packed
        while rest:
            yield engine.decompress(rest, PIECE)
            rest = engine.unconsumed_tail
    yield engine.flush()
    if not engine.eof or engine.unused_data:
        raise flaw(
            f"{member.name} is damaged: its packed bytes do not end where its header has their end"
        )


def _packed(file: int, member: Placed) -> Iterator[bytes]:
    place, stop = member.data, member.data + member.info.compress_size
    while place < stop:
        piece = os.pread(file, min(PIECE, stop - place), place)
        if not piece:
            raise flaw(f"{member.name} is cut off")
        yield piece
        place += len(piece)
