"""Which divisions of the work can be judged, and which of these are balanced."""

from __future__ import annotations

import json

import pytest

from plugwright.record import SourceRecord
from plugwright.schema import STRING_SCHEMA
from plugwright_conformance.checks.shares import division_of


def records(*tables, key="table", value="a value"):
    """A record of each of these tables, which may be named more than once."""
    return [SourceRecord({key: t}, {"n": 1}, "t", value, STRING_SCHEMA) for t in tables]


def configs(*shares, **more):
    """The configuration of each task, with its tables as a list in a text."""
    return [{"url": "db", **more, "tables": ",".join(share)} for share in shares]


def divided(*shares):
    """Tasks that read what a test specifies."""
    return division_of(configs(*shares), [records(*share) for share in shares])


@pytest.mark.parametrize(
    ("shares", "balanced"),
    [
        ((["a", "b", "c"], ["d", "e"]), True),
        ((["a", "b"], ["c"]), True),
        ((["a", "b", "c"], ["d"]), False),
        ((["a"], ["b"], ["c"], ["d", "e", "f", "g"]), False),
        ((["a", "b", "c"], [], ["d"]), False),
    ],
)
def test_at_most_twice_the_work_is_balanced(shares, balanced):
    """A task without work counts, for there is some."""
    assert divided(*shares).balanced is balanced


def test_work_may_be_divided_by_records():
    """One table may have as many as all the others."""
    found = division_of(
        configs(["a"], ["b", "c", "d"]), [records("a", "a", "a"), records("b", "c", "d")]
    )

    assert [share.partitions for share in found.shares] == [1, 3]
    assert found.balanced


def test_work_may_be_divided_by_size():
    """One value may be as long as all the others."""
    long = records("a", value="x" * 30)
    found = division_of(configs(["a"], ["b", "c", "d"]), [long, records("b", "c", "d")])

    assert found.balanced


def test_tables_without_records_belong_to_the_work():
    """The endpoint has filled the first ones only."""
    shares = [["a", "b", "c", "d"], ["e", "f", "g", "h"]]

    assert division_of(configs(*shares), [records("a", "b", "c", "d"), []]).balanced


@pytest.mark.parametrize(
    ("assigned", "read"),
    [
        ([{"slots": "[0, 1]"}, {"slots": "[2, 3]"}], [["a", "b", "c"], ["d"]]),
        ([{"number": "0"}, {"number": "1"}], [["a", "b", "c"], ["d"]]),
        (configs(["a", "b", "c"], ["a", "d"]), [["a", "b", "c"], ["d"]]),
        (configs(["a", "b", "c"], ["a"]), [["a", "b", "c"], ["a"]]),
        (configs(["a"], []), [["a"], []]),
        (configs(["a", "b", "c"]), [["a", "b", "c"]]),
        ([], []),
    ],
    ids=["slots", "by-hash", "assigned-twice", "shared", "one-table", "one-task", "no-task"],
)
def test_other_divisions_are_not_judged(assigned, read):
    """What tasks find by hash may be uneven by chance; and there has to be work for each."""
    assert division_of(assigned, [records(*tables) for tables in read]) is None


def test_a_number_names_nothing():
    """Slot 1 is in many settings."""
    assigned = [{"slots": "0,1,2"}, {"slots": "3"}]
    parts = [records("0", "1", "2", key="slot"), records("3", key="slot")]

    assert division_of(assigned, parts) is None


def test_a_name_within_another_one_is_none():
    """Table a1 is not assigned to the task that has a10."""
    found = divided(["a1", "b"], ["a10", "c"])

    assert found.balanced


def test_task_with_a_role_of_its_own_does_not_count():
    """One that follows the catalogue, and one that heads the others."""
    assigned = [*configs(["a", "b"], ["c", "d"], role="reader"), {"url": "db", "role": "watcher"}]

    found = division_of(assigned, [records("a", "b"), records("c", "d"), []])

    assert [share.partitions for share in found.shares] == [2, 2]
    assert found.balanced


def test_tables_may_be_assigned_as_json():
    """The words are counted, whatever is between them."""
    assigned = [{"roots": json.dumps(share)} for share in (["a", "b"], ["c"])]

    found = division_of(assigned, [records("a", "b"), records("c")])

    assert [share.words for share in found.shares] == [2, 1]
