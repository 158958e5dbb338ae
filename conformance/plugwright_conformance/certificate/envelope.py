"""The DSSE envelope (version 1): a payload, its type, and signatures over both."""

from __future__ import annotations

import base64
import binascii
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from plugwright_conformance.certificate.canonical_json import canonical

if TYPE_CHECKING:
    from plugwright_conformance.certificate._keys import SigningKey


class MalformedEnvelopeError(ValueError):
    """The bytes are not a DSSE envelope."""


@dataclass(frozen=True, slots=True)
class Signature:
    """One signature with its key id, which is not verified."""

    keyid: str
    value: bytes


@dataclass(frozen=True, slots=True)
class Envelope:
    """A payload with its signatures; none if it is unsigned."""

    payload_type: str
    payload: bytes
    signatures: tuple[Signature, ...] = ()

    @property
    def signed_bytes(self) -> bytes:
        """The bytes that a signature covers."""
        return pae(self.payload_type, self.payload)


def pae(payload_type: str, body: bytes) -> bytes:
    """The pre-authentication encoding: type and body, each with its length in bytes.

    >>> pae("http://example.com/HelloWorld", b"hello world")
    b'DSSEv1 29 http://example.com/HelloWorld 11 hello world'
    """
    name = payload_type.encode()
    return b"DSSEv1 %d %b %d %b" % (len(name), name, len(body), body)


def sealed(payload_type: str, payload: bytes, key: SigningKey | None) -> Envelope:
    """An envelope signed with the key, or unsigned without one."""
    if key is None:
        return Envelope(payload_type, payload)
    signature = Signature(key.public.keyid, key.sign(pae(payload_type, payload)))
    return Envelope(payload_type, payload, (signature,))


def encode_envelope(envelope: Envelope) -> bytes:
    """The file content of an envelope: canonical JSON and a line feed."""
    document = {
        "payload": _text(envelope.payload),
        "payloadType": envelope.payload_type,
        "signatures": [{"keyid": s.keyid, "sig": _text(s.value)} for s in envelope.signatures],
    }
    return canonical(document) + b"\n"


def decode_envelope(data: bytes) -> Envelope:
    """The envelope in a file, in canonical form or not.

    Raises:
        MalformedEnvelopeError: if it is not a JSON object with payload, payloadType and signatures.
    """
    try:
        document: Any = json.loads(data)
        signatures = tuple(
            Signature(_string(item["keyid"]), _bytes(item["sig"]))
            for item in document["signatures"]
        )
        return Envelope(_string(document["payloadType"]), _bytes(document["payload"]), signatures)
    except (ValueError, RecursionError) as error:
        raise MalformedEnvelopeError(str(error) or type(error).__name__) from error
    except (KeyError, TypeError) as error:
        raise MalformedEnvelopeError(
            "an envelope has payload, payloadType and signatures with keyid and sig"
        ) from error


def _text(data: bytes) -> str:
    return base64.standard_b64encode(data).decode()


def _bytes(text: object) -> bytes:
    try:
        return base64.b64decode(_string(text), validate=True)
    except binascii.Error as error:
        raise MalformedEnvelopeError(f"invalid base64: {error}") from error


def _string(value: object) -> str:
    if not isinstance(value, str):
        raise MalformedEnvelopeError(f"text was expected, found {type(value).__name__}")
    return value
