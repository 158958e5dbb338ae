"""Reads and verifies certificates, and selects those that a gallery shows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright.errors import ConnectError
from plugwright_conformance.certificate import Given, Verdict, verify_certificate
from plugwright_conformance.evidence.named_file import read_named
from plugwright_conformance.gallery._entry import GalleryEntry, LeftOut, Publisher
from plugwright_conformance.report import read_json

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime
    from pathlib import Path

    from plugwright_conformance.certificate import InstalledSuite, Verification

_CERTIFICATE = "certificate.json"
_RESULTS = "results.json"


def collect(
    paths: Sequence[Path],
    publishers: Sequence[Publisher],
    suite: InstalledSuite,
    now: datetime,
    errata: bytes | None = None,
) -> tuple[list[GalleryEntry], list[LeftOut]]:
    """The certificates that are valid at a given time, and those that are not.

    Of several certificates for one version of a connector, the one issued last is shown.

    Args:
        paths: files ``certificate.json``, or directories with such files at any depth.
        publishers: the accepted signers.
        suite: the installed suite.
        now: the time.
        errata: a signed list of revoked check revisions.

    Raises:
        ConnectError: ``certificate.unreadable`` if a path cannot be read or has none.
    """
    entries: list[GalleryEntry] = []
    left_out: list[LeftOut] = []
    for path in [found for given in paths for found in _certificates(given)]:
        match _entry(path, publishers, suite, now, errata):
            case GalleryEntry() as entry:
                entries.append(entry)
            case LeftOut() as reason:
                left_out.append(reason)
    shown = {_version_of(entry): entry for entry in sorted(entries, key=_issued)}
    superseded = [each for each in entries if shown[_version_of(each)] is not each]
    left_out += [LeftOut(each.path, "superseded", _by_later(each)) for each in superseded]
    return sorted(shown.values(), key=_version_of), left_out


def _certificates(path: Path) -> list[Path]:
    found = sorted(path.rglob(_CERTIFICATE)) if path.is_dir() else [path]
    if not found:
        raise ConnectError(
            f"{path} has no {_CERTIFICATE}",
            code="certificate.unreadable",
            hint="name the directory of a report that has a certificate",
            facts={"path": str(path)},
        )
    return found


def _entry(
    path: Path,
    publishers: Sequence[Publisher],
    suite: InstalledSuite,
    now: datetime,
    errata: bytes | None,
) -> GalleryEntry | LeftOut:
    data, beside = _read(path), path.with_name(_RESULTS)
    results = _read(beside) if beside.exists() else b""
    keys = [publisher.key for publisher in publishers]
    given = Given(suite=suite, now=now, trusted=keys, results=results or None, errata=errata)
    found = verify_certificate(data, given)
    if (reason := _why_not(path, found)) is not None:
        return reason
    statement, key = found.statement, found.key
    if statement is None or key is None:  # valid certificates have both
        raise AssertionError(path)
    publisher = next(each for each in publishers if each.key.keyid == key.keyid)
    run = read_json(results) if results else None
    return GalleryEntry(path, data, statement, publisher, run, results)


def _why_not(path: Path, found: Verification) -> LeftOut | None:
    if found.broken is not None:
        return LeftOut(path, found.broken.rule, found.broken.reason)
    if found.statement is None:
        return LeftOut(path, "statement", "it cannot be read")
    run, level = found.statement.predicate.run, found.statement.predicate.level
    if found.verdict is Verdict.HISTORIC:
        past = [each.detail for each in found.findings if each.state.value == "historic"]
        return LeftOut(path, "expired", "; ".join(past) or f"expired {run.expires}")
    if level is None:
        return LeftOut(path, "no-level", found.statement.predicate.why_not)
    return None


def _read(path: Path) -> bytes:
    hint = "name an existing, readable file"
    return read_named(path, "certificate.unreadable", hint)


def _version_of(entry: GalleryEntry) -> tuple[str, str, str]:
    plugin = entry.predicate.plugin
    return plugin.name, plugin.plugin_class, plugin.version


def _issued(entry: GalleryEntry) -> str:
    return entry.predicate.run.issued


def _by_later(entry: GalleryEntry) -> str:
    plugin = entry.predicate.plugin
    return f"there is a later certificate of {plugin.name} {plugin.version}"
