"""A certificate says what the run found, in the words of the reference."""

from __future__ import annotations

import base64
import hashlib
import json
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from tests.conformance.certificate.conftest import KEY, compact, outcome, payload_of, report_for

from plugwright import __version__
from plugwright.errors import ConnectError
from plugwright_conformance.evidence.outcome import Level, Outcome, Severity


@pytest.fixture
def statement(certificate):
    """What the honest certificate says."""
    return payload_of(certificate)


@pytest.fixture
def predicate(statement):
    """What it says of its subject."""
    return statement["predicate"]


def test_statement_is_in_totos(statement):
    """Subject and types stand where its tools look for them."""
    assert statement["_type"] == "https://in-toto.io/Statement/v1"
    assert statement["predicateType"] == "urn:plugwright:conformance-certificate:1"
    assert [subject["name"] for subject in statement["subject"]] == [
        "orders-1.2.0-py3-none-any.whl",
        "RECORD",
    ]


def test_subject_is_the_wheel(statement, wheel):
    """By the digest of its bytes."""
    assert statement["subject"][0]["digest"] == {
        "sha256": hashlib.sha256(wheel.read_bytes()).hexdigest()
    }


def test_payload_is_canonical(certificate, statement):
    """Its bytes are those of another writer with sorted keys and no blanks."""
    assert base64.b64decode(json.loads(certificate)["payload"]) == compact(statement)


def test_predicate_is_a_superset_of_in_totos_test_result(predicate):
    """Policies for test results can read it."""
    assert predicate["result"] == "PASSED"
    assert predicate["passedTests"] == ["PLG-PKG-08", "PLG-PKG-09", "CON-LIF-02", "SRC-OFF-03"]
    assert (predicate["warnedTests"], predicate["failedTests"]) == ([], [])
    assert [each["name"] for each in predicate["configuration"]] == [
        "registry",
        "conformance.toml",
    ]


def test_registry_is_bound_with_its_revisions(predicate):
    """Every check is listed, and the digest is that of the list."""
    suite = predicate["suite"]

    assert suite["registry"][1] == {
        "id": "PLG-PKG-08",
        "revision": 2,
        "severity": "must",
        "level": "C1",
        "kinds": ["sink", "source"],
    }
    assert suite["registry_digest"] == hashlib.sha256(compact(suite["registry"])).hexdigest()
    assert (suite["version"], len(suite["source_digest"])) == (__version__, 64)


def test_results_json_is_bound(predicate, results_json):
    """By digest and size."""
    evidence = predicate["evidence"]

    assert evidence["results_digest"] == hashlib.sha256(results_json).hexdigest()
    assert (evidence["results_size"], evidence["events"]) == (len(results_json), 4)


def test_evidence_of_a_check_is_the_digest_of_what_it_found(run, wheel):
    """Anybody can work it out with sha256sum; durations and messages do not count."""
    seeded = replace(
        run, results=(replace(run.results[2], seed="c0ffee", message="m"), *run.results[3:])
    )
    whole = replace(seeded, registry=[r.id for r in seeded.results])

    (row, _) = payload_of(report_for(wheel).render(whole))["predicate"]["results"]

    assert row["evidence"] == "eb81fa53850f6e9501b38008fd7ce3bfa410c1bfac829b56909b97a6b8c7a245"
    assert (row["duration_ms"], row["figures"]) == (250, {"in": 12, "seconds": "0.5"})


def test_chain_leads_through_every_row_in_order(predicate):
    """Each link is the digest of the one before and of a row's canonical form."""
    link = hashlib.sha256(b"4242").digest()
    for row in predicate["results"]:
        link = hashlib.sha256(link + compact(row)).digest()

    assert predicate["evidence"]["chain_head"] == link.hex()


def test_run_is_dated_in_utc_for_a_year(predicate):
    """It ends, is issued and expires in this order."""
    run = predicate["run"]

    assert (run["started"], run["finished"]) == ("2026-03-01T10:20:30Z", "2026-03-01T10:22:37Z")
    assert (run["issued"], run["expires"]) == ("2026-03-01T11:00:00Z", "2027-03-01T11:00:00Z")
    assert (run["nonce"], run["dry_run"]) == ("5eed", False)


def test_certificate_is_not_issued_before_the_run_is_over(run, wheel, verify):
    """Whatever the rounding of a duration makes of its end."""
    data = report_for(wheel, issued=datetime(2026, 3, 1, 10, 22, 36, tzinfo=UTC)).render(run)

    assert payload_of(data)["predicate"]["run"]["issued"] == "2026-03-01T10:22:37Z"
    assert verify(data).verdict.value == "VALID"


def test_suite_that_is_not_complete_gives_no_level(predicate):
    """The certificate says so, and why."""
    assert (predicate["level"], predicate["axis"]) == (None, "self")
    assert predicate["why_not"] == (
        "C1 Discoverable requires 2 must-checks; this version of the suite implements 1"
    )


def test_level_and_what_stands_above_it_are_reported(run, wheel):
    """As in every report."""
    whole = replace(run, catalogue={"C1": 1, "C2": 2, "C3": 3})

    reported = payload_of(report_for(wheel).render(whole))["predicate"]

    assert (reported["level"], reported["why_not"]) == (
        "C3",
        "this suite has no checks of level C4 Resilient",
    )


def test_certificate_names_who_signs(predicate, certificate):
    """Inside, where the signature covers it, and outside."""
    (signature,) = json.loads(certificate)["signatures"]

    assert predicate["signer"] == {"keyid": KEY.public.keyid, "public_key": KEY.public.pem}
    assert signature["keyid"] == KEY.public.keyid


def test_unsigned_certificate_says_so(run, wheel):
    """No signer, no signature."""
    data = report_for(wheel, key=None).render(run)

    assert json.loads(data)["signatures"] == []
    assert payload_of(data)["predicate"]["signer"] is None


def test_equal_runs_give_equal_bytes(run, wheel, certificate):
    """Nothing is drawn while it is written."""
    assert report_for(wheel).render(run) == certificate


@pytest.mark.parametrize(
    ("severity", "ended", "reported"),
    [
        (Severity.MUST, Outcome.FAIL, ("FAILED", "failedTests")),
        (Severity.SHOULD, Outcome.FAIL, ("WARNED", "warnedTests")),
        (Severity.MUST, Outcome.ERROR, ("FAILED", "error")),
        (Severity.MUST, Outcome.NOT_RUN, ("WARNED", "not_run")),
        (Severity.MUST, Outcome.WAIVED, ("WARNED", "waived")),
        (Severity.MUST, Outcome.NOT_APPLICABLE, ("PASSED", "not_applicable")),
    ],
)
def test_result_and_lists_follow_from_the_outcomes(run, wheel, severity, ended, reported):
    """What did not run is no pass."""
    odd = outcome("SRC-OFF-03", run.seed, Level.C3, ended, severity=severity)

    data = report_for(wheel).render(replace(run, results=(*run.results[:3], odd)))
    found = payload_of(data)["predicate"]

    assert (found["result"], found[reported[1]]) == (reported[0], ["SRC-OFF-03"])
    assert "SRC-OFF-03" not in found["passedTests"]


@pytest.mark.parametrize(
    "change",
    [
        {"selection": ("PLG-PKG-08",)},
        {"registry": ("PLG-PKG-08",)},
        {"registry": (), "results": ()},
    ],
    ids=["selected", "other-set", "none"],
)
def test_partial_run_has_no_certificate(run, wheel, change):
    """Whatever its checks came to, or if there were none (H01, H02)."""
    with pytest.raises(ConnectError, match="covers the whole suite") as caught:
        report_for(wheel).render(replace(run, **change))

    assert caught.value.code == "certificate.partial-run"


def test_hostile_text_is_signed_as_data(run, wheel, verify):
    """Lone surrogates and control characters do not break the form."""
    bad = replace(run.results[3], message="\ud800\x1b[2J\u202e", figures={"\udfff": "\ud800"})

    data = report_for(wheel).render(replace(run, results=(*run.results[:3], bad)))

    assert verify(data).verdict.value == "VALID"


@pytest.mark.parametrize(
    ("flakes", "reported"),
    [
        ({"flakes": 2, "flake_verdicts": 21000}, {"flakes": 2, "flake_verdicts": 21000}),
        ({}, {}),
    ],
    ids=["measured", "earlier-release"],
)
def test_quality_of_the_suite_is_that_of_its_matrix(run, wheel, flakes, reported):
    """Mutation score, false alarms and flake rate stand beside the digest."""
    counted = {"mutants": 129, "killed": 126, "not_tried": 2, "false_alarms": 2, "seeds": 20}
    figures = {**counted, "sha256": "12" * 32, "of_this_suite": "yes", **flakes}

    made = report_for(wheel, kill_matrix_digest="12" * 32).render(replace(run, quality=figures))

    assert payload_of(made)["predicate"]["suite_quality"] == {
        "kill_matrix_digest": "12" * 32,
        "killed": 126,
        "tried": 127,
        "false_alarms": 2,
        "seeds": 20,
        **reported,
    }


def test_quality_without_a_matrix_is_its_absence_alone(certificate):
    """As it was written before there were more figures."""
    assert payload_of(certificate)["predicate"]["suite_quality"] == {"kill_matrix_digest": None}
