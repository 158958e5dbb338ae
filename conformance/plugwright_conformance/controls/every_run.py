"""The controls of every run: one good connector and some mutants."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from plugwright.errors import ConnectError
from plugwright_conformance.catalogue.capabilities import CAPABILITIES
from plugwright_conformance.catalogue.check import PROOF_OF_CAPABILITIES
from plugwright_conformance.evidence.outcome import Level, Outcome
from plugwright_conformance.execution.runner import RunOptions, run_checks
from plugwright_conformance.mutants import MUTANTS, materialise
from plugwright_conformance.processes.temporary import temporary_directory
from plugwright_conformance.reference import reference_for
from plugwright_conformance.report.silent_listener import SilentListener
from plugwright_conformance.subject.engines import RESIDENT
from plugwright_conformance.subject.subject import artifact_digest, open_subjects

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plugwright_conformance.catalogue.check import Check
    from plugwright_conformance.live.system import LiveSystem
    from plugwright_conformance.mutants import Mutant
    from plugwright_conformance.subject.subject import Subject

__all__ = [
    "ControlReport",
    "KilledSentinel",
    "require_reference",
    "require_sentinels",
    "sentinel_digests",
    "sentinels",
]

_RECORDS = 1000
_INVALID = (
    "this run is invalid; run again, and if that does not help, report it as a fault of the suite"
)


@dataclass(frozen=True, slots=True)
class KilledSentinel:
    """A mutant killed in this run, with its digest and the check that failed it."""

    id: str
    digest: str
    killed_by: str


@dataclass(frozen=True, slots=True)
class ControlReport:
    """The results of the controls of this run.

    Attributes:
        reference_digest: SHA-256 over the good connector.
        reference_level: the level that it reached.
    """

    reference_digest: str
    reference_level: Level
    sentinels: Sequence[KilledSentinel]


def sentinels() -> Sequence[Mutant]:
    """The mutants that every run tests against their checks."""
    return [mutant for mutant in MUTANTS if mutant.sentinel]


def sentinel_digests() -> Mapping[str, str]:
    """The digests of this suite's sentinels."""
    with temporary_directory("sentinels") as scratch:
        made = {m.id: materialise(m, Path(), scratch) for m in sentinels()}
        return {name: artifact_digest(location) for name, location in made.items()}


def require_reference(  # noqa: PLR0913  # what runs, how, where
    kind: str,
    level: Level,
    checks: Sequence[type[Check]],
    *,
    live: LiveSystem | None,
    seed: str,
    engines: tuple[str, ...] = (RESIDENT,),
) -> tuple[str, Level]:
    """Run the suite's good connector, and return its digest and its level on these engines.

    Args:
        kind: ``source`` or ``sink``.
        level: the level that a plugin has reached in this run.
        checks: the suite.
        live: the live system of this run.
        seed: the run's master seed.
        engines: the engines that the plugin claims.

    Raises:
        ConnectError: ``controls.reference`` if it does not reach that level; the run is invalid.
    """
    own = reference_for(kind, exact=level is Level.C5)
    options = RunOptions(seed=seed, records=_RECORDS)
    with temporary_directory("controls") as workspace:
        location = workspace / own.name
        replace(own, engines=engines).materialise(location)
        subject = open_subjects(location, workspace)[0]
        due = _due(checks, level, subject)
        results = run_checks(
            subject, due, options, workspace=workspace, live=live, listener=SilentListener()
        )
        digest = artifact_digest(location)
    reached = results.level()
    if reached is None or reached.value < level.value:
        ids = ", ".join(result.label for result in results.failed) or "no failure"
        found = reached.name if reached else "no level"
        raise ConnectError(
            f"the reference connector {own.name} reached {found}, the plugin {level.name}: {ids}",
            code="controls.reference",
            hint=_INVALID,
            facts={"reference": own.name, "failed": ids},
        )
    return digest, reached


def _due(checks: Sequence[type[Check]], level: Level, subject: Subject) -> list[type[Check]]:
    """The checks up to a level, and the proofs of the capabilities that one of them examines."""
    due = [check for check in checks if check.level.value <= level.value]
    if all(check.id != PROOF_OF_CAPABILITIES for check in due):
        return due
    capabilities = subject.declaration.capabilities.keys() & CAPABILITIES.keys()
    proofs = {p for name in capabilities for p in CAPABILITIES[name].proofs_for(subject)}
    return [check for check in checks if check in due or check.id in proofs]


def require_sentinels(checks: Sequence[type[Check]], seed: str) -> Sequence[KilledSentinel]:
    """Run each sentinel against its check; sentinels do not depend on the kind of plugin.

    Raises:
        ConnectError: ``controls.sentinel`` if a check does not fail its mutant; the run is invalid.
    """
    options = RunOptions(seed=seed, records=_RECORDS)
    known = {check.id for check in checks}
    with temporary_directory("controls") as scratch:
        return [
            _killed(mutant, checks, options, scratch)
            for mutant in sentinels()
            if mutant.killed_by in known
        ]


def _killed(
    mutant: Mutant, checks: Sequence[type[Check]], options: RunOptions, workspace: Path
) -> KilledSentinel:
    location = materialise(mutant, Path(), workspace / "sentinels")
    digest = artifact_digest(location)
    subject = open_subjects(location, workspace)[0]
    chosen = replace(options, selection=(mutant.killed_by,))
    run = run_checks(
        subject, checks, chosen, workspace=workspace, live=None, listener=SilentListener()
    )
    (result,) = run.results
    text = f"{result.expected} | {result.observed} | {result.scenario}"
    if result.outcome is not Outcome.FAIL or mutant.failure not in text:
        raise ConnectError(
            f"{mutant.killed_by} did not find the fault of the broken connector {mutant.id} "
            f"({mutant.fault}): {result.outcome.value} {result.message}",
            code="controls.sentinel",
            hint=_INVALID,
            facts={"sentinel": mutant.id, "check": mutant.killed_by},
        )
    return KilledSentinel(mutant.id, digest, mutant.killed_by)
