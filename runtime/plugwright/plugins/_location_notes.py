"""Diagnostics about files in a location that installers or Python use and discovery ignores."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from plugwright.plugins._diagnostic import Diagnostic, DiagnosticLevel
from plugwright.plugins._location import is_set_aside
from plugwright.plugins.reading import read_regular

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from plugwright.plugins._location import Location

_SIGNATURES = ("RECORD.jws", "RECORD.p7s")
_SIDECARS = (
    ".asc",
    ".attestation",
    ".provenance",
    ".publish.attestation",
    ".sig",
    ".sigstore",
    ".sigstore.json",
)
_LINKS = (".egg-link", ".start")
_ORIGIN_LIMIT = 64 * 1024
_ORIGIN = "direct_url.json"
_SIGNED_HINT = "sync-manifests leaves it alone, because a change would break the signature"
_EDITABLE_HINT = "install the package itself into the location"
_INTERRUPTED_HINT = "remove it, and install the distribution again if its package is missing"


def top_level_notes(location: Location, names: Iterable[str]) -> Iterator[Diagnostic]:
    """Notes on files that Python or an installer would run or follow at start-up.

    Args:
        location: their location.
        names: its entries. Hot path: there may be thousands.
    """
    links = [name for name in names if name.endswith(_LINKS) or ".pth" in name]
    for name in sorted(links):
        if name.endswith(".egg-link") or (name.startswith("__editable__") and ".pth" in name):
            message = "links to a project elsewhere, which is not followed"
            yield _note(location, "editable", message, name, _EDITABLE_HINT)
        elif name.endswith(".pth"):
            message = "is not processed: what it puts on the import path is missing here"
            yield _note(location, "pth-present", message, name, "install what it refers to")
        elif name.endswith(".start"):
            message = "is not run"
            yield _note(
                location, "start-present", message, name, "do its work when the plugin is called"
            )
    for name in sorted(filter(is_set_aside, names)):
        message = "is left of an interrupted installation, so it is ignored"
        yield _note(location, "dist-interrupted", message, name, _INTERRUPTED_HINT)


def distribution_notes(location: Location, directory: str, below: int) -> Iterator[Diagnostic]:
    """Notes on one distribution that has plugins.

    Args:
        location: its location.
        directory: the name of its metadata directory.
        below: descriptor of the location's open directory.
    """
    for name in _SIGNATURES:
        file = f"{directory}/{name}"
        if os.access(file, os.F_OK, dir_fd=below):
            message = "signs the list of installed files"
            yield _note(location, "signed-artifact", message, file, _SIGNED_HINT)
    if is_editable(directory, below):
        message = "is installed as editable, so its code lies elsewhere"
        yield _note(location, "editable", message, directory, _EDITABLE_HINT)


def empty_note(location: Location, directory: str) -> Diagnostic:
    """The note on a metadata directory without metadata, whose plugins cannot be found."""
    message = "has neither METADATA nor entry_points.txt"
    hint = "remove it, or install the package again"
    return _note(location, "dist-empty", message, directory, hint)


def sidecar_notes(archive: Path) -> Iterator[Diagnostic]:
    """Notes on signatures and attestations next to an archive."""
    for suffix in _SIDECARS:
        if os.path.lexists(f"{archive}{suffix}"):
            message = f"is signed by {archive.name}{suffix}"
            yield Diagnostic(
                DiagnosticLevel.NOTE, "signed-artifact", str(archive), message, hint=_SIGNED_HINT
            )


def _note(location: Location, code: str, message: str, file: str, hint: str) -> Diagnostic:
    return Diagnostic(DiagnosticLevel.NOTE, code, str(location.origin), message, file, hint=hint)


def is_editable(directory: str | Path, below: int | None = None) -> bool:
    """Whether an installer recorded an editable installation (PEP 610).

    Args:
        directory: the metadata directory.
        below: descriptor of an open directory to which its path is relative.
    """
    origin = f"{directory}/{_ORIGIN}"
    if not os.access(origin, os.F_OK, dir_fd=below):
        return False
    try:
        data = read_regular(origin, _ORIGIN_LIMIT, below)
    except OSError:
        return False
    import json  # noqa: PLC0415  # few distributions have this file

    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        return False
    info = found.get("dir_info") if isinstance(found, dict) else None
    return isinstance(info, dict) and info.get("editable") is True
