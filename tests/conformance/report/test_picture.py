"""The picture of delivery: a bar for each live scenario that counted records."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.conformance.report.conftest import check

from plugwright_conformance.evidence.outcome import Outcome
from plugwright_conformance.report.picture import delivery_bars


def counted(check_id, engine="resident", **figures):
    """The result of a scenario that counted records."""
    return check(check_id, "A claim", "Delivery", Outcome.PASS, engine=engine, figures=figures)


@pytest.fixture
def bars(results):
    """The bars of a run with these results, without what only names them."""

    def bars(*rows):
        found = delivery_bars(replace(results, results=rows))
        return [(bar.fault, bar.arrived, bar.lost, bar.repeated) for bar in found]

    return bars


def test_lengths_are_shares_on_one_scale(bars):
    """A third more than went in is the longest; what is lost comes off what arrived."""
    found = bars(
        counted("CON-REB-01", **{"in": 300, "lost": 0, "duplicated": 100}),
        counted("CON-SPK-05", **{"in": 1000, "lost": 250, "duplicated": 0}),
    )

    assert found == [("worker killed", 180, 0, 60), ("Spark's driver killed", 135, 45, 0)]


def test_one_record_in_a_hundred_thousand_can_be_seen(bars):
    """A loss is never rounded away."""
    row = counted("CON-DLV-01", **{"in": 100_000, "lost": 1, "duplicated": 1})

    assert bars(row) == [("no fault", 240, 3, 3)]


def test_engines_are_named_where_there_are_several(bars):
    """As in the ids of the checks."""
    figures = {"in": 10, "lost": 0, "duplicated": 0}
    rows = counted("CON-DLV-01", **figures), counted("CON-DLV-01", "stream", **figures)

    assert [fault for fault, *_ in bars(*rows)] == ["no fault, resident", "no fault, stream"]


def test_what_counted_nothing_has_no_bar(bars):
    """Nor has a scenario in the simulator."""
    assert bars(counted("CON-REB-02"), counted("CON-DLV-03", **{"in": 10, "lost": 0})) == []
