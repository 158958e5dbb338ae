"""A certificate has a row for each engine that is claimed; older ones can still be verified."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path

import pytest
from tests.conformance.certificate.conftest import (
    REGISTRY,
    compact,
    outcome,
    payload_of,
    rechained,
    report_for,
    signed,
    with_suite,
)

from plugwright_conformance.certificate import Verdict, compare, evidence_hash, read_recorded
from plugwright_conformance.certificate.statement import RegistryEntry
from plugwright_conformance.evidence.outcome import Level, Outcome
from plugwright_conformance.report import JsonReport
from plugwright_conformance.subject.waivers import Waiver

GOLDEN = Path(__file__).parents[2] / "golden" / "certificate"
LIVE = RegistryEntry("CON-DLV-02", 1, "must", "C3", ("sink",), ("resident", "stream"))
WHOLE = (LIVE, *(entry for entry in REGISTRY if "sink" in entry.kinds))
SUITE = with_suite(registry=WHOLE, catalogue={"sink": {"C1": 2, "C2": 3}, "source": {}})


@pytest.fixture(scope="session")
def streamed(run):
    """A run over a sink that claims both engines."""
    rows = [
        outcome("CON-DLV-02", run.seed, Level.C3, engine=engine, digest="ab" * 32)
        for engine in LIVE.engines
    ]
    rows += [
        outcome("CON-LIF-02", run.seed, Level.C2),
        outcome("PLG-PKG-08", run.seed, Level.C1, revision=2),
        outcome("PLG-PKG-09", run.seed, Level.C1),
        outcome("SNK-OFF-02", run.seed, Level.C3),
    ]
    rows[4] = replace(rows[4], severity=run.results[1].severity)
    claims = {"engines": ["resident", "stream"]}
    plugin = replace(run.plugin, type="sink", capabilities=claims)
    labels = tuple(row.label for row in rows)
    return replace(run, plugin=plugin, results=tuple(rows), registry=labels)


@pytest.fixture
def issue(streamed, wheel):
    """Makes the certificate of the run, changed or not."""

    def issue(change=lambda _: None, run=streamed):
        document = payload_of(report_for(wheel, registry=WHOLE).render(run))
        change(document["predicate"])
        return signed(compact(document))

    return issue


def test_each_engine_has_a_row_and_an_evidence_of_its_own(issue, verify):
    """The lists for policies tell them apart."""
    predicate = payload_of(issue())["predicate"]

    assert [row.get("engine") for row in predicate["results"][:3]] == ["resident", "stream", None]
    assert predicate["results"][0]["evidence"] != predicate["results"][1]["evidence"]
    assert predicate["passedTests"][:2] == ["CON-DLV-02[resident]", "CON-DLV-02[stream]"]
    assert verify(issue(), suite=SUITE).verdict is Verdict.VALID


def test_evidence_is_over_the_engine_as_well(streamed):
    """By hand, from the parts that are documented; without an engine as it always was."""
    row = streamed.results[1]
    parts = ["CON-DLV-02", 1, row.seed, "PASS", 4, "ab" * 32]

    assert evidence_hash(row) == hashlib.sha256(compact([*parts, "stream"])).hexdigest()
    without = evidence_hash(replace(row, engine=""))
    assert without == hashlib.sha256(compact(parts)).hexdigest()


def forged_from(change):
    """A change to what a certificate says, with its hashes made good again."""

    def forged(predicate):
        change(predicate)
        rechained({"predicate": predicate})

    return forged


@pytest.mark.parametrize(
    ("change", "reported"),
    [
        (
            lambda p: p["results"].pop(1),
            "the results have 5 checks, the registry 6; first difference: CON-DLV-02[stream]",
        ),
        (
            lambda p: p["results"][1].update(engine="resident"),
            "the results have 6 checks, the registry 6; first difference: CON-DLV-02[resident]",
        ),
        (
            lambda p: p["results"][1].pop("engine"),
            "the results have 6 checks, the registry 6; first difference: CON-DLV-02",
        ),
        (
            lambda p: p["plugin"].update(capabilities={}),
            "the results have 6 checks, the registry 5; first difference: CON-DLV-02[stream]",
        ),
    ],
    ids=["left-out", "one-twice", "none-named", "claim-taken-back"],
)
def test_engine_that_is_claimed_cannot_be_left_out(broken, issue, change, reported):
    """Whoever signs it (H12)."""
    assert broken(issue(forged_from(change)), suite=SUITE) == ("closed-set", reported)


def test_claim_that_is_taken_back_leaves_no_row(issue, broken):
    """A registry that leaves the engine out is not that of the suite."""

    def change(predicate):
        predicate["suite"]["registry"][0]["engines"] = ["resident"]

    assert broken(issue(change), suite=SUITE)[0] == "registry"


def test_row_of_one_engine_is_not_that_of_another(broken, issue):
    """Its evidence is over the engine."""

    def change(predicate):
        rows = predicate["results"]
        rows[0]["engine"], rows[1]["engine"] = rows[1]["engine"], rows[0]["engine"]
        predicate["passedTests"][:2] = reversed(predicate["passedTests"][:2])

    assert broken(issue(change), suite=SUITE) == (
        "hash-chain",
        "seed or evidence of CON-DLV-02[stream] belongs to another run",
    )


@pytest.mark.parametrize("found", [Outcome.FAIL, Outcome.NOT_RUN, Outcome.ERROR], ids=str)
def test_level_over_a_failed_engine_is_worked_out_anew(broken, issue, streamed, found):
    """A sink that fails on one engine of those that it claims has not the level."""
    worse = list(streamed.results)
    worse[1] = replace(worse[1], outcome=found)
    failing = replace(streamed, results=tuple(worse), catalogue={"C1": 1, "C2": 2, "C3": 4})
    suite = replace(SUITE, catalogue={"sink": failing.catalogue})

    reported = broken(issue(lambda p: p.update(level="C3"), failing), suite=suite)

    assert reported == ("level", "it claims C3, its results amount to C2")


def test_one_waiver_serves_all_engines(issue, verify, streamed):
    """It stands there once, and is in force for each row."""
    rows = [replace(row, outcome=Outcome.WAIVED) for row in streamed.results[:2]]
    leave = Waiver("CON-DLV-02", "a reason", "an owner", "2026-02-20", "2026-05-01")
    waived = replace(streamed, results=(*rows, *streamed.results[2:]), waivers=(leave,))

    found = verify(issue(run=waived), suite=SUITE)

    assert found.broken is None
    assert found.statement.predicate.waived == ("CON-DLV-02[resident]", "CON-DLV-02[stream]")


def test_certificate_of_before_there_were_engines_is_verified(verify):
    """Together with its results, byte for byte as they were written then."""
    found = verify(
        (GOLDEN / "format-1.json").read_bytes(),
        results=(GOLDEN / "format-1-results.json").read_bytes(),
        suite=with_suite(version="0.1.0"),
    )

    assert (found.verdict, found.broken) == (Verdict.VALID, None)


def test_replay_finds_the_row_of_each_engine(streamed):
    """One that differs is reported with its engine."""
    again = [streamed.results[0], replace(streamed.results[1], outcome=Outcome.FAIL)]

    found = compare(read_recorded(JsonReport().render(streamed)), again)

    assert [c.before.label for c in found] == ["CON-DLV-02[resident]", "CON-DLV-02[stream]"]
    assert [c.difference for c in found] == ["", "PASS then, FAIL now"]


def test_replay_of_a_run_without_engines_compares_the_resident_one(streamed):
    """There was no other."""
    older = replace(streamed, results=[replace(streamed.results[0], engine="")])

    (found,) = compare(read_recorded(JsonReport().render(older)), [streamed.results[0]])

    assert not found.difference
