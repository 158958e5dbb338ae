"""Rules on artifact, results, check registry and errata."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from plugwright.errors import ConnectError
from plugwright_conformance.certificate._artifact import matches
from plugwright_conformance.certificate._errata import read_errata
from plugwright_conformance.certificate._finding import BrokenRuleError, RuleFinding, RuleState
from plugwright_conformance.certificate._issue import row_of
from plugwright_conformance.certificate._registry import registry_digest
from plugwright_conformance.report import read_json

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plugwright_conformance.certificate._finding import Given, InstalledSuite
    from plugwright_conformance.certificate.statement import RegistryEntry, Statement


def artifact(statement: Statement, given: Given) -> RuleFinding:
    """The given wheel or location is the subject (H11)."""
    subjects = statement.subject
    if not subjects:
        raise BrokenRuleError("artifact", "it names no subject")
    if statement.predicate.plugin.digest not in subjects[0].digest.values():
        raise BrokenRuleError("artifact", "the run tested another artifact than the subject")
    if given.artifact is None:
        return RuleFinding("artifact", RuleState.NOT_CHECKED, "no wheel was named (--wheel)")
    if problem := matches(subjects, given.artifact):
        raise BrokenRuleError("artifact", problem)
    return RuleFinding("artifact", RuleState.HOLDS)


def results(statement: Statement, given: Given) -> RuleFinding:
    """The given ``results.json`` belongs to the certificate (H10)."""
    evidence = statement.predicate.evidence
    if given.results is None:
        return RuleFinding(
            "results", RuleState.NOT_CHECKED, "no results.json was named (--results)"
        )
    found = hashlib.sha256(given.results).hexdigest()
    if (found, len(given.results)) != (evidence.results_digest, evidence.results_size):
        raise BrokenRuleError(
            "results",
            f"results.json has the digest {found}, the certificate names {evidence.results_digest}",
        )
    try:
        run = read_json(given.results)
    except ConnectError as error:
        raise BrokenRuleError("results", str(error)) from error
    rows = tuple(row_of(result) for result in run.results)
    if (rows, run.plugin.digest) != (
        statement.predicate.results,
        statement.predicate.plugin.digest,
    ):
        raise BrokenRuleError("results", "results.json and the certificate have different results")
    return RuleFinding("results", RuleState.HOLDS)


def registry(statement: Statement, given: Given) -> RuleFinding:
    """The checks are those of the installed suite; with those of an older one it is historic."""
    certified, suite = statement.predicate.suite, given.suite
    if registry_digest(certified.registry) != certified.registry_digest:
        raise BrokenRuleError("registry", "the digest of the registry does not match")
    due = suite.catalogue.get(statement.predicate.plugin.type, {})
    if (certified.registry, dict(certified.catalogue)) == (tuple(suite.registry), dict(due)):
        return RuleFinding("registry", RuleState.HOLDS)
    if certified.version == suite.version:
        raise BrokenRuleError(
            "registry",
            f"suite {certified.version} has the registry {registry_digest(suite.registry)} here, "
            f"the certificate was made with {certified.registry_digest}, or with another catalogue",
        )
    if newer := _newer(certified.registry, suite.registry):
        raise BrokenRuleError(
            "registry",
            f"made with suite {certified.version}, which has {newer}; this is {suite.version}, "
            "verify with that version or a later one",
        )
    return RuleFinding("registry", RuleState.HISTORIC, _moved_on(certified.registry, suite))


def _newer(certified: Sequence[RegistryEntry], installed: Sequence[RegistryEntry]) -> str:
    revisions = {entry.id: entry.revision for entry in installed}
    beyond = [e for e in certified if e.revision > revisions.get(e.id, e.revision)]
    return ", ".join(f"{e.id} in revision {e.revision}" for e in beyond[:3])


def _moved_on(certified: Sequence[RegistryEntry], suite: InstalledSuite) -> str:
    before = {entry.id: entry.revision for entry in certified}
    now = {entry.id: entry.revision for entry in suite.registry}
    revised = [f"{name} was revised" for name in before if now.get(name, 0) > before[name]]
    revised += [f"{name} was withdrawn" for name in before.keys() - now.keys()]
    revised += [f"{name} is new" for name in now.keys() - before.keys()]
    changes = ", ".join(sorted(revised)[:3]) or "weights or kinds of checks changed"
    return f"the suite is now at {suite.version}: {changes}"


def errata(statement: Statement, given: Given) -> RuleFinding:
    """No check of the run has been revoked since; otherwise the certificate is historic."""
    if given.errata is None:
        return RuleFinding("errata", RuleState.NOT_CHECKED, "no errata file was named (--errata)")
    ran = {(row.id, row.revision) for row in statement.predicate.results}
    for erratum in read_errata(given.errata, given.trusted):
        if (erratum.id, erratum.revision) in ran:
            revoked = f"{erratum.id} revision {erratum.revision} is revoked: {erratum.effect}"
            return RuleFinding("errata", RuleState.HISTORIC, revoked)
    return RuleFinding("errata", RuleState.HOLDS)
