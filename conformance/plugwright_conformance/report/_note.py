"""What the reports say about the certificate that stands beside them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["CertificateNote"]


@dataclass(frozen=True, slots=True)
class CertificateNote:
    """The certificate in a few words.

    Attributes:
        subjects: what it speaks of, each with the kind of its digest and the digest.
        fingerprint: of the key that signed it, or ``None`` if nobody did.
        command: how to verify it.
    """

    subjects: Sequence[tuple[str, str, str]]
    fingerprint: str | None
    command: str
