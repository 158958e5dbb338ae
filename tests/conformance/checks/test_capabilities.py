"""What proves a declared capability."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from plugwright_conformance.catalogue.capabilities import CAPABILITIES
from plugwright_conformance.checks import CHECKS
from plugwright_conformance.evidence.outcome import CheckFailedError, NotRunError, Outcome
from plugwright_conformance.processes.time_budget import PROGRAMS_SHARE

_PROOFS = ("CON-DLV-03", "CON-DLV-01")
(_Proved,) = (check for check in CHECKS if check.id == "CON-CAP-01")


def _bench(outcomes, asked):
    """A bench of a source that declares nothing, on which checks have these outcomes."""

    def outcome_of(check):
        asked.append(check)
        outcome = outcomes.get(check)
        return outcome and SimpleNamespace(id=check, outcome=outcome, observations=7, engine="")

    declaration = SimpleNamespace(capabilities={"delivery": "at-least-once"}, claims=bool)
    subject = SimpleNamespace(kind="source", declaration=declaration)
    return SimpleNamespace(subject=subject, outcome_of=outcome_of)


def test_budget_is_enough_for_all_proofs():
    """Each has its own budget, and the work of programs beside; the check only waits for them."""
    proofs = {p for each in CAPABILITIES.values() for ids in each.proofs.values() for p in ids}
    budgets = [c.budget_s for c in CHECKS if c.id in proofs and not c.live]

    assert len(budgets) > 15
    assert (1 + PROGRAMS_SHARE) * sum(budgets) < _Proved.budget_s


def test_one_proof_is_enough():
    """The others, which may take long, are not asked for."""
    asked = []

    evidence = _Proved().run(_bench({_PROOFS[0]: Outcome.PASS}, asked))

    assert evidence.observations == 7
    assert asked == [_PROOFS[0]]


def test_another_proof_may_pass():
    """Whatever came of the first one."""
    asked = []
    outcomes = {_PROOFS[0]: Outcome.ERROR, _PROOFS[1]: Outcome.PASS}

    evidence = _Proved().run(_bench(outcomes, asked))

    assert evidence.observations == 7
    assert asked == [*_PROOFS]


def test_capability_without_a_passing_proof_is_a_failure():
    """All of them are named."""
    outcomes = {_PROOFS[0]: Outcome.FAIL, _PROOFS[1]: Outcome.NOT_APPLICABLE}

    with pytest.raises(CheckFailedError) as failure:
        _Proved().run(_bench(outcomes, []))

    assert failure.value.observed == "CON-DLV-03 FAIL, CON-DLV-01 NOT_APPLICABLE"


def test_proof_that_has_not_run_proves_nothing():
    """Nor is it a failure."""
    outcomes = {_PROOFS[0]: Outcome.NOT_RUN, _PROOFS[1]: Outcome.FAIL}

    with pytest.raises(NotRunError, match=r"delivery \(CON-DLV-03\)"):
        _Proved().run(_bench(outcomes, []))
