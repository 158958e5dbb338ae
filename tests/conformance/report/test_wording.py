"""Every report words verdicts and failures alike."""

from __future__ import annotations

from dataclasses import replace

import pytest

from plugwright_conformance.evidence.outcome import Level, Outcome, Severity
from plugwright_conformance.report import failure_rows, headline, why_not_more
from plugwright_conformance.report.wording import short_digest, span, tally


def run(results, checks, registry=None):
    """A run over exactly these checks."""
    ids = tuple(c.id for c in checks)
    registry = ids if registry is None else registry
    return replace(results, results=tuple(checks), registry=registry, catalogue={})


def passed(results, count):
    """Passing checks of the first ``count`` levels."""
    levels = list(Level)[:count]
    return [replace(results.results[0], id=level.name, level=level) for level in levels]


@pytest.mark.parametrize(
    ("count", "head", "why"),
    [
        (0, "no level", "this suite has no checks of level C1 Discoverable"),
        (3, "C3 Durable", "this suite has no checks of level C4 Resilient"),
        (5, "C5 Exact", "there is no higher level"),
    ],
    ids=["no-checks", "suite-ends", "summit"],
)
def test_reason_when_no_check_is_in_the_way(results, count, head, why):
    """A level can be out of reach for want of checks."""
    complete = run(results, passed(results, count))

    assert (headline(complete), why_not_more(complete)) == (head, why)


def test_reason_when_one_check_is_in_the_way(results):
    """One check is counted in the singular."""
    checks = [*passed(results, 1), replace(results.results[2], level=Level.C2)]

    assert why_not_more(run(results, checks)) == "C2 Compatible needs 1 more must-check"


def test_reason_when_the_suite_lacks_checks_of_the_catalogue(results):
    """What was not looked for was not found: the level is withheld, and the gap is counted."""
    short = replace(run(results, passed(results, 3)), catalogue={"C1": 1, "C2": 4, "C3": 9})

    assert (headline(short), why_not_more(short)) == (
        "C1 Discoverable",
        "C2 Compatible requires 4 must-checks; this version of the suite implements 2",
    )


def test_should_check_is_not_in_the_way(results):
    """Only must-checks hold a level up."""
    failed = replace(results.results[2], severity=Severity.SHOULD)

    assert headline(run(results, [*passed(results, 1), failed])) == "C2 Compatible"


def test_reason_when_checks_are_missing_strange_or_repeated(results):
    """The closed set is broken in three ways, and each is counted."""
    one, two = passed(results, 2)

    assert why_not_more(run(results, [one, one, two], registry=("C1", "C9"))) == (
        "the run contains 1 of the suite's 2 checks, 1 unknown to the suite,"
        " 1 repeated; a level requires each check exactly once"
    )


def test_failure_rows_leave_out_what_is_empty(results):
    """An error has a message instead of expectation and finding."""
    assert failure_rows(results.results[4]) == [
        ("message", "the endpoint did not start"),
        ("replay", "plugwright replay CON-DLV-03 --seed 7f3c"),
    ]


def test_failure_rows_stand_in_the_order_of_the_rules(results):
    """Conformance rule 8 fixes the order; the message repeats nothing."""
    assert [label for label, _ in failure_rows(results.results[2])] == [
        "expected",
        "observed",
        "scenario",
        "likely",
        "fix",
        "replay",
    ]


def test_tally_counts_passes_first(results):
    """Outcomes that did not occur are left out."""
    assert list(tally(results.results[:3]).items()) == [(Outcome.PASS, 2), (Outcome.FAIL, 1)]


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [
        (0, "0 ms"),
        (0.0042, "4 ms"),
        (0.9996, "1.0 s"),
        (2.51, "2.5 s"),
        (59.97, "1 min 00 s"),
        (187, "3 min 07 s"),
        (3600, "60 min 00 s"),
    ],
)
def test_span(seconds, shown):
    """Durations as people say them, also where rounding crosses a unit."""
    assert span(seconds) == shown


def test_short_digest_drops_the_algorithm():
    """Twelve digits tell artifacts apart."""
    assert short_digest("sha256:0123456789abcdef") == "0123456789ab"
