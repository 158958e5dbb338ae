"""Envelopes are those of the DSSE specification, in one form."""

from __future__ import annotations

import pytest
from tests.conformance.certificate.conftest import KEY

from plugwright_conformance.certificate import (
    Envelope,
    Signature,
    decode_envelope,
    encode_envelope,
    pae,
    sealed,
)
from plugwright_conformance.certificate.envelope import MalformedEnvelopeError


def test_signed_bytes_are_those_of_the_specification():
    """The test vector of protocol.md, version 1.0.2."""
    encoded = pae("http://example.com/HelloWorld", b"hello world")

    assert encoded == b"DSSEv1 29 http://example.com/HelloWorld 11 hello world"


def test_lengths_are_those_of_bytes():
    """A type is UTF-8, and a body may hold anything."""
    assert pae("\u00e4", b"\x00 1 ") == b"DSSEv1 2 \xc3\xa4 4 \x00 1 "


def test_the_specifications_envelope_is_read():
    """Its container and base64 (the key of its signature is of another kind)."""
    found = decode_envelope(
        b'{"payload": "aGVsbG8gd29ybGQ=",\n "payloadType": "http://example.com/HelloWorld",\n'
        b' "signatures": [{"keyid": "", "sig": "A3Jq"}]}'
    )

    assert found == Envelope(
        "http://example.com/HelloWorld", b"hello world", (Signature("", b"\x03rj"),)
    )


def test_envelope_is_written_in_one_form():
    """Sorted keys, no blanks, one line feed at the end."""
    envelope = Envelope("t", b"hello world", (Signature("id", b"\x03rj"),))

    assert encode_envelope(envelope) == (
        b'{"payload":"aGVsbG8gd29ybGQ=","payloadType":"t",'
        b'"signatures":[{"keyid":"id","sig":"A3Jq"}]}\n'
    )


def test_sealing_signs_type_and_payload():
    """The signature covers the encoding of both, not the payload alone."""
    (signature,) = sealed("t", b"body", KEY).signatures

    assert KEY.public.verifies(signature.value, b"DSSEv1 1 t 4 body")


def test_sealing_without_a_key_signs_nothing():
    """An unsigned envelope has an empty list, and says so by it."""
    assert sealed("t", b"body", None).signatures == ()


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xff",
        b"[]",
        b"{}",
        b'{"payload":"!","payloadType":"t","signatures":[]}',
        b'{"payload":"","payloadType":1,"signatures":[]}',
        b'{"payload":"","payloadType":"t","signatures":[{"sig":""}]}',
        b'{"payload":"","payloadType":"t","signatures":3}',
        b'{"payload":"\xc3\xa4","payloadType":"t","signatures":[]}',
        b"[" * 100_000,
    ],
    ids=["empty", "binary", "list", "bare", "base64", "type", "keyid", "number", "text", "deep"],
)
def test_anything_else_is_no_envelope(data):
    """It is refused by one error."""
    with pytest.raises(MalformedEnvelopeError):
        decode_envelope(data)
