"""Whatever byte is changed, and wherever: INVALID, for the right reason, and never a crash."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.conformance.certificate.conftest import (
    KEY,
    NOW,
    SUITE,
    compact,
    payload_of,
    report_for,
    signed,
)

from plugwright_conformance.certificate import Erratum, Given, verify_certificate, write_errata

# What may be said of a change, by the part of the file that it is in. A change in base64 shows as
# other bytes, as no base64, or in the bits that encode nothing.
PARTS = {
    "payload": {"envelope", "signature", "canonical-form"},
    "payloadType": {"envelope", "signature"},
    "keyid": {"envelope", "canonical-form"},
    "sig": {"envelope", "signature", "canonical-form"},
}
pytestmark = pytest.mark.slow  # a hundred examples each

ERRATA = write_errata([Erratum("PLG-PKG-08", 2, "passed wrong versions")], KEY)
BOUNDED = settings(max_examples=100, deadline=None, database=None)

places = st.integers(0, 10**9)
masks = st.integers(1, 255)


def flipped(data, place, mask):
    """The data with one byte changed."""
    place %= len(data)
    return data[:place] + bytes([data[place] ^ mask]) + data[place + 1 :]


def rule_broken(data, **more):
    """The rule that a stranger finds broken."""
    found = verify_certificate(data, Given(**({"suite": SUITE, "now": NOW} | more)))
    assert found.verdict.value == "INVALID"
    return found.broken.rule


def trusting(data, **more):
    """The same, for one who trusts the key."""
    return rule_broken(data, trusted=(KEY.public,), **more)


@BOUNDED
@given(places, masks)
def test_any_byte_of_the_certificate(certificate, place, mask):
    """Envelope, payload, signature, key id, layout."""
    assert trusting(flipped(certificate, place, mask)) in {
        "envelope",
        "signature",
        "canonical-form",
    }


@pytest.mark.parametrize("part", PARTS)
@BOUNDED
@given(place=places, mask=masks)
def test_any_byte_of_a_part(certificate, part, place, mask):
    """The reason fits the place."""
    value = json.loads(certificate)
    text = (value.get(part) or value["signatures"][0][part]).encode()
    start = certificate.index(b'"' + part.encode() + b'":"' + text) + len(part) + 4

    changed = flipped(certificate, start + place % len(text), mask)

    assert trusting(changed) in PARTS[part]


@BOUNDED
@given(places, masks)
def test_any_byte_of_what_was_signed(certificate, place, mask):
    """In a well-formed envelope with the old signature."""
    envelope = json.loads(certificate)
    changed = flipped(compact(payload_of(certificate)), place, mask)
    forged = json.loads(signed(changed)) | {"signatures": envelope["signatures"]}

    assert trusting(compact(forged) + b"\n") == "signature"


@BOUNDED
@given(places, st.binary(max_size=3), st.integers(0, 3))
def test_any_insertion_or_deletion(certificate, place, inserted, deleted):
    """Also at both ends."""
    place %= len(certificate) + 1
    changed = certificate[:place] + inserted + certificate[place + deleted :]

    expected = {"envelope", "signature", "canonical-form"} if changed != certificate else set()
    rules = {trusting(changed)} if changed != certificate else set()

    assert rules <= expected


@BOUNDED
@given(st.binary(max_size=200))
def test_any_bytes_at_all(data):
    """They are no envelope."""
    assert trusting(data) == "envelope"


@BOUNDED
@given(places, masks)
def test_any_byte_of_the_wheel(certificate, wheel, tmp_path_factory, place, mask):
    """Contents, names, dates and checksums of the archive."""
    changed = tmp_path_factory.getbasetemp() / wheel.name
    changed.write_bytes(flipped(wheel.read_bytes(), place, mask))

    assert trusting(certificate, artifact=changed) == "artifact"


@BOUNDED
@given(places, masks)
def test_any_byte_of_the_results(certificate, results_json, place, mask):
    """Also blanks between them."""
    assert trusting(certificate, results=flipped(results_json, place, mask)) == "results"


@BOUNDED
@given(places, masks)
def test_any_byte_of_the_errata(certificate, place, mask):
    """Nobody can hide a revocation by damaging it."""
    assert trusting(certificate, errata=flipped(ERRATA, place, mask)) == "errata"


@BOUNDED
@given(st.integers(0, 4), st.sampled_from(["id", "revision", "severity", "level", "kinds"]))
def test_any_field_of_the_registry(certificate, entry, name):
    """Even by the owner of the key."""
    document = payload_of(certificate)
    old = document["predicate"]["suite"]["registry"][entry][name]
    changed = old + 1 if isinstance(old, int) else old[1:]
    document["predicate"]["suite"]["registry"][entry][name] = changed

    assert trusting(signed(compact(document))) == "registry"


def test_signature_of_another_certificate(run, wheel, certificate):
    """It does not move."""
    other = json.loads(report_for(wheel, run_id="4343").render(run))
    mixed = json.loads(certificate) | {"signatures": other["signatures"]}

    assert trusting(compact(mixed) + b"\n") == "signature"


@BOUNDED
@given(st.binary(min_size=64, max_size=64))
def test_any_other_signature(certificate, signature):
    """Nobody guesses one."""
    import base64  # noqa: PLC0415  # this test only

    envelope = json.loads(certificate)
    envelope["signatures"][0]["sig"] = base64.b64encode(signature).decode()

    assert trusting(compact(envelope) + b"\n") == "signature"
