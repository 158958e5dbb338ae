"""Rules on dates: validity at the time of issue, and today."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from plugwright_conformance.certificate._finding import BrokenRuleError, RuleFinding, RuleState
from plugwright_conformance.certificate._issue import CURRENT_FOR
from plugwright_conformance.evidence.outcome import Outcome

if TYPE_CHECKING:
    from plugwright_conformance.certificate._finding import Given
    from plugwright_conformance.certificate.statement import (
        CertificatePredicate,
        Statement,
        Waiver,
    )

_RULE = "waivers-and-dates"
_CLOCKS_DIFFER = timedelta(minutes=5)
_LONGEST_WAIVER = timedelta(days=90)


def waivers_and_dates(statement: Statement, given: Given) -> RuleFinding:
    """Times are in order, and waivers were in force; an expired certificate is historic.

    Raises:
        BrokenRuleError: if times are out of order, or a waiver was not in force.
    """
    predicate = statement.predicate
    issued, expires = _issued_and_expires(predicate)
    if issued > given.now + _CLOCKS_DIFFER:
        raise BrokenRuleError(_RULE, f"issued in the future, {predicate.run.issued}")
    _require_waivers(predicate, issued)
    if given.now >= expires:
        return RuleFinding(_RULE, RuleState.HISTORIC, f"expired {predicate.run.expires}")
    for waiver in predicate.waivers:
        if given.now >= _moment(waiver.expires):
            reason = f"the waiver of {waiver.id} expired on {waiver.expires}"
            return RuleFinding(_RULE, RuleState.HISTORIC, reason)
    return RuleFinding(_RULE, RuleState.HOLDS, f"current until {predicate.run.expires}")


def _issued_and_expires(predicate: CertificatePredicate) -> tuple[datetime, datetime]:
    run = predicate.run
    moments = [_moment(text) for text in (run.started, run.finished, run.issued, run.expires)]
    _, _, issued, expires = moments
    if moments != sorted(moments) or expires - issued > CURRENT_FOR:
        raise BrokenRuleError(
            _RULE,
            f"started {run.started}, finished {run.finished}, issued {run.issued}, "
            f"expires {run.expires}: these must be in order, the last within a year",
        )
    return issued, expires


def _require_waivers(predicate: CertificatePredicate, issued: datetime) -> None:
    waived = {row.id for row in predicate.results if row.outcome == Outcome.WAIVED.value}
    if sorted(waiver.id for waiver in predicate.waivers) != sorted(waived):
        raise BrokenRuleError(
            _RULE,
            "waivers and waived checks differ; remove waivers for checks that passed or do not "
            "exist",
        )
    for waiver in predicate.waivers:
        _require_in_force(waiver, issued)


def _require_in_force(waiver: Waiver, issued: datetime) -> None:
    if not (waiver.reason and waiver.owner):
        raise BrokenRuleError(_RULE, f"the waiver of {waiver.id} lacks a reason or an owner")
    created, expires = _moment(waiver.created), _moment(waiver.expires)
    if not created <= issued < expires or expires - created > _LONGEST_WAIVER:
        raise BrokenRuleError(
            _RULE,
            f"the waiver of {waiver.id}, from {waiver.created} to {waiver.expires}, was not in "
            "force when the certificate was issued, or is for more than 90 days",
        )


def _moment(text: str) -> datetime:
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        found = None
    if found is None or found.tzinfo is None:
        raise BrokenRuleError(_RULE, f"{text!r} is not an ISO 8601 time with a time zone")
    return found.astimezone(UTC)
