"""The first three rules: an envelope, a signature by a trusted key, canonical form."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from plugwright_conformance.certificate._finding import BrokenRuleError
from plugwright_conformance.certificate.canonical_json import NotCanonicalError, read_canonical
from plugwright_conformance.certificate.envelope import (
    Envelope,
    MalformedEnvelopeError,
    decode_envelope,
    encode_envelope,
)
from plugwright_conformance.certificate.typed import LayoutError, from_plain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plugwright_conformance.certificate._keys import PublicKey

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Opened:
    """The content of an envelope, and the trusted key that signed it."""

    content: object
    key: PublicKey

    def read(self, kind: type[_T]) -> _T:
        """The content as a typed value.

        Raises:
            BrokenRuleError: ``statement`` if it has another layout.
        """
        try:
            return from_plain(kind, self.content)
        except LayoutError as error:
            raise BrokenRuleError("statement", str(error)) from error


def open_sealed(data: bytes, payload_type: str, trusted: Sequence[PublicKey]) -> Opened:
    """Check envelope, signature and canonical form, in this order.

    Raises:
        BrokenRuleError: ``envelope``, ``signature`` or ``canonical-form``.
    """
    try:
        envelope = decode_envelope(data)
    except MalformedEnvelopeError as error:
        raise BrokenRuleError("envelope", f"not a DSSE envelope: {error}") from error
    key = _signer(envelope, trusted)
    _require_form(envelope, data, payload_type, key)
    try:
        return Opened(read_canonical(envelope.payload), key)
    except NotCanonicalError as error:
        raise BrokenRuleError("canonical-form", f"the payload: {error}") from error


def _signer(envelope: Envelope, trusted: Sequence[PublicKey]) -> PublicKey:
    if not envelope.signatures:
        raise BrokenRuleError("signature", "it has no signature")
    for signature in envelope.signatures:
        for key in trusted:
            if key.verifies(signature.value, envelope.signed_bytes):
                return key
    claimed = [signature.keyid for signature in envelope.signatures]
    if known := [key for key in trusted if key.keyid in claimed]:
        raise BrokenRuleError(
            "signature", f"the signature is not that of the key {known[0].fingerprint}"
        )
    reasons = f"it names the key SHA256:{claimed[0]} as its signer"
    missing = "which is not among the trusted keys" if trusted else "and no trusted key was named"
    raise BrokenRuleError("signature", f"{reasons}, {missing}")


def _require_form(envelope: Envelope, data: bytes, payload_type: str, key: PublicKey) -> None:
    """Require canonical form outside the signed bytes, so that no byte can be changed."""
    if [signature.keyid for signature in envelope.signatures] != [key.keyid]:
        raise BrokenRuleError(
            "canonical-form", f"its one signature must bear the key id {key.keyid}"
        )
    if envelope.payload_type != payload_type:
        raise BrokenRuleError(
            "canonical-form", f"the payload must be {payload_type}, found {envelope.payload_type}"
        )
    if encode_envelope(envelope) != data:
        raise BrokenRuleError(
            "canonical-form", "the same envelope has another canonical form (RFC 8785)"
        )
