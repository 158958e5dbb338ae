"""What follows from the results is worked out anew, whatever a certificate claims."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.conformance.certificate.conftest import (
    CAN_AWARD,
    COMPLETE,
    compact,
    levelled,
    outcome,
    payload_of,
    rechained,
    report_for,
    signed,
)

from plugwright_conformance.certificate import RuleFinding, RuleState, Verdict
from plugwright_conformance.evidence.outcome import Level, Outcome


@pytest.mark.parametrize(
    ("change", "reported"),
    [
        (
            lambda p: p["results"].pop(),
            "the results have 3 checks, the registry 4; first difference: SRC-OFF-03",
        ),
        (
            lambda p: p["results"].append(p["results"][0]),
            "the results have 5 checks, the registry 4; first difference: PLG-PKG-08",
        ),
        (
            lambda p: p["results"][3].update(id="SNK-OFF-02"),
            "the results have 4 checks, the registry 4; first difference: SNK-OFF-02",
        ),
        (
            lambda p: p["results"][0].update(revision=1),
            "PLG-PKG-08 has another severity or level than in the registry",
        ),
        (
            lambda p: p["results"][0].update(severity="may"),
            "PLG-PKG-08 has another severity or level than in the registry",
        ),
        (
            lambda p: p["results"][0].update(level="C5"),
            "PLG-PKG-08 has another severity or level than in the registry",
        ),
        (lambda p: p["results"][0].update(outcome="FINE"), "PLG-PKG-08 has an unknown outcome"),
        (
            lambda p: p["results"][0].update(observations=0),
            "PLG-PKG-08 passed without an observation",
        ),
        (lambda p: p["run"].update(dry_run=True), "a dry run ran nothing"),
    ],
    ids=[
        "missing",
        "twice",
        "stranger",
        "revision",
        "severity",
        "level",
        "outcome",
        "nothing-seen",
        "dry-run",
    ],
)
def test_closed_set(broken, forge, change, reported):
    """Every check of the registry ended once, with something to show for it (H12, H14)."""

    def forged(document):
        change(document["predicate"])
        rechained(document)

    assert broken(forge(forged)) == ("closed-set", reported)


def test_level_is_worked_out_anew(broken, forge):
    """Raising the field and signing again does not raise the level (H13)."""
    assert broken(forge(lambda d: d["predicate"].update(level="C5"))) == (
        "level",
        "it claims C5, its results amount to no level",
    )


def test_level_of_a_failed_check_is_worked_out_anew(broken, run, wheel):
    """The honest certificate of a failure, with a better level written over it."""
    worse = (*run.results[:3], outcome("SRC-OFF-03", run.seed, Level.C3, Outcome.FAIL))
    whole = replace(run, results=worse, catalogue=COMPLETE)
    document = payload_of(report_for(wheel).render(whole))
    levelled(document)

    assert broken(signed(compact(document)), suite=CAN_AWARD) == (
        "level",
        "it claims C3, its results amount to C2",
    )


@pytest.mark.parametrize(
    "change",
    [
        lambda p: p.update(result="FAILED"),
        lambda p: p.update(passedTests=[]),
        lambda p: p.update(not_run=["PLG-PKG-08"]),
    ],
    ids=["result", "passed", "not-run"],
)
def test_summary_is_that_of_the_results(broken, forge, change):
    """Policies read only the summary."""
    assert broken(forge(lambda d: change(d["predicate"]))) == (
        "level",
        "its summary is not that of its results",
    )


def test_certificate_with_a_level_is_valid(verify, forge):
    """The format carries levels for the day when one can be reached."""
    found = verify(forge(levelled), suite=CAN_AWARD)

    assert found.verdict is Verdict.VALID
    assert RuleFinding("controls", RuleState.HOLDS) in found.findings


@pytest.mark.parametrize(
    ("change", "reported"),
    [
        (
            lambda p: p.update(controls=None),
            "C3 is claimed without controls or without a kill matrix",
        ),
        (
            lambda p: p.update(suite_quality={"kill_matrix_digest": None}),
            "C3 is claimed without controls or without a kill matrix",
        ),
        (
            lambda p: p["controls"].update(reference_level="C2"),
            "the reference connector reached C2 and 12 of 12 distinct sentinels were killed",
        ),
        (
            lambda p: p["controls"]["sentinels"].pop(),
            "the reference connector reached C3 and 11 of 12 distinct sentinels were killed",
        ),
        (
            lambda p: p["controls"]["sentinels"][3].update(killed_by=""),
            "the reference connector reached C3 and 11 of 12 distinct sentinels were killed",
        ),
        (
            lambda p: p["controls"]["sentinels"][3].update(digest=f"{4:064x}"),
            "the reference connector reached C3 and 11 of 12 distinct sentinels were killed",
        ),
    ],
    ids=["no-controls", "no-matrix", "reference", "sentinel", "alive", "same-twice"],
)
def test_level_stands_on_controls(broken, forge, change, reported):
    """A harness that cannot see proves nothing."""

    def forged(document):
        levelled(document)
        change(document["predicate"])

    assert broken(forge(forged), suite=CAN_AWARD) == ("controls", reported)


def test_sentinels_are_those_of_the_suite(broken, verify, forge):
    """A broken connector that was exchanged for a good one has another digest (H19)."""
    own = {f"M{n:03}": f"{n:064x}" for n in range(12)}
    other = {**own, "M004": "ab" * 32}

    assert verify(forge(levelled), suite=replace(CAN_AWARD, sentinels=own)).broken is None
    assert broken(forge(levelled), suite=replace(CAN_AWARD, sentinels=other)) == (
        "controls",
        "the sentinel M004 is not the one of this suite",
    )


@pytest.mark.parametrize(
    "change",
    [
        lambda p: p.update(badges=["SECURE"]),
        lambda p: p["suite"].update(profile="wave-9"),
    ],
    ids=["badges", "profile"],
)
def test_badges_and_profile_are_not_believed(broken, forge, change):
    """They follow from the results, by a profile that is known."""

    def forged(document):
        levelled(document)
        change(document["predicate"])

    assert broken(forge(forged), suite=CAN_AWARD)[0] == "level"


@pytest.mark.parametrize(
    ("change", "reported"),
    [
        (
            lambda p: p["results"][2].update(seed="0"),
            "seed or evidence of CON-LIF-02 belongs to another run",
        ),
        (
            lambda p: p["results"][2].update(ledger="00"),
            "seed or evidence of CON-LIF-02 belongs to another run",
        ),
        (
            lambda p: p["results"][2].update(message="x"),
            "the results do not lead to the chain's last link",
        ),
        (lambda p: p["results"].reverse(), "the results do not lead to the chain's last link"),
        (
            lambda p: p["evidence"].update(events=5),
            "the results do not lead to the chain's last link",
        ),
        (
            lambda p: p["run"].update(nonce="00"),
            "the master seed does not follow from artifact, suite and nonce",
        ),
    ],
    ids=["seed", "ledger", "message", "order", "events", "nonce"],
)
def test_hash_chain(broken, forge, change, reported):
    """Rows, seeds and evidence belong to this run."""

    def forged(document):
        change(document["predicate"])
        document["predicate"]["passedTests"] = [r["id"] for r in document["predicate"]["results"]]

    assert broken(forge(forged)) == ("hash-chain", reported)


def test_seed_of_a_check_follows_from_the_master_seed(broken, forge):
    """Even where the evidence was made to fit another."""

    def forged(document):
        document["predicate"]["results"][2]["seed"] = "00"
        rechained(document)

    assert broken(forge(forged)) == (
        "hash-chain",
        "seed or evidence of CON-LIF-02 belongs to another run",
    )


def test_chosen_seed_is_reported(verify, forge):
    """It may have been chosen well."""
    found = verify(forge(lambda d: d["predicate"]["run"].update(nonce=None)))

    assert [f.detail for f in found.findings if f.rule == "hash-chain"] == [
        "the user chose the seed"
    ]
