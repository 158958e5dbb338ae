"""A level is awarded for what was looked for and found right, never for what is missing."""

from __future__ import annotations

import pytest
from tests.conformance.report.result_lines import line, results

from plugwright_conformance.checks import CHECKS, MUST_CHECKS
from plugwright_conformance.evidence.outcome import Level, Outcome, Severity

PASSED = [line("A", Level.C1), line("B", Level.C2), line("C", Level.C3)]


def test_level_is_that_of_the_last_fulfilled_checks():
    """Levels contain each other."""
    assert results(*PASSED).level() is Level.C3


@pytest.mark.parametrize(
    ("outcome", "level"),
    [
        (Outcome.PASS, Level.C3),
        (Outcome.NOT_APPLICABLE, Level.C3),
        (Outcome.FAIL, Level.C1),
        (Outcome.ERROR, Level.C1),
        (Outcome.NOT_RUN, Level.C1),
        (Outcome.WAIVED, Level.C1),
    ],
)
def test_only_pass_and_not_applicable_fulfil(outcome, level):
    """What did not run was not shown."""
    lines = [PASSED[0], line("B", Level.C2, outcome), PASSED[2]]

    assert results(*lines).level() is level


@pytest.mark.parametrize(
    ("passed", "level"),
    [(0, Level.C2), (1, Level.C2), (2, Level.C3)],
    ids=["0 of 1", "1 of 2", "2 of 3"],
)
def test_c3_asks_for_sixty_percent_of_the_should_checks(passed, level):
    """Lower levels ask for none."""
    more = [line(f"S{n}", Level.C1, severity=Severity.SHOULD) for n in range(passed)]
    found = results(*PASSED, *more, line("D", Level.C3, Outcome.FAIL, Severity.SHOULD))

    assert found.level() is level


def test_should_check_that_does_not_apply_is_left_out_of_the_share():
    """The share is that of the applicable ones."""
    found = results(*PASSED, line("D", Level.C1, Outcome.NOT_APPLICABLE, Severity.SHOULD))

    assert found.level() is Level.C3


def test_should_check_does_not_hold_a_level_up():
    """It is reported all the same, as long as the others make up the share."""
    others = [line(name, Level.C1, severity=Severity.SHOULD) for name in ("E", "F")]
    found = results(*PASSED, *others, line("D", Level.C1, Outcome.FAIL, Severity.SHOULD))

    assert (found.level(), [result.id for result in found.failed]) == (Level.C3, ["D"])


def test_level_is_withheld_while_the_suite_lacks_checks_of_the_catalogue():
    """Three checks that pass are not the thirty that the level asks for."""
    found = results(*PASSED, catalogue={"C1": 1, "C2": 2, "C3": 30})

    assert found.level() is Level.C2
    assert found.unbuilt(Level.C3) == 27


@pytest.mark.parametrize(
    "registry", [["A", "B", "C", "D"], ["A", "B"], ["A", "B", "C", "C"]], ids=str
)
def test_no_level_unless_exactly_the_registry_ran(registry):
    """The set is closed in both directions (rule 3)."""
    found = results(*PASSED, registry=registry)

    assert (found.complete, found.level()) == (False, None)


@pytest.mark.parametrize("kind", ["source", "sink"])
def test_this_suite_has_not_more_must_checks_than_the_catalogue(kind):
    """The catalogue's counts are an upper bound at every level."""
    built = {
        level.name: len(
            [
                check
                for check in CHECKS
                if kind in check.kinds
                and check.severity is Severity.MUST
                and check.level.value <= level.value
            ]
        )
        for level in Level
    }

    assert [name for name in built if built[name] > MUST_CHECKS[kind][name]] == []
