"""The reports' summary of the certificate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True)
class CertificateNote:
    """A summary of the certificate.

    Attributes:
        subjects: the certified artifacts, each with the algorithm of its digest and the digest.
        fingerprint: of the key that signed it, or ``None`` if it is not signed.
        command: how to verify it.
        controls: the results of the run's controls; empty if there were none.
        kill_matrix: SHA-256 of the suite's kill matrix, or an empty string.
    """

    subjects: Sequence[tuple[str, str, str]]
    fingerprint: str | None
    command: str
    controls: str = ""
    kill_matrix: str = ""
