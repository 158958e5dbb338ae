"""Rules that recompute level, summary and evidence from the results."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright_conformance.certificate._evidence import chain_head, row_evidence
from plugwright_conformance.certificate._finding import BrokenRuleError, RuleFinding, RuleState
from plugwright_conformance.certificate._lists import badges_of, level_of, lists_of, result_of
from plugwright_conformance.checks import PROFILES
from plugwright_conformance.evidence.outcome import Outcome
from plugwright_conformance.execution.seeds import check_seed, master_seed
from plugwright_conformance.subject.engines import claimed_engines, labelled

if TYPE_CHECKING:
    from collections.abc import Mapping

    from plugwright_conformance.certificate._finding import Given
    from plugwright_conformance.certificate.statement import (
        CertificatePredicate,
        CheckRow,
        Controls,
        RegistryEntry,
        Statement,
    )

_SENTINELS = 12


def closed_set(statement: Statement, _: Given) -> RuleFinding:
    """Every check of the registry has one result with evidence on each claimed engine (H12)."""
    predicate = statement.predicate
    due = _due(predicate)
    executed = [row.label for row in predicate.results]
    if sorted(executed) != sorted(due):
        odd = sorted({*(due.keys() ^ set(executed)), *(i for i in due if executed.count(i) > 1)})
        raise BrokenRuleError(
            "closed-set",
            f"the results have {len(executed)} checks, the registry {len(due)}; "
            f"first difference: {odd[0] if odd else executed[0]}",
        )
    for row in predicate.results:
        _require_sound(row, due[row.label])
    if predicate.run.dry_run:
        raise BrokenRuleError("closed-set", "a dry run ran nothing")
    return RuleFinding("closed-set", RuleState.HOLDS)


def _due(predicate: CertificatePredicate) -> Mapping[str, RegistryEntry]:
    """The labels of the required checks, by the plugin's declared engines."""
    plugin = predicate.plugin
    claimed = claimed_engines(plugin.type, plugin.capabilities)
    return {
        labelled(entry.id, engine): entry
        for entry in predicate.suite.registry
        if plugin.type in entry.kinds
        for engine in ([e for e in entry.engines if e in claimed] if entry.engines else [""])
    }


def _require_sound(row: CheckRow, entry: RegistryEntry) -> None:
    if (row.revision, row.severity, row.level) != (entry.revision, entry.severity, entry.level):
        reason = f"{row.label} has another severity or level than in the registry"
        raise BrokenRuleError("closed-set", reason)
    if row.outcome not in {outcome.value for outcome in Outcome}:
        raise BrokenRuleError("closed-set", f"{row.label} has an unknown outcome")
    if row.outcome == Outcome.PASS.value and row.observations < 1:
        raise BrokenRuleError("closed-set", f"{row.label} passed without an observation")


def level(statement: Statement, _: Given) -> RuleFinding:
    """The claimed level is the one that the results award (H13)."""
    predicate = statement.predicate
    if (name := predicate.suite.profile) is not None and name not in PROFILES:
        raise BrokenRuleError("level", f"it was awarded by an unknown profile, {name!r}")
    level = level_of(predicate)
    found = level.name if level else None
    if found != predicate.level:
        raise BrokenRuleError(
            "level",
            f"it claims {predicate.level or 'no level'}, its results amount to "
            f"{found or 'no level'}",
        )
    if predicate.badges != badges_of(predicate):
        raise BrokenRuleError("level", "its badges are not those of its results")
    lists = {name: getattr(predicate, name) for name in lists_of(())}
    if lists != lists_of(predicate.results) or predicate.result != result_of(predicate.results):
        raise BrokenRuleError("level", "its summary is not that of its results")
    return RuleFinding("level", RuleState.HOLDS, found or "no level")


def controls(statement: Statement, given: Given) -> RuleFinding:
    """A level requires a reference connector that passed and mutants that were killed (rule 6)."""
    predicate = statement.predicate
    if predicate.level is None:
        return RuleFinding("controls", RuleState.NOT_CHECKED, "no level is claimed")
    controls = predicate.controls
    if controls is None or predicate.suite_quality.kill_matrix_digest is None:
        raise BrokenRuleError(
            "controls", f"{predicate.level} is claimed without controls or without a kill matrix"
        )
    killed = len({sentinel.digest for sentinel in controls.sentinels if sentinel.killed_by})
    if controls.reference_level < predicate.level or killed < _SENTINELS:
        raise BrokenRuleError(
            "controls",
            f"the reference connector reached {controls.reference_level} and "
            f"{killed} of {_SENTINELS} distinct sentinels were killed",
        )
    if predicate.suite.version == given.suite.version:
        _require_own_sentinels(controls, given.suite.sentinels)
    return RuleFinding("controls", RuleState.HOLDS)


def _require_own_sentinels(controls: Controls, known: Mapping[str, str]) -> None:
    """The mutants are those of the installed suite, byte for byte (H19)."""
    for sentinel in controls.sentinels:
        if known and known.get(sentinel.id) != sentinel.digest:
            raise BrokenRuleError(
                "controls", f"the sentinel {sentinel.id} is not the one of this suite"
            )


def hash_chain(statement: Statement, _: Given) -> RuleFinding:
    """Seeds and evidence belong to this run, row by row, in this order."""
    predicate = statement.predicate
    run, rows, evidence = predicate.run, predicate.results, predicate.evidence
    for row in rows:
        if row.evidence != row_evidence(row) or row.seed != check_seed(run.seed, row.id):
            raise BrokenRuleError(
                "hash-chain", f"seed or evidence of {row.label} belongs to another run"
            )
    if (chain_head(run.id, rows), len(rows)) != (evidence.chain_head, evidence.events):
        raise BrokenRuleError("hash-chain", "the results do not lead to the chain's last link")
    if run.nonce is None:
        return RuleFinding("hash-chain", RuleState.HOLDS, "the user chose the seed")
    if run.seed != master_seed(predicate.plugin.digest, predicate.suite.version, run.nonce):
        raise BrokenRuleError(
            "hash-chain", "the master seed does not follow from artifact, suite and nonce"
        )
    return RuleFinding("hash-chain", RuleState.HOLDS)
