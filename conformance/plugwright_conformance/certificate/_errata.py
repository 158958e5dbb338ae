"""Errata: a signed list of withdrawn check revisions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from plugwright_conformance.certificate._finding import BrokenRuleError
from plugwright_conformance.certificate._open import open_sealed
from plugwright_conformance.certificate.canonical_json import canonical
from plugwright_conformance.certificate.envelope import encode_envelope, sealed
from plugwright_conformance.certificate.typed import as_plain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plugwright_conformance.certificate._keys import PublicKey, SigningKey

_FORMAT = "plugwright-errata/1"
_PAYLOAD_TYPE = "application/vnd.plugwright.errata+json"


@dataclass(frozen=True, slots=True)
class Erratum:
    """One revision of a check whose verdicts no longer count, with the reason."""

    id: str
    revision: int
    effect: str


@dataclass(frozen=True, slots=True)
class _Errata:
    errata: tuple[Erratum, ...]
    format: str = _FORMAT


def write_errata(errata: Sequence[Erratum], key: SigningKey) -> bytes:
    """The errata file, signed."""
    payload = canonical(as_plain(_Errata(tuple(errata))))
    return encode_envelope(sealed(_PAYLOAD_TYPE, payload, key))


def read_errata(data: bytes, trusted: Sequence[PublicKey]) -> Sequence[Erratum]:
    """The errata in a file that a trusted key signed.

    Raises:
        BrokenRuleError: ``errata`` if the file is not such a list.
    """
    try:
        return open_sealed(data, _PAYLOAD_TYPE, trusted).read(_Errata).errata
    except BrokenRuleError as error:
        raise BrokenRuleError("errata", f"the errata file breaks {error}") from error
