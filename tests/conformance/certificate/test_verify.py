"""A verifier asks rule by rule, believes nothing that is claimed, and names the first break."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace

import pytest
from tests.conformance.certificate.conftest import (
    KEY,
    OTHER_KEY,
    REGISTRY,
    SUITE,
    compact,
    payload_of,
    report_for,
    signed,
    wheel_bytes,
    with_suite,
)

from plugwright_conformance.certificate import Erratum, RuleState, Verdict, write_errata
from plugwright_conformance.certificate.statement import RegistryEntry
from plugwright_conformance.evidence.outcome import Outcome
from plugwright_conformance.report import JsonReport

CLAIM = f"it names the key {KEY.public.fingerprint} as its signer"


def states(found):
    """Every rule with its answer."""
    return {finding.rule: finding.state for finding in found.findings}


def test_rules_are_asked_in_the_order_of_the_reference(verify, certificate):
    """Section 4.3; what is not at hand is said to be unchecked, never to hold."""
    found = verify(certificate)

    assert found.verdict is Verdict.VALID
    assert list(states(found).items()) == [
        ("envelope", RuleState.HOLDS),
        ("signature", RuleState.HOLDS),
        ("canonical-form", RuleState.HOLDS),
        ("statement", RuleState.HOLDS),
        ("artifact", RuleState.NOT_CHECKED),
        ("results", RuleState.NOT_CHECKED),
        ("registry", RuleState.HOLDS),
        ("closed-set", RuleState.HOLDS),
        ("level", RuleState.HOLDS),
        ("waivers-and-dates", RuleState.HOLDS),
        ("controls", RuleState.NOT_CHECKED),
        ("hash-chain", RuleState.HOLDS),
        ("errata", RuleState.NOT_CHECKED),
    ]


def test_what_is_at_hand_is_compared(verify, certificate, wheel, results_json):
    """Wheel, results and errata."""
    errata = write_errata([Erratum("PLG-PKG-08", 1, "an older revision")], KEY)

    found = states(verify(certificate, artifact=wheel, results=results_json, errata=errata))

    assert {found[rule] for rule in ("artifact", "results", "errata")} == {RuleState.HOLDS}


def test_certificate_made_without_our_code_verifies(verify, certificate):
    """The envelope of the tests is that of the program."""
    assert signed(compact(payload_of(certificate))) == certificate


def test_unsigned_certificate_is_not_valid(broken, run, wheel):
    """It says what it is, and proves nothing."""
    assert broken(report_for(wheel, key=None).render(run)) == ("signature", "it has no signature")


def test_key_that_is_not_trusted_proves_nothing(broken, certificate):
    """The text names the key that the file speaks of."""
    assert broken(certificate, trusted=(OTHER_KEY.public,)) == (
        "signature",
        f"{CLAIM}, which is not among the trusted keys",
    )


def test_no_trusted_key_is_no_trust(broken, certificate):
    """The key inside the file is never taken for one."""
    assert broken(certificate, trusted=()) == (
        "signature",
        f"{CLAIM}, and no trusted key was named",
    )


def test_signature_of_another_payload_is_reported(broken, certificate):
    """The key is known; it did not sign this."""
    envelope = json.loads(certificate)
    envelope["signatures"][0]["sig"] = "A3Jq"

    assert broken(compact(envelope) + b"\n") == (
        "signature",
        f"the signature is not that of the key {KEY.public.fingerprint}",
    )


def test_any_of_several_trusted_keys_will_do(verify, certificate):
    """Their order does not matter."""
    assert verify(certificate, trusted=(OTHER_KEY.public, KEY.public)).key == KEY.public


@pytest.mark.parametrize(
    "lay_out",
    [
        lambda e: json.dumps(e).encode(),
        compact,
        lambda e: compact(e | {"more": 1}) + b"\n",
        lambda e: compact(e | {"signatures": e["signatures"] * 2}) + b"\n",
        lambda e: (
            compact(e | {"signatures": [e["signatures"][0] | {"keyid": OTHER_KEY.public.keyid}]})
            + b"\n"
        ),
    ],
    ids=["blanks", "no-line-feed", "more", "twice", "key-id"],
)
def test_envelope_has_one_form(broken, certificate, lay_out):
    """What the signature does not cover cannot be otherwise either."""
    assert broken(lay_out(json.loads(certificate)))[0] == "canonical-form"


def test_payload_type_is_ours(broken, certificate):
    """A signature over another kind of document is no certificate."""
    assert broken(signed(compact(payload_of(certificate)), payload_type="application/json")) == (
        "canonical-form",
        "the payload must be application/vnd.in-toto+json, found application/json",
    )


def test_payload_has_one_form(broken, certificate):
    """Also when the key's owner signed another one."""
    rule, reason = broken(signed(json.dumps(payload_of(certificate)).encode()))

    assert (rule, reason) == (
        "canonical-form",
        "the payload: the same content has another canonical form (RFC 8785)",
    )


@pytest.mark.parametrize(
    ("change", "reported"),
    [
        (lambda d: d.update(more=1), "the document: more is unknown"),
        (lambda d: d["predicate"].pop("run"), "predicate: run is missing"),
        (lambda d: d.update(_type="x"), "of another kind: x, urn:"),
        (lambda d: d["predicate"].update(format="x/2"), "of another kind: https://in-toto"),
        (lambda d: d["predicate"].update(signer=None), "it names another signer"),
        (lambda d: d["predicate"]["signer"].update(keyid="ab"), "it names another signer"),
    ],
    ids=["more", "less", "type", "format", "no-signer", "other-signer"],
)
def test_statement_has_one_layout(broken, forge, change, reported):
    """Nothing is missing, nothing is more, and it is what it says."""
    rule, reason = broken(forge(change))

    assert (rule, reason[: len(reported)]) == ("statement", reported)


def test_other_wheel_is_not_covered(broken, certificate, tmp_path):
    """A right signature does not make it so (H11)."""
    other = tmp_path / "orders-1.2.0-py3-none-any.whl"
    other.write_bytes(wheel_bytes(b"VALUE = 2\n"))

    rule, reason = broken(certificate, artifact=other)

    assert rule == "artifact"
    assert hashlib.sha256(other.read_bytes()).hexdigest() in reason


@pytest.mark.parametrize(
    ("change", "reported"),
    [
        (lambda d: d.update(subject=[]), "it names no subject"),
        (
            lambda d: d["subject"][0]["digest"].update(sha256="00" * 32),
            "the run tested another artifact than the subject",
        ),
    ],
)
def test_subject_is_what_was_run(broken, forge, change, reported):
    """A certificate cannot be moved to other bytes."""
    assert broken(forge(change)) == ("artifact", reported)


def test_other_results_are_not_covered(broken, certificate, results_json):
    """One byte is enough (H10)."""
    rule, reason = broken(certificate, results=results_json + b"\n")

    assert (rule, reason.startswith("results.json has the digest ")) == ("results", True)


def test_results_with_the_same_verdicts_are_other_results(broken, certificate, results_json):
    """Every byte of the file is bound, not only what the certificate repeats."""
    changed = results_json.replace(b"certify orders.whl", b"certify 0rders.whl")

    rule, reason = broken(certificate, results=changed)

    assert (rule, hashlib.sha256(changed).hexdigest() in reason) == ("results", True)


def test_results_that_tell_otherwise_are_found(broken, run, forge):
    """Their author may bind any file, but not one that says something else."""
    worse = (*run.results[:3], replace(run.results[3], outcome=Outcome.FAIL))
    data = JsonReport().render(replace(run, results=worse))
    digest = {"results_digest": hashlib.sha256(data).hexdigest(), "results_size": len(data)}

    assert broken(forge(lambda d: d["predicate"]["evidence"].update(digest)), results=data) == (
        "results",
        "results.json and the certificate have different results",
    )


def test_bound_results_that_cannot_be_read_are_reported(broken, forge):
    """By the reader of results."""
    bound = {"results_digest": hashlib.sha256(b"{").hexdigest(), "results_size": 1}

    rule, reason = broken(forge(lambda d: d["predicate"]["evidence"].update(bound)), results=b"{")

    assert (rule, reason.startswith("the results cannot be read")) == ("results", True)


@pytest.mark.parametrize(
    "change",
    [
        lambda d: d["predicate"]["suite"].update(registry_digest="00" * 32),
        lambda d: d["predicate"]["suite"]["registry"].pop(),
        lambda d: d["predicate"]["suite"]["registry"][0].update(revision=2),
    ],
    ids=["digest", "entry-gone", "revision"],
)
def test_registry_has_its_digest(broken, forge, change):
    """Whoever changes the list has to change the digest, and then it is another suite's."""
    assert broken(forge(change)) == (
        "registry",
        "the digest of the registry does not match",
    )


def test_same_suite_with_other_checks_is_refused(broken, certificate):
    """One version has one registry."""
    rule, reason = broken(certificate, suite=with_suite(registry=REGISTRY[1:]))

    assert (rule, reason.startswith(f"suite {SUITE.version} has the registry ")) == (
        "registry",
        True,
    )


def test_catalogue_cannot_be_made_smaller(broken, forge):
    """A level is not had by asking for less."""
    data = forge(lambda d: d["predicate"]["suite"].update(catalogue={"C1": 1}))

    assert broken(data)[0] == "registry"


@pytest.mark.parametrize(
    ("registry", "reported"),
    [
        ((replace(REGISTRY[0], revision=2), *REGISTRY[1:]), "CON-LIF-02 was revised"),
        (REGISTRY[:-1], "SRC-OFF-03 was withdrawn"),
        ((*REGISTRY, RegistryEntry("Z", 1, "may", "C1", ("sink",))), "Z is new"),
        ((replace(REGISTRY[0], level="C1"), *REGISTRY[1:]), "weights or kinds of checks changed"),
    ],
    ids=["revised", "withdrawn", "new", "weight"],
)
def test_later_suite_makes_it_historic(verify, certificate, registry, reported):
    """It was true of its suite, and is not of this one."""
    found = verify(certificate, suite=with_suite(version="9.0", registry=registry))

    assert found.verdict is Verdict.HISTORIC
    assert [f.detail for f in found.findings if f.state is RuleState.HISTORIC] == [
        f"the suite is now at 9.0: {reported}"
    ]


def test_later_suite_with_the_same_checks_changes_nothing(verify, certificate):
    """A version number alone is no reason."""
    assert verify(certificate, suite=with_suite(version="9.0")).verdict is Verdict.VALID


def test_certificate_of_a_later_suite_cannot_be_judged(broken, certificate):
    """An older verifier does not know what a newer revision means."""
    older = (REGISTRY[0], replace(REGISTRY[1], revision=1), *REGISTRY[2:])

    rule, reason = broken(certificate, suite=with_suite(version="0.0.1", registry=older))

    assert rule == "registry"
    assert "PLG-PKG-08 in revision 2; this is 0.0.1, verify with that version" in reason


def test_revoked_revision_makes_it_historic(verify, certificate):
    """The errata say which and why."""
    errata = write_errata([Erratum("PLG-PKG-08", 2, "passed wrong versions")], KEY)

    found = verify(certificate, errata=errata)

    assert found.verdict is Verdict.HISTORIC
    assert found.findings[-1].detail == "PLG-PKG-08 revision 2 is revoked: passed wrong versions"


@pytest.mark.parametrize(
    ("errata", "reported"),
    [
        (write_errata([], OTHER_KEY), "the errata file breaks signature: it names the key"),
        (b"{}", "the errata file breaks envelope: not a DSSE envelope"),
    ],
    ids=["other-key", "no-envelope"],
)
def test_errata_of_others_do_not_count(broken, certificate, errata, reported):
    """Nobody else can revoke a check, and nobody can hide an erratum by damage."""
    rule, reason = broken(certificate, errata=errata)

    assert (rule, reason[: len(reported)]) == ("errata", reported)
