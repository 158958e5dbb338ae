"""Writes the gallery: an index, and a summary, report and files per certificate."""

from __future__ import annotations

import json
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from packaging.version import InvalidVersion, Version

from plugwright.errors import ConnectError
from plugwright_conformance.gallery import _descriptions as descriptions
from plugwright_conformance.report import BadgeReport, CertificateNote, HtmlReport
from plugwright_conformance.report.pages import page_environment

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from jinja2 import Environment

    from plugwright_conformance.gallery._entry import GalleryEntry

_COMMAND = (
    "plugwright verify certificate.json --trust {publisher}.pub --results results.json "
    "--wheel PATH_TO_THE_WHEEL"
)
_FORMAT = "plugwright-gallery/1"
_LISTING = "gallery.json"


@dataclass(frozen=True, slots=True)
class _Connector:
    """All versions of one connector, newest first."""

    entries: Sequence[GalleryEntry]

    @property
    def newest(self) -> GalleryEntry:
        return self.entries[0]


def write_gallery(entries: Sequence[GalleryEntry], site: Path, title: str) -> None:
    """Write the site, in place of an earlier gallery.

    It is created in a temporary directory first, so that visitors never see a partial site.

    Args:
        entries: the certificates to show.
        site: the directory, whose parent must exist.
        title: heading of the first page.

    Raises:
        ConnectError: ``gallery.in-the-way`` if the directory has other contents;
            ``report.unwritable``.
    """
    _require_free(site)
    try:
        site.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(
            dir=site.parent, prefix=f".{site.name}.", suffix=".staged"
        ) as staged:
            new = Path(staged) / "new"
            for path, body in _files(entries, title).items():
                target = new / path
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(body)
            _replace(site, new, Path(staged) / "old")
    except OSError as error:
        raise ConnectError(
            f"the gallery cannot be written to {site}: {error.strerror}",
            code="report.unwritable",
            hint="make the directory writable, or name another one",
            facts={"directory": str(site)},
        ) from error


def _replace(site: Path, new: Path, old: Path) -> None:
    """Replace the old site by the new one; restores the old one on failure."""
    if site.exists():
        site.rename(old)
    try:
        new.rename(site)
    except OSError:
        if old.exists():
            old.rename(site)
        raise


def _require_free(site: Path) -> None:
    if site.is_dir() and (not any(site.iterdir()) or _is_gallery(site)):
        return
    if site.exists():
        raise ConnectError(
            f"{site} is no gallery, and would be replaced",
            code="gallery.in-the-way",
            hint="name a directory that does not exist yet, or that an earlier run has written",
            facts={"path": str(site)},
        )


def _is_gallery(site: Path) -> bool:
    with suppress(OSError, ValueError, TypeError, KeyError):
        return bool(json.loads((site / _LISTING).read_bytes())["format"] == _FORMAT)
    return False


def _files(entries: Sequence[GalleryEntry], title: str) -> Mapping[str, bytes]:
    connectors = _connectors(entries)
    files = {
        "index.html": _page("index.html.j2", connectors=connectors, title=title),
        _LISTING: _listing(entries),
    }
    for entry in entries:
        for name, body in _entry_files(entry).items():
            files[f"{entry.directory}/{name}"] = body
    return files


def _entry_files(entry: GalleryEntry) -> Mapping[str, bytes]:
    files = {
        "index.html": _page(
            "summary.html.j2",
            entry=entry,
            predicate=entry.predicate,
            command=_COMMAND.format(publisher=entry.publisher.name),
            proved=descriptions.proved(entry),
            not_proved=descriptions.not_proved(entry),
        ),
        "certificate.json": entry.certificate,
    }
    if entry.results is not None:
        for writer in (HtmlReport(certificate=_note(entry)), BadgeReport()):
            files[writer.file_name] = writer.render(entry.results)
        files["results.json"] = entry.results_json
    return files


def _note(entry: GalleryEntry) -> CertificateNote:
    return CertificateNote(
        subjects=[
            (subject.name, kind, digest)
            for subject in entry.statement.subject
            for kind, digest in subject.digest.items()
        ],
        fingerprint=entry.publisher.key.fingerprint,
        command=_COMMAND.format(publisher=entry.publisher.name),
    )


def _page(template: str, **values: object) -> bytes:
    return _templates().get_template(template).render(**values).encode()


@cache
def _templates() -> Environment:
    """Created once, because it depends only on packaged files."""
    environment = page_environment(__package__, "gallery.css")
    environment.globals.update(levels=descriptions.LEVELS, badges=descriptions.BADGES)
    return environment


def _connectors(entries: Sequence[GalleryEntry]) -> Sequence[_Connector]:
    def key(entry: GalleryEntry) -> tuple[str, str]:
        return entry.predicate.plugin.name, entry.predicate.plugin.plugin_class

    return [
        _Connector(sorted(group, key=_release, reverse=True))
        for _, group in groupby(sorted(entries, key=key), key)
    ]


def _release(entry: GalleryEntry) -> Version:
    with suppress(InvalidVersion):
        return Version(entry.predicate.plugin.version)
    return Version("0")


def _listing(entries: Sequence[GalleryEntry]) -> bytes:
    rows = [
        {
            "badges": list(entry.predicate.badges),
            "class": entry.predicate.plugin.plugin_class,
            "directory": entry.directory,
            "expires": entry.predicate.run.expires,
            "issued": entry.predicate.run.issued,
            "level": entry.level.name,
            "name": entry.predicate.plugin.name,
            "publisher": {
                "fingerprint": entry.publisher.key.fingerprint,
                "name": entry.publisher.name,
            },
            "type": entry.predicate.plugin.type,
            "version": entry.predicate.plugin.version,
        }
        for entry in entries
    ]
    document = {"connectors": rows, "format": _FORMAT}
    return (json.dumps(document, indent=2, sort_keys=True) + "\n").encode()
