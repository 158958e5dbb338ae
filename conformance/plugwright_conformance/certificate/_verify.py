"""Verifies a certificate offline, rule by rule, up to the first broken one."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from plugwright import __version__
from plugwright_conformance.certificate import _bound, _dates, _recomputed
from plugwright_conformance.certificate._finding import (
    BrokenRuleError,
    Given,
    InstalledSuite,
    RuleFinding,
    RuleState,
)
from plugwright_conformance.certificate._issue import PAYLOAD_TYPE
from plugwright_conformance.certificate._open import open_sealed
from plugwright_conformance.certificate._registry import registry_of
from plugwright_conformance.certificate.statement import (
    FORMAT,
    FORMER_FORMAT,
    PREDICATE_TYPE,
    STATEMENT_TYPE,
    Signer,
    Statement,
)
from plugwright_conformance.checks import MUST_CHECKS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from plugwright_conformance.certificate._keys import PublicKey

OPENING_RULES = ("envelope", "signature", "canonical-form", "statement")
"""The rules that a certificate must keep to be opened, which are checked before all others."""

# In the order of the reference, section 4.3.
_RULES: tuple[Callable[[Statement, Given], RuleFinding], ...] = (
    _bound.artifact,
    _bound.results,
    _bound.registry,
    _recomputed.closed_set,
    _recomputed.level,
    _dates.waivers_and_dates,
    _recomputed.controls,
    _recomputed.hash_chain,
    _bound.errata,
)


class Verdict(Enum):
    """The result of a verification."""

    VALID = "VALID"
    HISTORIC = "VALID-HISTORIC"
    INVALID = "INVALID"


@dataclass(frozen=True, slots=True)
class Verification:
    """The verdict with its reasons.

    Attributes:
        statement: the content of the certificate, if it could be opened.
        key: the trusted key that signed it.
        findings: the results up to the first broken rule.
        broken: the first broken rule, for `Verdict.INVALID`.
    """

    verdict: Verdict
    statement: Statement | None
    key: PublicKey | None
    findings: Sequence[RuleFinding]
    broken: BrokenRuleError | None = None


def installed_suite() -> InstalledSuite:
    """The installed suite, which includes this program."""
    from plugwright_conformance.checks import CHECKS  # noqa: PLC0415  # loads every check
    from plugwright_conformance.controls.every_run import (  # noqa: PLC0415  # the same
        sentinel_digests,
    )

    return InstalledSuite(__version__, registry_of(CHECKS), MUST_CHECKS, sentinel_digests())


def verify_certificate(data: bytes, given: Given) -> Verification:
    """Check every rule, in the order of the reference, up to the first broken one.

    Args:
        data: the bytes of ``certificate.json``.
        given: the trusted keys and the optional inputs.
    """
    statement, key = None, None
    findings: list[RuleFinding] = []
    try:
        statement, key = _opened(data, given.trusted)
        findings += [RuleFinding(rule, RuleState.HOLDS) for rule in OPENING_RULES]
        for rule in _RULES:
            findings.append(rule(statement, given))  # kept if a later rule is broken
    except BrokenRuleError as broken:
        return Verification(Verdict.INVALID, statement, key, findings, broken)
    historic = any(finding.state is RuleState.HISTORIC for finding in findings)
    verdict = Verdict.HISTORIC if historic else Verdict.VALID
    return Verification(verdict, statement, key, findings)


def _opened(data: bytes, trusted: Sequence[PublicKey]) -> tuple[Statement, PublicKey]:
    opened = open_sealed(data, PAYLOAD_TYPE, trusted)
    statement, key = opened.read(Statement), opened.key
    kind = (statement.type, statement.predicate_type, statement.predicate.format)
    known = [(STATEMENT_TYPE, PREDICATE_TYPE, layout) for layout in (FORMAT, FORMER_FORMAT)]
    if kind not in known:
        raise BrokenRuleError("statement", f"of another kind: {', '.join(kind)}")
    if statement.predicate.signer != Signer(key.keyid, key.pem):
        raise BrokenRuleError("statement", "it names another signer than the one who signed")
    return statement, key
