"""The ledger sees every difference between what went in and what came out."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plugwright_conformance.evidence.ledger import Ledger


@pytest.fixture
def ledger():
    """A book of four known values."""
    made = Ledger(Random(1))  # noqa: S311  # repeatable
    made._values = ["0:a", "1:b", "2:c", "3:d"]
    return made


@pytest.mark.parametrize(
    ("observed", "text"),
    [
        (["0:a", "1:b", "2:c", "3:d"], "in 4, out 4, lost 0, duplicated 0, foreign 0"),
        (["3:d", "2:c", "1:b", "0:a"], "in 4, out 4, lost 0, duplicated 0, foreign 0"),
        (["0:a", "3:d"], "in 4, out 2, lost 2, duplicated 0, foreign 0; first lost id 1:b"),
        (
            ["0:a", "0:a", "0:a", "1:b", "2:c", "3:d"],
            "in 4, out 6, lost 0, duplicated 2, foreign 0",
        ),
        (
            ["0:a", "0:a", "2:c", "3:d"],
            "in 4, out 4, lost 1, duplicated 1, foreign 0; first lost id 1:b",
        ),
        (
            ["0:a", "1:b", "2:c", "3:d", "3:D"],
            "in 4, out 5, lost 0, duplicated 0, foreign 1; first foreign value '3:D'",
        ),
        ([], "in 4, out 0, lost 4, duplicated 0, foreign 0; first lost id 0:a"),
    ],
    ids=["equal", "reordered", "loss", "duplicates", "loss-hidden", "foreign", "nothing"],
)
def test_reconciliation_counts_each_kind_of_difference(ledger, observed, text):
    """Loss, surplus copies and strangers are distinguished, whatever the totals say."""
    assert str(ledger.reconcile(observed)) == text


def test_foreign_value_that_comes_twice_counts_twice(ledger):
    """Strangers are counted as they come."""
    found = ledger.reconcile([*ledger.values, "x", "x"])

    assert found.figures() == {"in": 4, "out": 6, "lost": 0, "duplicated": 0, "foreign": 2}


def test_digest_does_not_depend_on_order_but_on_every_value(ledger):
    """Two runs with the same output have the same digest."""
    digests = [ledger.reconcile(o).digest for o in (["a", "b"], ["b", "a"], ["a", "b", "b"])]

    assert digests[0] == digests[1] != digests[2]


def test_same_seed_makes_the_same_values():
    """A replay moves what the first run moved."""
    one, other, third = (Ledger(Random(seed)).enter(50) for seed in (7, 7, 8))  # noqa: S311

    assert one == other != third


def test_values_are_unique_and_carry_their_number():
    """Ids go on where they stopped."""
    ledger = Ledger(Random(3))  # noqa: S311

    values = ledger.enter(20) + ledger.enter(20)

    assert [value.partition(":")[0] for value in values] == [f"{n:08x}" for n in range(40)]


def test_excluded_characters_do_not_occur():
    """An endpoint is not asked for what it declares that it cannot hold."""
    values = Ledger(Random(4), ["\t", "z", "\x00"]).enter(400)  # noqa: S311

    assert not set("".join(values)) & {"\t", "z", "\x00"}
    assert {"\r", "y", "\x7f"} < set("".join(values))


@pytest.mark.slow
@given(st.data())
def test_any_change_of_the_multiset_is_seen(data):
    """Dropping, repeating, changing or inventing a single value never goes unnoticed."""
    ledger = Ledger(Random(5))  # noqa: S311
    values = ledger.enter(data.draw(st.integers(1, 30)))
    keep = data.draw(st.lists(st.integers(0, 3), min_size=len(values), max_size=len(values)))
    foreign = data.draw(st.lists(st.text(max_size=5), max_size=3))
    observed = [v for v, times in zip(values, keep, strict=True) for _ in range(times)] + foreign

    found = ledger.reconcile(data.draw(st.permutations(observed)))

    assert len(found.lost) == keep.count(0)
    assert found.duplicated == sum(times - 1 for times in keep if times)
    assert len(found.foreign) == len(foreign)
