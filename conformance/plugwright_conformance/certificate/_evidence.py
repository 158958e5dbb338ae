"""Hashes over evidence: one per check, and a chain over all checks."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from plugwright_conformance.certificate.canonical_json import canonical
from plugwright_conformance.certificate.typed import as_plain

if TYPE_CHECKING:
    from collections.abc import Iterable

    from plugwright_conformance.certificate.statement import CheckRow
    from plugwright_conformance.evidence.outcome import CheckResult


def evidence_hash(result: CheckResult) -> str:
    """SHA-256 over the findings that the same check must repeat with the same seed.

    Durations, messages and measurements are excluded, because they may differ between correct runs.
    """
    return _hash(
        result.id,
        result.revision,
        result.seed,
        result.outcome.value,
        result.observations,
        result.digest,
        *_engine(result.engine),
    )


def row_evidence(row: CheckRow) -> str:
    """The same for a row of a certificate."""
    found = row.id, row.revision, row.seed, row.outcome, row.observations, row.ledger
    return _hash(*found, *_engine(row.engine))


def chain_head(run: str, rows: Iterable[CheckRow]) -> str:
    """The last link of the chain from the run's id through every row, in order."""
    link = hashlib.sha256(run.encode()).digest()
    for row in rows:
        link = hashlib.sha256(link + canonical(as_plain(row))).digest()
    return link.hex()


def _engine(name: str) -> tuple[str, ...]:
    """Empty for checks without an engine, so that hashes of older certificates remain valid."""
    return (name,) if name else ()


def _hash(*parts: str | int) -> str:
    return hashlib.sha256(canonical(list(parts))).hexdigest()
