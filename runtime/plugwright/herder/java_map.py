"""Reads and writes Java's serialised ``HashMap<byte[], byte[]>``, the format of offset files.

Implements the part of the Java Object Serialization Specification that
`FileOffsetBackingStore` uses: one map whose keys and values are byte arrays or null. Any other
content is rejected; no class that it names is ever looked up or instantiated.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

JavaMap = dict[bytes | None, bytes | None]

_MAP: Final = (
    b"\xac\xed\x00\x05"  # magic and version of the protocol
    b"\x73\x72\x00\x11java.util.HashMap\x05\x07\xda\xc1\xc3\x16\x60\xd1\x03"
    b"\x00\x02F\x00\x0aloadFactorI\x00\x09thresholdxp"
)
_LOAD_FACTOR: Final = b"\x3f\x40\x00\x00"
_ARRAY_CLASS: Final = b"\x72\x00\x02[B\xac\xf3\x17\xf8\x06\x08\x54\xe0\x02\x00\x00xp"
_SAME_CLASS: Final = b"\x71\x00\x7e\x00\x02"
"""The array class has handle number two, as the third object in the stream."""
_ARRAY, _NULL, _END, _SIZES = b"\x75", b"\x70", b"\x78", b"\x77\x08"
_LEAST_CAPACITY: Final = 16


class JavaMapError(ValueError):
    """The stream is not a serialised map of byte arrays; the message has the byte position."""


def dumped(entries: Mapping[bytes | None, bytes | None]) -> bytes:
    """Serialise a map as Java's ``ObjectOutputStream`` does."""
    capacity = _LEAST_CAPACITY
    while len(entries) > _threshold(capacity):
        capacity *= 2
    threshold = _threshold(capacity) if entries else 0
    parts = [_MAP, _LOAD_FACTOR, struct.pack(">i", threshold)]
    parts += [_SIZES, struct.pack(">ii", capacity, len(entries))]
    array_class = _ARRAY_CLASS
    for content in (each for entry in entries.items() for each in entry):
        if content is None:
            parts.append(_NULL)
        else:
            parts += [_ARRAY, array_class, struct.pack(">i", len(content)), content]
            array_class = _SAME_CLASS
    return b"".join([*parts, _END])


def loaded(data: bytes) -> JavaMap:
    """Deserialise a map.

    Raises:
        JavaMapError: if the stream holds anything else, or ends early.
    """
    reader = _Reader(data)
    reader.expect(_MAP, "a serialised java.util.HashMap")
    reader.take(8)  # load factor and threshold, which only matter to the written map
    reader.expect(_SIZES, "the size of the map")
    _, size = struct.unpack(">ii", reader.take(8))
    found: JavaMap = {}
    for _ in range(size):
        key = reader.array()
        found[key] = reader.array()
    reader.expect(_END, "the end of the map")
    reader.expect_end()
    return found


class _Reader:
    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0
        self._array_class = _ARRAY_CLASS

    def take(self, count: int) -> bytes:
        taken = self._data[self._at : self._at + count]
        if len(taken) < count:
            raise JavaMapError(f"the file ends at byte {len(self._data)}, inside an entry")
        self._at += count
        return taken

    def expect(self, wanted: bytes, what: str) -> None:
        if not self._data.startswith(wanted, self._at):
            raise JavaMapError(f"expected {what} at byte {self._at}")
        self._at += len(wanted)

    def expect_end(self) -> None:
        if self._at != len(self._data):
            raise JavaMapError(f"expected the end of the file at byte {self._at}")

    def array(self) -> bytes | None:
        if self._data.startswith(_NULL, self._at):
            self._at += 1
            return None
        self.expect(_ARRAY + self._array_class, "an array of bytes or null")
        self._array_class = _SAME_CLASS
        (length,) = struct.unpack(">i", self.take(4))
        if length < 0:
            raise JavaMapError(f"expected a length at byte {self._at - 4}")
        return self.take(length)


def _threshold(capacity: int) -> int:
    return capacity * 3 // 4
