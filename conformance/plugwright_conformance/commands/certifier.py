"""The parts of ``certify`` other than running checks: seeds, reports and certificates."""

from __future__ import annotations

import hashlib
import os
import secrets
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Self

from plugwright import __version__
from plugwright.errors import ConnectError
from plugwright_conformance.evidence.named_file import read_named

if TYPE_CHECKING:
    import argparse
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from plugwright_conformance.certificate import CertificateReport, SigningKey
    from plugwright_conformance.controls.every_run import ControlReport, KilledSentinel
    from plugwright_conformance.evidence.outcome import Level
    from plugwright_conformance.live.system import LiveSystem
    from plugwright_conformance.report import CertificateNote
    from plugwright_conformance.report.results import RunResults
    from plugwright_conformance.subject.subject import Subject

_VARIABLE = "PLUGWRIGHT_KEY"
_INVALIDATING = frozenset(
    {
        "certificate.kill-matrix",
        "certificate.subject-changed",
        "controls.reference",
        "controls.sentinel",
    }
)
"""Errors that make a run invalid."""
_REFERENCES = frozenset({"plugwright-file-source", "plugwright-file-sink", "plugwright-lake"})
"""Bundled connectors, which are their own reference.

Reusing one of these names gives no advantage: a plugin must reach its level in any case.
"""


@dataclass(frozen=True, slots=True)
class Certifier:
    """The shared settings of all certificates of one command.

    Attributes:
        key: the signing key, or ``None``.
        chosen_seed: the seed that the user chose, or ``None`` to derive one for each subject.
        nonce: the value from which seeds are derived, new for each command.
        kill_matrix: bytes of the suite's kill matrix, or ``None`` if it has none.
        live: the live system of the run, once it has started.
    """

    key: SigningKey | None = field(repr=False)
    chosen_seed: str | None
    kill_matrix: bytes | None = field(repr=False)
    nonce: str = field(default_factory=lambda: secrets.token_hex(16))
    live: LiveSystem | None = None
    _references: dict[tuple[str, tuple[str, ...]], tuple[str, Level]] = field(
        default_factory=dict, repr=False
    )
    _sentinels: list[KilledSentinel] = field(default_factory=list, repr=False)

    @classmethod
    def of(cls, arguments: argparse.Namespace, environ: Mapping[str, str] = os.environ) -> Self:
        """Create from the command line, and load the key before anything that takes time.

        Raises:
            ConnectError: if the key cannot be used, or if the options permit no certificate.
        """
        from plugwright_conformance.certificate import load_signing_key  # noqa: PLC0415
        from plugwright_conformance.controls.shipped_matrix import shipped_matrix  # noqa: PLC0415

        _require_use(arguments)
        named = arguments.key or environ.get(_VARIABLE)
        key = load_signing_key(Path(named)) if named and arguments.report else None
        file = arguments.kill_matrix
        return cls(key, arguments.seed, _matrix(file) if file else shipped_matrix())

    def seed(self, subject: Subject) -> str:
        """The master seed of the run over a subject."""
        from plugwright_conformance.execution.seeds import (  # noqa: PLC0415  # after --help
            master_seed,
        )

        return self.chosen_seed or master_seed(subject.digest, __version__, self.nonce)

    def quality(self) -> Mapping[str, int | str]:
        """The quality of the suite, from the kill matrix."""
        from plugwright_conformance.checks import CHECKS  # noqa: PLC0415  # after --help
        from plugwright_conformance.controls.suite_quality import matrix_figures  # noqa: PLC0415

        return matrix_figures(self.kill_matrix, CHECKS)

    def write(
        self,
        subject: Subject,
        results: RunResults,
        directory: Path,
        secrets_used: Mapping[str, Sequence[str]],
    ) -> CertificateNote | None:
        """Write the reports, and the certificate if the run was complete; returns its summary.

        Raises:
            ConnectError: ``certificate.subject-changed`` if the artifact has changed;
                ``controls.reference``, ``controls.sentinel`` or ``certificate.kill-matrix`` if a
                level was reached but the suite failed its own controls. The other reports are
                written nevertheless. ``report.secret`` if a report would contain a secret; then
                nothing is written.
        """
        from plugwright_conformance.report import (  # noqa: PLC0415  # after --help
            WRITERS,
            HtmlReport,
            write_reports,
        )
        from plugwright_conformance.subject.subject import artifact_digest  # noqa: PLC0415

        whole = results.complete and not results.selection and bool(results.results)
        now = artifact_digest(subject.given)
        if whole and now != subject.digest:
            changed = _changed(subject, now)
            self._write_invalid(invalidated(results, changed), directory, secrets_used)
            raise changed
        if not whole:
            write_reports(results, directory, WRITERS, secrets_used)
            (directory / "certificate.json").unlink(missing_ok=True)
            return None
        try:
            certificate = self._certificate(subject, results)
        except ConnectError as error:
            self._write_invalid(invalidated(results, error), directory, secrets_used)
            raise
        note = _note(certificate)
        page = HtmlReport(certificate=note)
        others = [w for w in WRITERS if w.file_name != page.file_name]
        write_reports(results, directory, [*others, page, certificate], secrets_used)
        return note

    def _write_invalid(
        self,
        results: RunResults,
        directory: Path,
        secrets_used: Mapping[str, Sequence[str]],
    ) -> None:
        """Write the reports of an invalid run: no badge, and no certificate."""
        from plugwright_conformance.report import WRITERS, write_reports  # noqa: PLC0415

        names = {"badge.svg", "certificate.json"}
        rest = [writer for writer in WRITERS if writer.file_name not in names]
        write_reports(results, directory, rest, secrets_used)
        for name in names:
            (directory / name).unlink(missing_ok=True)

    def _certificate(self, subject: Subject, results: RunResults) -> CertificateReport:
        from plugwright_conformance.certificate import (  # noqa: PLC0415  # after --help
            CertificateReport,
            name_artifact,
            registry_of,
        )
        from plugwright_conformance.checks import CHECKS  # noqa: PLC0415  # after --help
        from plugwright_conformance.controls.shipped_matrix import require_matrix  # noqa: PLC0415

        matrix = self.kill_matrix
        if results.level() is not None:
            require_matrix(matrix, CHECKS)
        return CertificateReport(
            subject=name_artifact(subject.given),
            declaration_digest=subject.declaration.digest,
            registry=registry_of(CHECKS),
            key=self.key,
            nonce=None if self.chosen_seed else self.nonce,
            kill_matrix_digest=None if matrix is None else hashlib.sha256(matrix).hexdigest(),
            controls=self._controls_for(subject, results),
        )

    def _controls_for(self, subject: Subject, results: RunResults) -> ControlReport | None:
        """The controls of this command for a kind of plugin; ``None`` if no level is claimed."""
        from plugwright_conformance.checks import CHECKS  # noqa: PLC0415  # after --help
        from plugwright_conformance.controls.every_run import (  # noqa: PLC0415  # after --help
            ControlReport,
            require_reference,
            require_sentinels,
        )

        level, kind, engines = results.level(), subject.kind, subject.declaration.engines
        if level is None:
            return None
        if subject.descriptor.distribution in _REFERENCES:
            self._references[kind, engines] = (subject.digest, level)
        found = self._reference(kind, engines)
        if found is None or found[1].value < level.value:
            found = require_reference(
                kind, level, CHECKS, live=self.live, seed=results.seed, engines=engines
            )
            self._references[kind, engines] = found
        if not self._sentinels:
            self._sentinels.extend(require_sentinels(CHECKS, results.seed))
        return ControlReport(*found, self._sentinels)

    def _reference(self, kind: str, engines: Collection[str]) -> tuple[str, Level] | None:
        """The reference with the highest level so far that ran on at least these engines."""
        fitting = [
            found
            for (of, ran_on), found in self._references.items()
            if of == kind and set(engines) <= set(ran_on)
        ]
        return max(fitting, key=lambda found: found[1].value, default=None)


def invalidated(results: RunResults, error: ConnectError) -> RunResults:
    """The results, marked as invalid if the error makes the run so."""
    return replace(results, invalid=str(error)) if error.code in _INVALIDATING else results


def check_ids(_: argparse.Namespace) -> Iterable[str]:
    """The ids of all checks, for shell completion."""
    from plugwright_conformance.checks import CHECKS  # noqa: PLC0415  # after --help

    return sorted(check.id for check in CHECKS)


def _require_use(arguments: argparse.Namespace) -> None:
    partial = "--check" if arguments.check else "--level" if arguments.level != "C5" else ""
    if arguments.key and partial:
        raise ConnectError(
            f"a certificate covers the whole suite, and {partial} omits checks",
            code="certificate.partial-run",
            hint=f"leave out {partial}, or leave out --key",
        )
    if arguments.key and not arguments.report:
        raise ConnectError(
            "--key requires --report, because without a report no certificate is written",
            code="certificate.no-report",
            hint="name a directory with --report",
        )


def _changed(subject: Subject, now: str) -> ConnectError:
    return ConnectError(
        f"{subject.given} changed during the run: its digest was {subject.digest}, now it is {now}",
        code="certificate.subject-changed",
        hint="certify a wheel, or a copy that no other process modifies",
        facts={"before": subject.digest, "after": now},
    )


def _note(certificate: CertificateReport) -> CertificateNote:
    from plugwright_conformance.report import CertificateNote  # noqa: PLC0415  # after --help

    subjects = [(s.name, *pair) for s in certificate.subject for pair in s.digest.items()]
    fingerprint = certificate.key.public.fingerprint if certificate.key else None
    command = "plugwright verify certificate.json --trust KEY.pub --results results.json"
    return CertificateNote(
        subjects,
        fingerprint,
        f"{command} --wheel {subjects[0][0]}",
        _controls_text(certificate.controls) if certificate.controls else "",
        certificate.kill_matrix_digest or "",
    )


def _controls_text(report: ControlReport) -> str:
    return (
        f"the reference connector reached {report.reference_level.name}, "
        f"{len(report.sentinels)} of {len(report.sentinels)} broken connectors were found"
    )


def _matrix(path: Path) -> bytes:
    hint = "name the file written by plugwright kill-matrix --output"
    return read_named(path, "certificate.kill-matrix", hint, what="the kill matrix ")
