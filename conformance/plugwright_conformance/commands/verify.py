"""``plugwright verify``: verify a certificate offline, against keys that you trust."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from plugwright.cli import Command, ExitCode, add_json, write_json
from plugwright_conformance.evidence.named_file import read_named

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Mapping, Sequence

    from plugwright_conformance.certificate import (
        BrokenRuleError,
        PublicKey,
        Statement,
        Verification,
    )

__all__ = ["VERIFY"]

_FORMAT = "plugwright-verification/1"
_EXAMPLES = """\
examples:
  plugwright verify certificate.json --trust issuer.pub
  plugwright verify certificate.json --trust issuer.pub --results results.json \\
      --wheel orders_sink-1.2.0-py3-none-any.whl

exit status: 0 VALID or VALID-HISTORIC, 4 INVALID, 2 a file cannot be read, 1 wrong usage
"""
_HINTS: Mapping[str, str] = {
    "envelope": "take certificate.json as the run wrote it",
    "signature": "get a signed certificate and the key from the issuer; name the key with --trust",
    "artifact": "certify this artifact, or name the certified one",
    "results": "take the results.json that was written with the certificate",
    "registry": "verify with the plugwright version that created it, or certify again",
}


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("certificate", metavar="CERTIFICATE", type=Path, help="certificate.json")
    parser.add_argument(
        "--trust",
        metavar="KEY.pub",
        type=Path,
        action="append",
        default=[],
        help="a trusted public key; repeatable",
    )
    parser.add_argument(
        "--wheel",
        metavar="PATH",
        type=Path,
        help="the wheel, or its unpacked directory, to compare with the subject",
    )
    parser.add_argument("--results", metavar="FILE", type=Path, help="the run's results.json")
    parser.add_argument(
        "--errata", metavar="FILE", type=Path, help="a signed list of revoked check revisions"
    )
    add_json(parser)


def _run(arguments: argparse.Namespace) -> int:
    from plugwright_conformance.certificate import Verdict, load_public_key  # noqa: PLC0415

    trusted = [load_public_key(path) for path in arguments.trust]
    found = _verified(arguments, trusted)
    if arguments.json:
        write_json(_document(found), sys.stdout)
    else:
        sys.stdout.write(_as_text(found, arguments.certificate) + "\n")
    return ExitCode.FOUND if found.verdict is Verdict.INVALID else ExitCode.DONE


def _verified(arguments: argparse.Namespace, trusted: Sequence[PublicKey]) -> Verification:
    from plugwright_conformance.certificate import (  # noqa: PLC0415  # after --help
        Given,
        installed_suite,
        verify_certificate,
    )

    given = Given(
        suite=installed_suite(),
        now=datetime.now(UTC),
        trusted=trusted,
        artifact=arguments.wheel,
        results=arguments.results and _read(arguments.results),
        errata=arguments.errata and _read(arguments.errata),
    )
    return verify_certificate(_read(arguments.certificate), given)


def _read(path: Path) -> bytes:
    hint = "name an existing, readable file"
    return read_named(path, "certificate.unreadable", hint)


def _as_text(found: Verification, certificate: Path) -> str:
    from plugwright_conformance.report import one_line  # noqa: PLC0415  # after --help

    name = str(certificate) if found.statement is None else _plugin(found.statement)
    rows = [
        *(_broken_rows(found.broken) if found.broken else ()),
        *(_claims(found.statement) if found.statement and not found.broken else ()),
        *(_signed_rows(found)),
        *_finding_rows(found),
    ]
    lines = [f"{found.verdict.value}  {one_line(name)}"]
    return "\n".join([*lines, *(f" {label:<13}{one_line(text)}" for label, text in rows)])


def _plugin(statement: Statement) -> str:
    plugin = statement.predicate.plugin
    return f"{plugin.name} {plugin.version} ({plugin.type}, {plugin.plugin_class})"


def _broken_rows(broken: BrokenRuleError) -> Iterable[tuple[str, str]]:
    yield "rule", broken.rule
    yield "reason", broken.reason
    if broken.rule in _HINTS:
        yield "next", _HINTS[broken.rule]


def _claims(statement: Statement) -> Iterable[tuple[str, str]]:
    predicate = statement.predicate
    for subject in statement.subject:
        digests = ", ".join(f"{kind}:{value}" for kind, value in subject.digest.items())
        yield "subject", f"{subject.name} {digests}"
    yield "level", predicate.level or f"no level: {predicate.why_not}"
    counts = ", ".join(
        f"{len(getattr(predicate, name))} {name.replace('_', ' ')}"
        for name in ("passed", "failed", "warned", "error", "not_run", "waived", "not_applicable")
        if getattr(predicate, name)
    )
    yield "result", f"{predicate.result}: {counts}"
    suite, run = predicate.suite, predicate.run
    yield "suite", f"{suite.version}, {len(predicate.results)} checks, seed {run.seed}"


def _signed_rows(found: Verification) -> Iterable[tuple[str, str]]:
    if found.statement and found.key:
        yield "signed by", f"{found.key.fingerprint} ({found.statement.predicate.axis})"


def _finding_rows(found: Verification) -> Iterable[tuple[str, str]]:
    from plugwright_conformance.certificate import RuleState  # noqa: PLC0415  # after --help

    holding = [finding.rule for finding in found.findings if finding.state is RuleState.HOLDS]
    if holding:
        yield "holds", ", ".join(holding)
    for finding in found.findings:
        if finding.state is not RuleState.HOLDS:
            yield finding.state.value, f"{finding.rule}: {finding.detail}"


def _document(found: Verification) -> dict[str, object]:
    return {
        "findings": [
            {"detail": f.detail, "rule": f.rule, "state": f.state.value} for f in found.findings
        ],
        "format": _FORMAT,
        "level": found.statement.predicate.level if found.statement else None,
        "reason": found.broken.reason if found.broken else "",
        "rule": found.broken.rule if found.broken else None,
        "signed_by": found.key.fingerprint if found.key else None,
        "subject": [
            {"digest": dict(s.digest), "name": s.name}
            for s in (found.statement.subject if found.statement else ())
        ],
        "verdict": found.verdict.value,
    }


VERIFY = Command(
    name="verify",
    summary="verify a certificate offline, against keys that you trust",
    epilog=_EXAMPLES,
    configure=_configure,
    run=_run,
)
