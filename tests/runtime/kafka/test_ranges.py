"""Ranges of offsets: planned, cut, limited and shared out, by literal values."""

from __future__ import annotations

import pytest

from plugwright.kafka import (
    OffsetRange,
    batch_end,
    ranges_between,
    ranges_by_task,
    split_ranges,
    task_of,
)
from plugwright.record import TopicPartition

A0, A1, B0 = TopicPartition("a", 0), TopicPartition("a", 1), TopicPartition("b", 0)


def test_what_lies_between_two_positions_is_read():
    """In order; empty ranges and partitions that are gone are left out, new ones begin at 0."""
    found = ranges_between({A0: 5, A1: 7, B0: 1}, {A1: 7, A0: 9, TopicPartition("c", 2): 3})

    assert found == [OffsetRange("a", 0, 5, 9), OffsetRange("c", 2, 0, 3)]


@pytest.mark.parametrize(
    ("at_least", "expected"),
    [
        (0, ["a-0 [0, 100)", "b-0 [10, 20)"]),
        (2, ["a-0 [0, 100)", "b-0 [10, 20)"]),
        (4, ["a-0 [0, 34)", "a-0 [34, 67)", "a-0 [67, 100)", "b-0 [10, 20)"]),
    ],
)
def test_the_largest_ranges_are_cut(at_least, expected):
    """Until there are enough of them, in parts that differ by one at most."""
    ranges = [OffsetRange("b", 0, 10, 20), OffsetRange("a", 0, 0, 100)]

    found = split_ranges(sorted(ranges), at_least)

    assert [str(part) for part in found] == expected


def test_single_offsets_are_not_cut():
    """However many parts are wanted."""
    found = split_ranges([OffsetRange("a", 0, 4, 7)], 10)

    assert [str(part) for part in found] == ["a-0 [4, 5)", "a-0 [5, 6)", "a-0 [6, 7)"]


def test_a_batch_goes_in_proportion_to_what_waits():
    """A small partition moves on beside a large one; one without new records stays."""
    start, end = {A0: 100, A1: 0, B0: 8}, {A0: 1100, A1: 2, B0: 8}

    assert batch_end(start, end, 100) == {A0: 199, A1: 1, B0: 8}
    assert batch_end(start, end, 1002) == end


def test_a_partition_always_has_the_same_task():
    """The partitions of a topic go round the tasks; other topics change nothing."""
    first = task_of("orders", 0, 3)

    assert [task_of("orders", n, 3) for n in range(4)] == [
        first,
        (first + 1) % 3,
        (first + 2) % 3,
        first,
    ]
    assert task_of("orders", 0, 3) == 0xE52FFDEE % 3


def test_no_partition_is_divided_among_tasks():
    """Tasks without ranges are left out."""
    ranges = [OffsetRange("orders", n, 0, 10) for n in range(3)]

    found = ranges_by_task(ranges, 2)

    even = task_of("orders", 0, 2)
    assert found[even] == [ranges[0], ranges[2]]
    assert found[1 - even] == [ranges[1]]
    assert ranges_by_task(ranges[:1], 2) == {even: ranges[:1]}
