"""The log of one topic partition: records, transaction markers and their visibility.

Follows Kafka's design (documentation section "Design", KIP-98): a marker takes an offset of its
own, a read-committed reader sees nothing from the last stable offset on, and nothing of aborted
transactions below it.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Hashable


class Kind(Enum):
    """The kind of a log entry."""

    DATA = "data"
    COMMIT = "commit"
    ABORT = "abort"


@dataclass(frozen=True, slots=True)
class Stored:
    """One entry of a log.

    Attributes:
        producer: id of the transactional producer, or ``None`` outside transactions.
    """

    topic: str
    partition: int
    offset: int
    key: bytes | None
    value: bytes | None
    headers: tuple[tuple[str, bytes | None], ...]
    timestamp: int
    kind: Kind = Kind.DATA
    producer: int | None = None


class PartitionLog:
    """An append-only sequence of entries.

    Args:
        topic: that it belongs to.
        partition: its number.
        first: the offset that the first entry will have; what was before it, was deleted.
    """

    def __init__(self, topic: str, partition: int, first: int = 0) -> None:
        self._topic = topic
        self._partition = partition
        self._first = first
        self._entries: list[Stored] = []
        self._open: dict[int, int] = {}  # producer id to the first offset of its transaction
        self._aborted: dict[int, list[tuple[int, int]]] = {}  # ranges of offsets, end excluded

    @property
    def place(self) -> tuple[str, int]:
        """Topic and number of the partition."""
        return self._topic, self._partition

    @property
    def end(self) -> int:
        """The offset that the next entry will have (the high watermark)."""
        return self._first + len(self._entries)

    @property
    def stable(self) -> int:
        """The last stable offset: the first one of the earliest open transaction, or the end."""
        return min(self._open.values(), default=self.end)

    def append(
        self,
        key: bytes | None,
        value: bytes | None,
        headers: tuple[tuple[str, bytes | None], ...] = (),
        timestamp: int = 0,
        producer: int | None = None,
    ) -> Stored:
        """Add a record; with a producer's id as part of its open transaction."""
        if producer is not None:
            self._open.setdefault(producer, self.end)
        entry = Stored(
            self._topic,
            self._partition,
            self.end,
            key,
            value,
            headers,
            timestamp,
            producer=producer,
        )
        self._entries.append(entry)
        return entry

    def mark(self, producer: int, kind: Kind) -> None:
        """Add the marker that ends a producer's transaction here."""
        begin = self._open.pop(producer, self.end)
        if kind is Kind.ABORT:
            self._aborted.setdefault(producer, []).append((begin, self.end))
        marker = Stored(self._topic, self._partition, self.end, None, None, (), 0, kind, producer)
        self._entries.append(marker)

    def read(self, offset: int, limit: int, *, committed: bool) -> list[Stored]:
        """At most ``limit`` records from an offset on, as a reader of this isolation sees them."""
        end = self.stable if committed else self.end
        found: list[Stored] = []
        for entry in self._entries[max(offset - self._first, 0) : end - self._first]:
            if len(found) == limit:
                break
            if entry.kind is Kind.DATA and not (committed and self._is_aborted(entry)):
                found.append(entry)
        return found

    def durable(self) -> Hashable:
        """Entries, open transactions and aborted ones."""
        aborted = [(producer, tuple(ranges)) for producer, ranges in self._aborted.items()]
        return tuple(self._entries), tuple(self._open.items()), tuple(aborted)

    def _is_aborted(self, entry: Stored) -> bool:
        if entry.producer is None:
            return False
        ranges = self._aborted.get(entry.producer, ())
        return any(begin <= entry.offset < end for begin, end in ranges)


KINDS = PartitionLog, Stored, Kind
"""The classes that a log is made of."""
