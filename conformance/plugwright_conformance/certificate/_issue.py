"""Creates a certificate from the results of a run."""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from plugwright import __version__
from plugwright.errors import ConnectError
from plugwright_conformance.certificate._evidence import chain_head, evidence_hash
from plugwright_conformance.certificate._lists import lists_of, result_of
from plugwright_conformance.certificate._registry import registry_digest, source_digest
from plugwright_conformance.certificate.canonical_json import canonical, plain
from plugwright_conformance.certificate.envelope import encode_envelope, sealed
from plugwright_conformance.certificate.statement import (
    FORMAT,
    CertificatePredicate,
    CheckRow,
    Controls,
    EvidenceSummary,
    NamedArtifact,
    PluginFacts,
    RegistryEntry,
    RunFacts,
    Sentinel,
    Signer,
    Statement,
    SuiteFacts,
    SuiteQuality,
)
from plugwright_conformance.certificate.typed import as_plain, from_plain
from plugwright_conformance.report import JsonReport, why_not_more

if TYPE_CHECKING:
    from collections.abc import Mapping

    from plugwright_conformance.certificate._keys import SigningKey
    from plugwright_conformance.controls.every_run import ControlReport
    from plugwright_conformance.evidence.outcome import CheckResult
    from plugwright_conformance.report.results import RunResults
    from plugwright_conformance.subject.waivers import Waiver

PAYLOAD_TYPE = "application/vnd.in-toto+json"
"""The media type of the envelope's payload."""

CURRENT_FOR = timedelta(days=365)
"""How long a certificate is current; afterwards it is historic, not invalid."""


@dataclass(frozen=True, slots=True)
class CertificateReport:
    """Writes ``certificate.json``: an in-toto Statement in a DSSE envelope.

    Attributes:
        subject: the wheel or location, by name and digest.
        declaration_digest: SHA-256 of the plugin's ``conformance.toml``.
        registry: every check of the suite.
        key: signs the certificate; without a key it is written unsigned and marked as such.
        nonce: the value from which the master seed was derived; ``None`` for a chosen seed.
        kill_matrix_digest: SHA-256 of the suite's kill matrix; ``None`` without one.
        controls: the results of the run's controls; ``None`` if no level is claimed.
    """

    subject: tuple[NamedArtifact, ...]
    declaration_digest: str
    registry: tuple[RegistryEntry, ...]
    key: SigningKey | None = field(default=None, repr=False)
    nonce: str | None = None
    kill_matrix_digest: str | None = None
    controls: ControlReport | None = None
    issued: datetime = field(default_factory=lambda: datetime.now(UTC))
    run_id: str = field(default_factory=lambda: secrets.token_hex(16))
    file_name: str = "certificate.json"

    def render(self, results: RunResults) -> bytes:
        """The certificate of the run; equal results of equal runs give equal bytes.

        Raises:
            ConnectError: ``certificate.partial-run`` if checks were left out (H02), or if there
                were none (H01).
        """
        if results.selection or not results.complete or not results.results:
            raise ConnectError(
                f"a certificate covers the whole suite, and this run has "
                f"{len(results.results)} of its {len(results.registry)} checks",
                code="certificate.partial-run",
                hint="run again without --check",
                facts={"run": len(results.results), "registry": len(results.registry)},
            )
        statement = Statement(self.subject, self._predicate(results))
        payload = canonical(plain(as_plain(statement)))
        return encode_envelope(sealed(PAYLOAD_TYPE, payload, self.key))

    def _predicate(self, results: RunResults) -> CertificatePredicate:
        level = results.level()
        rows = tuple(row_of(result) for result in results.results)
        digest = registry_digest(self.registry)
        return CertificatePredicate(
            format=FORMAT,
            result=result_of(rows),
            configuration=(
                NamedArtifact("registry", {"sha256": digest}),
                NamedArtifact("conformance.toml", {"sha256": self.declaration_digest}),
            ),
            level=level.name if level else None,
            why_not=why_not_more(results),
            badges=tuple(results.badges()),
            axis="self",
            signer=self._signer(),
            suite=self._suite(results, digest),
            plugin=self._plugin(results),
            environment=dict(results.environment),
            run=self._run(results),
            results=rows,
            **lists_of(rows),
            untestable=(),
            controls=_controls(self.controls) if self.controls else None,
            suite_quality=_quality(self.kill_matrix_digest, results.quality),
            waivers=tuple(_in_zone(waiver) for waiver in results.waivers),
            evidence=self._evidence(results, rows),
        )

    def _signer(self) -> Signer | None:
        return Signer(self.key.public.keyid, self.key.public.pem) if self.key else None

    def _suite(self, results: RunResults, digest: str) -> SuiteFacts:
        return SuiteFacts(
            version=__version__,
            registry=self.registry,
            registry_digest=digest,
            source_digest=source_digest(),
            catalogue=dict(results.catalogue),
            profile=results.profile or None,
        )

    def _plugin(self, results: RunResults) -> PluginFacts:
        plugin = results.plugin
        return PluginFacts(
            name=plugin.name,
            version=plugin.version,
            plugin_class=plugin.plugin_class,
            type=plugin.type,
            digest=plugin.digest,
            declaration_digest=self.declaration_digest,
            capabilities=dict(plugin.capabilities),
        )

    def _run(self, results: RunResults) -> RunFacts:
        started = datetime.fromisoformat(results.started)
        finished = started + timedelta(seconds=results.duration_s)
        return RunFacts(
            id=self.run_id,
            started=_time(started),
            finished=_time(finished),
            issued=_time(max(self.issued, finished)),
            expires=_time(self.issued + CURRENT_FOR),
            seed=results.seed,
            nonce=self.nonce,
            command=results.command,
        )

    def _evidence(self, results: RunResults, rows: tuple[CheckRow, ...]) -> EvidenceSummary:
        data = JsonReport().render(results)
        return EvidenceSummary(
            chain_head=chain_head(self.run_id, rows),
            events=len(rows),
            results_digest=hashlib.sha256(data).hexdigest(),
            results_size=len(data),
        )


def row_of(result: CheckResult) -> CheckRow:
    """The certificate's row for the result of a check."""
    row = CheckRow(
        id=result.id,
        revision=result.revision,
        severity=result.severity.value,
        level=result.level.name,
        outcome=result.outcome.value,
        observations=result.observations,
        duration_ms=round(result.duration_s * 1000),
        seed=result.seed,
        attempts=1,
        message=result.message,
        figures=dict(result.figures),
        ledger=result.digest,
        evidence=evidence_hash(result),
        engine=result.engine,
    )
    return from_plain(CheckRow, plain(as_plain(row)))


def _controls(report: ControlReport) -> Controls:
    found = tuple(Sentinel(s.id, s.digest, s.killed_by) for s in report.sentinels)
    return Controls(report.reference_digest, report.reference_level.name, found)


def _quality(digest: str | None, figures: Mapping[str, int | str]) -> SuiteQuality:
    """The quality of the suite according to a kill matrix, with the matrix's digest."""
    known = {name: value for name, value in figures.items() if isinstance(value, int)}
    if digest is None or not known:
        return SuiteQuality(digest)
    return SuiteQuality(
        digest,
        killed=known["killed"],
        tried=known["mutants"] - known["not_tried"],
        false_alarms=known["false_alarms"],
        flakes=known.get("flakes"),
        flake_verdicts=known.get("flake_verdicts"),
        seeds=known["seeds"],
    )


def _in_zone(waiver: Waiver) -> Waiver:
    """The waiver with times instead of days."""
    days = {name: getattr(waiver, name) for name in ("created", "expires")}
    return replace(waiver, **{name: f"{day}T00:00:00Z" for name, day in days.items()})


def _time(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
