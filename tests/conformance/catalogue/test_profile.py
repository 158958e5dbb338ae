"""The profile is the catalogue's list of wave 1, and levels say that they stand on it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.conformance.report.test_results import PLUGIN, line

from plugwright_conformance.catalogue.profile import WHOLE_CATALOGUE
from plugwright_conformance.checks import CHECKS, MUST_CHECKS, WAVE_1
from plugwright_conformance.evidence.outcome import Level, Outcome, Severity
from plugwright_conformance.report import headline, why_not_more
from plugwright_conformance.report._wording import profile_note
from plugwright_conformance.report.results import RunResults

EXACT = replace(PLUGIN, capabilities={"delivery": "exactly-once"})


def run(*lines, plugin=PLUGIN, catalogue=None):
    """A run over exactly these checks, by the profile."""
    counts = catalogue or {level.name: 1 for level in Level}
    ids = [result.id for result in lines]
    return RunResults(plugin, {}, "0", "", 0.0, "", lines, ids, catalogue=counts, profile="wave-1")


def test_profile_has_the_108_checks_of_wave_1():
    """106 of them must, as section 6.1 counts them; what is built of later waves counts, too."""
    wave_1 = [entry for entry in WAVE_1.entries if entry.wave == 1]
    must = [entry for entry in wave_1 if entry.severity is Severity.MUST]

    assert (len(wave_1), len(must)) == (108, 106)
    assert WAVE_1.entries == CHECKS


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
    """Nobody takes a part of the catalogue for the whole."""
    found = run(line("A", Level.C1))

    assert headline(found) == "C4 Resilient"
    assert profile_note(found) == (
        "wave 1 of the suite: 92 of the 131 must-checks of the whole catalogue up to C4"
    )


def test_missing_share_of_should_checks_is_told():
    """The reason is never left open."""
    lines = [line("A", Level.C1), line("B", Level.C3, Outcome.FAIL, Severity.SHOULD)]

    assert why_not_more(run(*lines)) == ("C3 Durable: 0 of 1 should-checks, 60 % are asked for")


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
