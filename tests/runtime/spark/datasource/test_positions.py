"""How far a stream has read, as its checkpoint has it."""

from __future__ import annotations

import pytest

from plugwright.errors import ConnectError, render
from plugwright.record import SourceRecord
from plugwright.spark.datasource.offsets import StreamPosition

PLAIN = {
    "format": 1,
    "plugin": "shop.Source",
    "version": "1.0",
    "records": 2,
    "offsets": {'{"a":1,"b":2}': {"p": 9}},
}


def test_a_position_moves_with_the_records():
    """The last offset of each source partition counts."""
    records = [SourceRecord({"b": 2, "a": 1}, {"p": p}, "t", "v") for p in (8, 9)]

    assert StreamPosition("shop.Source", "1.0").after(records).to_plain() == PLAIN


def test_tasks_that_go_on_receive_the_offsets():
    """In whatever order the partition's keys are."""
    found = StreamPosition.from_plain(PLAIN, plugin="shop.Source", version="1.0")

    assert found.given().offset({"b": 2, "a": 1}) == {"p": 9}
    assert found.given().offset({"b": 3}) is None


WRONG = {
    "plugin": (
        {"plugin": "shop.Other"},
        (
            "rows.checkpoint-of-another-plugin: the checkpoint of this stream cannot be "
            "used: it belongs to "
            "shop.Other, but connector.class selects shop.Source\n"
            "  → name that plugin, or start with another checkpointLocation"
        ),
    ),
    "version": (
        {"version": "0.9"},
        (
            "rows.checkpoint-of-another-version: the checkpoint of this stream cannot be "
            "used: it belongs "
            "to shop.Source 0.9, but this is 1.0\n  → set connector.plugin.version to that "
            "version, or "
            "rows.checkpoint.version=any if this one understands its offsets"
        ),
    ),
    "format": (
        {"format": 2},
        (
            "rows.checkpoint-unknown: the checkpoint of this stream cannot be used: it has "
            "the format "
            "2, expected 1\n"
            "  → use the release of plugwright that wrote it, or a new checkpointLocation"
        ),
    ),
}


@pytest.mark.parametrize(("change", "text"), WRONG.values(), ids=WRONG)
def test_the_checkpoint_of_something_else_is_refused(change, text):
    """The text as a user reads it."""
    with pytest.raises(ConnectError) as caught:
        StreamPosition.from_plain(PLAIN | change, plugin="shop.Source", version="1.0")

    assert render(caught.value) == text


def test_another_version_goes_on_if_the_user_says_so():
    """Its own version is what the next position has."""
    old = PLAIN | {"version": "0.9"}

    found = StreamPosition.from_plain(old, plugin="shop.Source", version="1.0", any_version=True)

    assert found.to_plain() == PLAIN
