"""Discovery by manifests alone (mode ``service_load`` of KIP-898): no plugin code runs."""

from __future__ import annotations

import errno
from dataclasses import dataclass
from typing import TYPE_CHECKING

from plugwright.plugins._descriptor import PluginDescriptor
from plugwright.plugins._diagnostic import Diagnostic, DiagnosticLevel
from plugwright.plugins._location_notes import distribution_notes, empty_note, top_level_notes
from plugwright.plugins._metadata import DistributionMetadata, has_version, rank, read_metadata
from plugwright.plugins._opened import OpenLocation
from plugwright.plugins._owners import is_shim, project
from plugwright.plugins._types import PLUGIN_TYPES
from plugwright.plugins._versions import UNDEFINED
from plugwright.plugins.manifest import (
    ManifestEntry,
    ManifestProblem,
    examine_manifest,
    is_foreign,
)
from plugwright.plugins.reading import NotRegularError, TooLargeError, read_regular

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from plugwright.plugins._location import Location

_MANIFEST = "entry_points.txt"
_MANIFEST_LIMIT = 1 << 20
_TYPES = {kind.group: kind for kind in PLUGIN_TYPES}
_HINTS = {
    "ep-encoding": "save the file as UTF-8",
    "ep-syntax": "correct it in the project's settings, then build and install the package again",
    "ep-unknown-group": "rename the group, then build and install the package again",
    "ep-duplicate": "give each entry a name of its own",
}


@dataclass(frozen=True, slots=True)
class _Distribution:
    """A metadata directory whose manifest has lines for us."""

    directory: str
    entries: Sequence[ManifestEntry]
    metadata: DistributionMetadata


def service_load(location: Location) -> tuple[list[PluginDescriptor], list[Diagnostic]]:
    """The plugins that the manifests of a location declare, with diagnostics.

    Plugins of a distribution that needs another Python have an obstacle.
    """
    findings: list[Diagnostic] = []
    plugins: list[PluginDescriptor] = []
    try:
        place = OpenLocation(location)
    except OSError as error:
        return [], [_unreadable(location, "", error)]
    with place:
        findings += top_level_notes(location, place.names)
        found = _read_distributions(place, findings)
        for kept in _one_of_each(location, found, findings):
            findings += _judged(place, kept)
            if is_shim(kept.directory):
                plugins += _attributed(location, kept, findings)
            else:
                metadata = kept.metadata
                plugins += [_descriptor(location, each, metadata) for each in kept.entries]
    return plugins, findings


def _descriptor(
    location: Location, entry: ManifestEntry, owner: DistributionMetadata
) -> PluginDescriptor:
    return PluginDescriptor(
        _TYPES[entry.group],
        entry.module,
        entry.qualname,
        entry.name,
        owner.name,
        owner.version,
        location,
        owner.obstacle,
    )


def _attributed(
    location: Location, shim: _Distribution, findings: list[Diagnostic]
) -> Iterator[PluginDescriptor]:
    """The plugins in the shim, each under the distribution that owns its module."""
    from plugwright.plugins._owners import Owners  # noqa: PLC0415  # few locations have a shim

    owners = Owners(location)
    for entry in shim.entries:
        owner = owners.find(entry.module)
        name, version = owners.owner(entry.module)
        metadata = (
            owner.metadata if owner else DistributionMetadata(name, version, "", complete=True)
        )
        if owner and metadata.obstacle:
            finding = unfit(location, owner.directory.name, metadata)
            findings += [] if finding in findings else [finding]
        yield _descriptor(location, entry, metadata)


def _read_distributions(place: OpenLocation, findings: list[Diagnostic]) -> list[_Distribution]:
    """The distributions that declare plugins. Hot path: others cost one file read."""
    below = place.descriptor
    found: list[_Distribution] = []
    without: list[str] = []
    for name in place.metadata:
        try:
            data = read_regular(f"{name}/{_MANIFEST}", _MANIFEST_LIMIT + 1, below)
        except FileNotFoundError:
            without.append(name)
        except OSError as error:
            if place.has_directory(name):
                findings.append(_unreadable(place.location, f"{name}/{_MANIFEST}", error))
        else:
            if len(data) > _MANIFEST_LIMIT or not is_foreign(data):
                found += _examined(place, name, data, findings)
    findings += _emptied(place, without)
    return found


def _examined(
    place: OpenLocation, name: str, data: bytes, findings: list[Diagnostic]
) -> Sequence[_Distribution]:
    """The distribution of a manifest, if it declares plugins."""
    if len(data) > _MANIFEST_LIMIT:
        # Worded like the system's errors for other unreadable files.
        error = TooLargeError(None, f"larger than {_MANIFEST_LIMIT} bytes")
        findings.append(_unreadable(place.location, f"{name}/{_MANIFEST}", error))
        return ()
    entries, problems = examine_manifest(data, _TYPES)
    findings += [_finding(place.location, name, problem) for problem in problems]
    if not entries:
        return ()
    return (_Distribution(name, entries, read_metadata(name, place.descriptor)),)


def _emptied(place: OpenLocation, without: Sequence[str]) -> Iterator[Diagnostic]:
    """Notes on directories without metadata, except for leftovers of an upgrade."""
    bare = (name for name in without if not _has_any(place, name))
    emptied = list(filter(place.has_directory, bare))
    if emptied:
        directories = filter(place.has_directory, place.metadata)
        projects = [project(name.partition("-")[0]) for name in directories]
        for name in emptied:
            own = project(name.partition("-")[0])
            if projects.count(own) == 1:
                yield empty_note(place.location, name)


def _has_any(place: OpenLocation, name: str) -> bool:
    """Whether a directory has a metadata file. Hot path: usually one check."""
    return place.has(f"{name}/METADATA") or place.has(f"{name}/PKG-INFO")


def _one_of_each(
    location: Location, found: Iterable[_Distribution], findings: list[Diagnostic]
) -> list[_Distribution]:
    """One directory per project; an in-place upgrade may leave the old one behind."""
    kept: dict[str, _Distribution] = {}
    for candidate in found:
        key = project(candidate.metadata.name)
        other = kept.setdefault(key, candidate)
        if other is not candidate:
            worse, better = sorted(
                (candidate, other),
                key=lambda each: rank(location.path / each.directory, each.metadata),
            )
            kept[key] = better
            findings.append(_duplicate(location, better, worse))
    return list(kept.values())


def _judged(place: OpenLocation, kept: _Distribution) -> Iterator[Diagnostic]:
    """Diagnostics about a distribution whose plugins are used."""
    location, directory, found = place.location, kept.directory, kept.metadata
    if not found.complete:
        message = "has no METADATA; name and version are those of the directory"
        yield Diagnostic(
            DiagnosticLevel.NOTE, "no-metadata", str(location.origin), message, directory
        )
    if found.version != UNDEFINED and not has_version(found.version):
        message = f"version {found.version!r} is none of PEP 440, so every other one comes first"
        hint = "give the project a version such as 1.0"
        yield Diagnostic(
            DiagnosticLevel.WARNING,
            "version-invalid",
            str(location.origin),
            message,
            directory,
            hint=hint,
        )
    if found.obstacle:
        yield unfit(location, directory, found)
    yield from distribution_notes(location, directory, place.descriptor)


def unfit(location: Location, directory: str, found: DistributionMetadata) -> Diagnostic:
    """The diagnostic about a distribution that needs another Python."""
    return Diagnostic(
        DiagnosticLevel.ERROR,
        "requires-python",
        str(location.origin),
        f"{found.name} {found.version} {found.obstacle}; its plugins are left out",
        directory,
        hint="install a release for this Python, or run the worker on one that fits",
    )


def _duplicate(location: Location, better: _Distribution, worse: _Distribution) -> Diagnostic:
    return Diagnostic(
        DiagnosticLevel.WARNING,
        "dist-duplicate",
        str(location.origin),
        f"ignored, because {better.directory} is of the same project",
        worse.directory,
        hint=f"remove {worse.directory}, which an upgrade has left behind",
    )


def _finding(location: Location, directory: str, problem: ManifestProblem) -> Diagnostic:
    return Diagnostic(
        DiagnosticLevel.NOTE if problem.note else DiagnosticLevel.WARNING,
        problem.code,
        str(location.origin),
        problem.message,
        f"{directory}/{_MANIFEST}",
        problem.line,
        _HINTS.get(problem.code, ""),
    )


def _unreadable(location: Location, file: str, error: OSError) -> Diagnostic:
    if isinstance(error, TooLargeError):
        code = "ep-too-large"
    elif isinstance(error, NotRegularError) or error.errno in {errno.ELOOP, errno.ENXIO}:
        code = "ep-not-regular"
    else:
        code = "ep-unreadable"
    name = file.rpartition("/")[2] or location.path.name
    message = f"cannot read {name}: {error.strerror}"
    hint = "install the package again" if file else "let the worker's user read it"
    return Diagnostic(DiagnosticLevel.ERROR, code, str(location.origin), message, file, hint=hint)
