"""The entries of a gallery, and the certificates left out."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from plugwright_conformance.evidence.outcome import Level

if TYPE_CHECKING:
    from pathlib import Path

    from plugwright_conformance.certificate import CertificatePredicate, PublicKey, Statement
    from plugwright_conformance.report.results import RunResults

_UNSAFE = re.compile(r"[^a-z0-9.]+")


@dataclass(frozen=True, slots=True)
class Publisher:
    """A signer of certificates: a display name and a key."""

    name: str
    key: PublicKey


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A certificate that is not shown.

    Attributes:
        rule: the rule of the verification that was broken, or ``expired``, ``no-level`` or
            ``superseded``.
    """

    path: Path
    rule: str
    reason: str


@dataclass(frozen=True, slots=True)
class GalleryEntry:
    """A valid certificate with a level.

    Attributes:
        certificate: the bytes of ``certificate.json``.
        results: the results of the run, if the certificate's ``results.json`` is in the same
            directory.
        results_json: the bytes of that file; empty if there was none.
    """

    path: Path
    certificate: bytes
    statement: Statement
    publisher: Publisher
    results: RunResults | None
    results_json: bytes

    @property
    def predicate(self) -> CertificatePredicate:
        """The certificate's statement about the plugin."""
        return self.statement.predicate

    @property
    def level(self) -> Level:
        """The level reached, as recomputed by the verification."""
        return Level[str(self.predicate.level)]

    @property
    def directory(self) -> str:
        """Name of its directory on the site: plain letters, unique for this certificate."""
        plugin = self.predicate.plugin
        words = f"{plugin.name}-{plugin.plugin_class.rpartition('.')[2]}-{plugin.version}"
        return f"{_UNSAFE.sub('-', words.lower()).strip('-.')}-{plugin.digest[:8]}"
