"""Ranges of offsets: what to read of each partition, in which batches, by which task.

A range ends at an offset, not at a count: control records and aborted transactions leave gaps, so
it may hold fewer records than offsets.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from typing import TYPE_CHECKING
from zlib import crc32

from plugwright.record import TopicPartition

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


@dataclass(frozen=True, slots=True, order=True)
class OffsetRange:
    """A range of offsets of one partition.

    Attributes:
        start: the first offset.
        end: the first offset after the range.
    """

    topic: str
    partition: int
    start: int
    end: int

    @property
    def size(self) -> int:
        """The number of offsets."""
        return self.end - self.start

    @property
    def home(self) -> TopicPartition:
        """The partition."""
        return TopicPartition(self.topic, self.partition)

    def __str__(self) -> str:
        return f"{self.topic}-{self.partition} [{self.start}, {self.end})"


def ranges_between(
    start: Mapping[TopicPartition, int], end: Mapping[TopicPartition, int]
) -> list[OffsetRange]:
    """The ranges between two positions, in order; partitions only in ``end`` begin at 0."""
    found = [OffsetRange(*home, start.get(home, 0), last) for home, last in end.items()]
    return sorted(each for each in found if each.size > 0)


def split_ranges(ranges: Sequence[OffsetRange], at_least: int) -> list[OffsetRange]:
    """Split the largest ranges until there are ``at_least`` many, or none can be split.

    >>> [str(part) for part in split_ranges([OffsetRange("t", 0, 0, 10)], 3)]
    ['t-0 [0, 4)', 't-0 [4, 7)', 't-0 [7, 10)']
    """
    parts = dict.fromkeys(ranges, 1)
    heap = [(float(-each.size), each) for each in ranges]
    heapq.heapify(heap)
    for _ in range(at_least - len(ranges)):
        largest, each = heap[0]
        if largest >= -1:  # one offset cannot be split
            break
        parts[each] += 1
        heapq.heapreplace(heap, (-each.size / parts[each], each))
    return [part for each, count in sorted(parts.items()) for part in _cut(each, count)]


def _cut(whole: OffsetRange, parts: int) -> list[OffsetRange]:
    size, longer = divmod(whole.size, parts)
    found, begin = [], whole.start
    for number in range(parts):
        end = begin + size + (number < longer)
        found.append(OffsetRange(whole.topic, whole.partition, begin, end))
        begin = end
    return found


def batch_end(
    start: Mapping[TopicPartition, int], end: Mapping[TopicPartition, int], limit: int
) -> dict[TopicPartition, int]:
    """The end of a batch of about ``limit`` offsets from ``start`` towards ``end``.

    Each partition advances in proportion to its backlog, and by at least one offset, so that
    a large one does not starve the others.
    """
    waiting = {each.home: each.size for each in ranges_between(start, end)}
    total = sum(waiting.values())
    if total <= limit:
        return dict(end)
    return {
        home: start.get(home, 0) + max(1, waiting[home] * limit // total)
        if home in waiting
        else last
        for home, last in end.items()
    }


def task_of(topic: str, partition: int, tasks: int) -> int:
    """The number of the task that reads a partition, independent of other partitions.

    The partitions of a topic are assigned to the tasks in turn.
    """
    return (crc32(topic.encode()) + partition) % tasks


def ranges_by_task(ranges: Sequence[OffsetRange], tasks: int) -> dict[int, list[OffsetRange]]:
    """The ranges of each task that has any; a partition is not divided among tasks."""
    found: dict[int, list[OffsetRange]] = {}
    for each in sorted(ranges):
        found.setdefault(task_of(each.topic, each.partition, tasks), []).append(each)
    return dict(sorted(found.items()))
