"""Names of files: topic, partition and offsets, as Confluent's sinks write them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["FileNames", "names_folder"]

_LONGEST = 255
"""Bytes that the name of a file or a folder may have on common file systems."""


def names_folder(text: str) -> bool:
    """Whether a text from a record can be a folder's name, and leads nowhere else."""
    unfit = not text or "/" in text or "\x00" in text or text in {".", ".."}
    return not unfit and len(text.encode(errors="surrogatepass")) <= _LONGEST


@dataclass(frozen=True, slots=True)
class FileNames:
    """Makes and reads the names of the files of one partition of one topic.

    Attributes:
        delimiter: between the parts.
        width: digits of an offset, at least.
        extension: with its full stop.
        ranged: whether the last offset is part of the name.
    """

    delimiter: str
    width: int
    extension: str
    ranged: bool

    def name(self, topic: str, partition: int, first: int, last: int) -> str:
        """The name of the file with these offsets."""
        offsets = (first, last) if self.ranged else (first,)
        parts = (topic, str(partition), *(f"{offset:0{self.width}d}" for offset in offsets))
        return self.delimiter.join(parts) + self.extension

    def beginning(self, topic: str, partition: int) -> str:
        """The common prefix of the names of all files of a partition."""
        return self.delimiter.join((topic, str(partition), ""))

    def last_offset(self, topic: str, partition: int, names: Iterable[str]) -> int:
        """The last offset among files of a partition, -1 if there is none."""
        start, between = re.escape(self.beginning(topic, partition)), re.escape(self.delimiter)
        pattern = re.compile(rf"{start}\d+{between}(\d+)\.[a-z0-9.]+")
        found = (pattern.fullmatch(name) for name in names)
        return max((int(each[1]) for each in found if each), default=-1)
