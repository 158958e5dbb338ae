"""The extra fields of a member's headers (APPNOTE 4.5)."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

ZIP64 = 0x0001
SATURATED = 0xFFFFFFFF

_HEAD = struct.Struct("<2H")


def fields(extra: bytes) -> Iterator[tuple[int, bytes]]:
    """Kind and whole bytes of each field; what follows the last whole one is left out."""
    place = 0
    while place + _HEAD.size <= len(extra):
        kind, size = _HEAD.unpack_from(extra, place)
        stop = place + _HEAD.size + size
        if stop > len(extra):
            return
        yield kind, extra[place:stop]
        place = stop


def local_sizes(extra: bytes, packed: int, size: int) -> tuple[int, int]:
    """Packed and true size by a local header, whose ZIP64 field has both if it has one."""
    if SATURATED not in {packed, size}:
        return packed, size
    for kind, field in fields(extra):
        if kind == ZIP64 and len(field) >= _HEAD.size + 16:
            size, packed = struct.unpack_from("<2Q", field, _HEAD.size)
    return packed, size


def without_sizes(extra: bytes) -> bytes:
    """The whole fields but for sizes, which whoever writes the headers puts there if need be."""
    return b"".join(field for kind, field in fields(extra) if kind != ZIP64)
