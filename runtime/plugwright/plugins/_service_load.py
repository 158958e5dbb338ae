"""Discovery by manifests alone (mode ``service_load`` of KIP-898): no plugin code runs."""

from __future__ import annotations

import errno
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from plugwright.plugins._descriptor import PluginDescriptor
from plugwright.plugins._diagnostic import Diagnostic, Level
from plugwright.plugins._manifest import ManifestEntry, ManifestProblem, read_manifest
from plugwright.plugins._reading import NotRegularError, TooLargeError, read_regular
from plugwright.plugins._types import PLUGIN_TYPES

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from packaging.version import Version

    from plugwright.plugins._location import Location

__all__ = ["identity", "service_load"]

_MANIFEST_LIMIT = 1 << 20
_METADATA_LIMIT = 64 * 1024
_TYPES = {kind.group: kind for kind in PLUGIN_TYPES}
_SEPARATORS = re.compile(r"[-_.]+")


@dataclass(frozen=True, slots=True)
class _Distribution:
    """One metadata directory whose manifest has lines for us."""

    directory: Path
    entries: list[ManifestEntry]
    name: str
    version: str
    complete: bool

    @property
    def rank(self) -> tuple[bool, bool, Version | str]:
        """Orders several directories of one project, best last: complete, then newest."""
        from packaging.version import InvalidVersion, Version  # noqa: PLC0415  # for duplicates only

        try:
            return self.complete, True, Version(self.version)
        except InvalidVersion:
            return self.complete, False, self.version


def service_load(location: Location) -> tuple[list[PluginDescriptor], list[Diagnostic]]:
    """The plugins that the manifests of a location declare, and what is wrong with them."""
    findings: list[Diagnostic] = []
    try:
        directories = location.metadata_directories()
    except OSError as error:
        return [], [_unreadable(location, location.path, error)]
    found = [d for d in (_read_distribution(location, p, findings) for p in directories) if d]
    plugins = [
        PluginDescriptor(
            _TYPES[e.group], e.module, e.qualname, e.name, kept.name, kept.version, location
        )
        for kept in _one_of_each(location, found, findings)
        for e in kept.entries
    ]
    return plugins, findings


def _read_distribution(
    location: Location, directory: Path, findings: list[Diagnostic]
) -> _Distribution | None:
    manifest = directory / "entry_points.txt"
    try:
        data = read_regular(manifest, _MANIFEST_LIMIT + 1)
        if len(data) > _MANIFEST_LIMIT:
            raise TooLargeError(None, f"larger than {_MANIFEST_LIMIT} bytes")  # as the system's
        entries, problems = read_manifest(data, _TYPES)
    except FileNotFoundError:
        return None
    except OSError as error:
        findings.append(_unreadable(location, manifest, error))
        return None
    findings += [_finding(location, manifest, problem) for problem in problems]
    if not entries:
        return None
    name, version, complete = identity(directory)
    if not complete:
        message = "has no METADATA; name and version are those of the directory"
        findings.append(
            Diagnostic(Level.NOTE, "no-metadata", str(location.origin), message, directory.name)
        )
    return _Distribution(directory, entries, name, version, complete)


def _one_of_each(
    location: Location, found: Iterable[_Distribution], findings: list[Diagnostic]
) -> list[_Distribution]:
    """One directory for each project; an upgrade in place may leave the old one behind."""
    kept: dict[str, _Distribution] = {}
    for candidate in found:
        key = _SEPARATORS.sub("-", candidate.name).lower()
        other = kept.setdefault(key, candidate)
        if other is not candidate:
            better, worse = sorted((other, candidate), key=lambda d: d.rank, reverse=True)
            kept[key] = better
            findings.append(_duplicate(location, better, worse))
    return list(kept.values())


def _duplicate(location: Location, better: _Distribution, worse: _Distribution) -> Diagnostic:
    return Diagnostic(
        Level.WARNING,
        "dist-duplicate",
        str(location.origin),
        f"ignored, because {better.directory.name} is of the same project",
        worse.directory.name,
        hint=f"remove {worse.directory.name}, which an upgrade has left behind",
    )


def identity(directory: Path) -> tuple[str, str, bool]:
    """Name and version from METADATA, or from the directory's name where that is missing."""
    found: dict[str, str] = {}
    for file in ("METADATA", "PKG-INFO"):
        for line in _head(directory / file).splitlines():
            key, _, value = line.partition(":")
            found.setdefault(key.lower(), value.strip())
    stem = directory.name.rpartition(".")[0]
    name, _, version = stem.partition("-")
    complete = bool(found.get("name") and found.get("version"))
    return found.get("name") or name, found.get("version") or version or "undefined", complete


def _head(path: Path) -> str:
    """The header of a metadata file; nothing if it cannot be read."""
    try:
        text = read_regular(path, _METADATA_LIMIT).decode(errors="replace")
    except OSError:
        return ""
    return text.replace("\r\n", "\n").split("\n\n", 1)[0]


def _finding(location: Location, manifest: Path, problem: ManifestProblem) -> Diagnostic:
    return Diagnostic(
        Level.NOTE if problem.note else Level.WARNING,
        problem.code,
        str(location.origin),
        problem.message,
        f"{manifest.parent.name}/{manifest.name}",
        problem.line,
    )


def _unreadable(location: Location, path: Path, error: OSError) -> Diagnostic:
    if isinstance(error, TooLargeError):
        code = "ep-too-large"
    elif isinstance(error, NotRegularError) or error.errno in {errno.ELOOP, errno.ENXIO}:
        code = "ep-not-regular"
    else:
        code = "ep-unreadable"
    file = "" if path == location.path else str(path.relative_to(location.path))
    message = f"cannot read {path.name}: {error.strerror}"
    return Diagnostic(Level.ERROR, code, str(location.origin), message, file)
