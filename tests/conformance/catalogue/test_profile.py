"""Profiles are lists of checks, and levels say on which one they stand."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.conformance.report.result_lines import PLUGIN, line

from plugwright_conformance.catalogue.profile import WHOLE_CATALOGUE
from plugwright_conformance.checks import CHECKS, MUST_CHECKS, PRESENT, PROFILES, WAVE_1, WAVE_2
from plugwright_conformance.evidence.outcome import Level, Outcome, Severity
from plugwright_conformance.report import headline, why_not_more
from plugwright_conformance.report.results import RunResults
from plugwright_conformance.report.wording import profile_note

EXACT = replace(PLUGIN, capabilities={"delivery": "exactly-once"})


def run(*lines, plugin=PLUGIN, catalogue=None, profile="catalogue"):
    """A run over exactly these checks, by the profile."""
    counts = catalogue or {level.name: 1 for level in Level}
    ids = [result.id for result in lines]
    return RunResults(plugin, {}, "0", "", 0.0, "", lines, ids, catalogue=counts, profile=profile)


def test_profile_has_the_108_checks_of_wave_1():
    """106 of them must, as section 6.1 counts them; 11 of the second wave came with them."""
    wave_1 = [entry for entry in WAVE_1.entries if entry.wave == 1]
    must = [entry for entry in wave_1 if entry.severity is Severity.MUST]

    assert (len(wave_1), len(must), len(WAVE_1.entries)) == (108, 106, 119)


def test_what_certificates_were_awarded_by_stays_as_it_was():
    """A certificate that names the first profile is verified by these counts."""
    assert dict(WAVE_1.must_checks("source")) == {"C1": 29, "C2": 66, "C3": 85, "C4": 88, "C5": 89}
    assert dict(WAVE_1.must_checks("sink")) == {"C1": 29, "C2": 69, "C3": 88, "C4": 92, "C5": 93}
    assert list(PROFILES) == ["wave-1", "wave-2", "catalogue"]


def test_levels_are_awarded_by_every_check_there_is():
    """A new check joins its level, and belongs to no profile of before."""
    assert PRESENT.entries == CHECKS
    assert {check.id for check in CHECKS} > {check.id for check in WAVE_1.entries}


@pytest.mark.parametrize("kind", ["source", "sink"])
def test_no_level_asks_for_more_than_the_whole_catalogue(kind):
    """A profile is a part of it."""
    counts = [(MUST_CHECKS[kind][n], WHOLE_CATALOGUE[kind][n]) for n in WHOLE_CATALOGUE[kind]]

    assert [pair for pair in counts if pair[0] > pair[1]] == []


def test_what_loses_data_or_secrets_cannot_be_waived():
    """Not delivery, not offsets, not leaking secrets (section 4.1)."""
    assert not [i for i in WAVE_1.waivable if i[4:7] in {"DLV", "OFF"} or i == "CON-SEC-02"]
    assert "CON-SEC-01" in WAVE_1.waivable


@pytest.mark.parametrize(
    ("check", "level"), [("CON-SEC-01", Level.C4), ("CON-DLV-01", None)], ids=["may", "may-not"]
)
def test_waived_must_check_keeps_the_level_only_if_the_profile_says_so(check, level):
    """The profile decides, not who waives."""
    assert run(line(check, Level.C1, Outcome.WAIVED)).level() is level


def test_c5_is_for_plugins_that_declare_exactly_once():
    """A profile without must-checks of C5 does not make everybody exact."""
    lines = [line("A", Level.C1)]
    plain, exact = run(*lines), run(*lines, plugin=EXACT)

    assert (plain.level(), exact.level()) == (Level.C4, Level.C5)
    assert why_not_more(plain) == "C5 Exact is for plugins that declare exactly-once delivery"


def test_level_says_how_far_it_goes():
    """Nobody takes a part of the catalogue for the whole, which a certificate of before had."""
    found, before = run(line("A", Level.C1)), run(line("A", Level.C1), profile="wave-2")

    assert headline(found) == headline(before) == "C4 Resilient"
    assert profile_note(found) == "all 143 must-checks in the catalogue up to C4"
    assert profile_note(before) == "wave-2: 142 of the 143 must-checks in the catalogue up to C4"


@pytest.mark.parametrize("kind", ["source", "sink"])
def test_every_must_check_of_the_catalogue_exists(kind):
    """No level stands for less than its name says."""
    assert dict(PRESENT.must_checks(kind)) == dict(WHOLE_CATALOGUE[kind])
    assert {check.id for check in CHECKS} - {check.id for check in WAVE_2.entries} == {"CON-RES-04"}


def test_missing_share_of_should_checks_is_reported():
    """The reason is never left open."""
    lines = [line("A", Level.C1), line("B", Level.C3, Outcome.FAIL, Severity.SHOULD)]

    assert why_not_more(run(*lines)) == ("C3 Durable: 0 of 1 should-checks, 60 % are required")


@pytest.mark.parametrize(
    ("lines", "badges"),
    [
        ([line("CON-SEC-01", Level.C1)], ("SECURE",)),
        ([line("CON-SEC-01", Level.C1), line("CON-SEC-02", Level.C2, Outcome.FAIL)], ()),
        ([line("CON-SEC-02", Level.C2, Outcome.NOT_APPLICABLE)], ()),
        ([line("SNK-ERR-04", Level.C3)], ()),
    ],
    ids=["all", "one-fails", "nothing-shown", "not-declared"],
)
def test_badge_stands_on_its_whole_set(lines, badges):
    """Something was shown, nothing failed, and the capability is declared."""
    assert run(*lines).badges() == badges
