"""Certificates and waivers run out; that makes history, not lies."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from tests.conformance.certificate.conftest import (
    NOW,
    rechained,
)

from plugwright_conformance.certificate import RuleState, Verdict

MISMATCH = "waivers and waived checks differ; remove waivers for checks that passed or do not exist"


@pytest.mark.parametrize("days", [274, 3650])
def test_certificate_is_historic_after_a_year(verify, certificate, days):
    """It does not become false."""
    found = verify(certificate, now=NOW + timedelta(days=days))

    assert found.verdict is Verdict.HISTORIC
    assert [f.detail for f in found.findings if f.state is RuleState.HISTORIC] == [
        "expired 2027-03-01T11:00:00Z"
    ]


@pytest.mark.parametrize(
    ("now", "verdict"),
    [
        (datetime(2027, 3, 1, 10, 59, 59, tzinfo=UTC), Verdict.VALID),
        (datetime(2027, 3, 1, 11, 0, 0, tzinfo=UTC), Verdict.HISTORIC),
        (datetime(2026, 3, 1, 10, 55, 0, tzinfo=UTC), Verdict.VALID),
        (datetime(2026, 3, 1, 10, 54, 59, tzinfo=UTC), Verdict.INVALID),
    ],
    ids=["last-second", "expired", "clocks-differ", "from-the-future"],
)
def test_dates_count_to_the_second(verify, certificate, now, verdict):
    """Clocks may differ by five minutes."""
    assert verify(certificate, now=now).verdict is verdict


@pytest.mark.parametrize(
    "change",
    [
        {"expires": "2027-03-01T11:00:01Z"},
        {"expires": "2026-03-01T10:59:59Z"},
        {"issued": "2026-03-01T10:22:36Z"},
        {"finished": "2026-03-01T10:20:29Z"},
        {"started": "yesterday"},
        {"started": "2026-03-01T10:20:30"},
    ],
    ids=["too-long", "before-issue", "before-the-end", "before-the-start", "no-time", "no-zone"],
)
def test_dates_follow_each_other(broken, forge, change):
    """And a year is the longest."""
    assert broken(forge(lambda d: d["predicate"]["run"].update(change)))[0] == "waivers-and-dates"


WAIVER = {
    "id": "PLG-PKG-09",
    "reason": "a name that users know",
    "owner": "orders team",
    "created": "2026-02-01T00:00:00Z",
    "expires": "2026-05-01T00:00:00Z",
    "issue": "",
}


def waived(*waivers):
    """A change that waives one check, with these waivers."""

    def change(document):
        predicate = document["predicate"]
        predicate["results"][1]["outcome"] = "WAIVED"
        predicate["passedTests"].remove("PLG-PKG-09")
        predicate |= {"waived": ["PLG-PKG-09"], "result": "WARNED", "waivers": list(waivers)}
        rechained(document)

    return change


def test_waiver_in_force_is_accepted(verify, forge):
    """While it runs."""
    data = forge(waived(WAIVER))

    assert verify(data, now=datetime(2026, 4, 1, tzinfo=UTC)).verdict is Verdict.VALID


def test_waiver_that_ran_out_makes_it_historic(verify, forge):
    """What was waived is not any more."""
    found = verify(forge(waived(WAIVER)))

    assert found.verdict is Verdict.HISTORIC
    assert "the waiver of PLG-PKG-09 expired on 2026-05-01T00:00:00Z" in {
        finding.detail for finding in found.findings
    }


@pytest.mark.parametrize(
    "waivers",
    [
        (),
        (WAIVER, WAIVER),
        (WAIVER | {"id": "PLG-PKG-08"},),
        (WAIVER | {"reason": ""},),
        (WAIVER | {"owner": ""},),
        (WAIVER | {"created": "2026-03-02T00:00:00Z"},),
        (WAIVER | {"expires": "2026-03-01T11:00:00Z"},),
        (WAIVER | {"created": "2026-01-30T23:59:59Z"},),
    ],
    ids=["none", "twice", "other", "reason", "owner", "later", "over", "too-long"],
)
def test_waivers_out_of_order(broken, forge, waivers):
    """Each has one waiver, with reason and owner, in force at the issue (H15), for 90 days."""
    assert broken(forge(waived(*waivers)))[0] == "waivers-and-dates"


def test_waiver_for_a_check_that_passed_has_to_go(broken, forge):
    """Waivers work in both directions (H17)."""
    assert broken(forge(lambda d: d["predicate"].update(waivers=[WAIVER]))) == (
        "waivers-and-dates",
        MISMATCH,
    )
