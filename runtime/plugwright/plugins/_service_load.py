"""Discovery by manifests alone (mode ``service_load`` of KIP-898): no plugin code runs."""

from __future__ import annotations

import errno
import os
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from plugwright.plugins._descriptor import PluginDescriptor
from plugwright.plugins._diagnostic import Diagnostic, Level
from plugwright.plugins._location_notes import distribution_notes, empty_note, top_level_notes
from plugwright.plugins._manifest import (
    ManifestEntry,
    ManifestProblem,
    examine_manifest,
    foreign_problems,
)
from plugwright.plugins._metadata import (
    Metadata,
    has_version,
    identity,
    read_metadata,
    record_agrees,
)
from plugwright.plugins._reading import NotRegularError, TooLargeError, read_regular
from plugwright.plugins._types import PLUGIN_TYPES
from plugwright.plugins._versions import UNDEFINED, parsed_version

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from packaging.version import Version

    from plugwright.plugins._location import Location

__all__ = ["identity", "service_load", "unfit"]

_MANIFEST = "entry_points.txt"
_MANIFEST_LIMIT = 1 << 20
_TYPES = {kind.group: kind for kind in PLUGIN_TYPES}
_SEPARATORS = re.compile(r"[-_.]+")
# Most manifests have nothing for us; UTF-16 begins with these bytes and hides what it has.
_OURS = re.compile(rb"plugwright\.|\A\xff\xfe|\A\xfe\xff", re.IGNORECASE)
_HINTS = {
    "ep-encoding": "save the file as UTF-8",
    "ep-syntax": "correct it in the project's settings, then build and install the package again",
    "ep-unknown-group": "rename the group, then build and install the package again",
    "ep-duplicate": "give each entry a name of its own",
}


@dataclass(frozen=True, slots=True)
class _Distribution:
    """One metadata directory whose manifest has lines for us."""

    directory: Path
    entries: Sequence[ManifestEntry]
    metadata: Metadata

    @property
    def rank(self) -> tuple[bool, bool | int, bool, Version | str]:
        """Orders several directories of one project, best last.

        Complete ones, those that the code belongs to, the newest.
        """
        agrees = record_agrees(self.directory)
        version = parsed_version(self.metadata.version)
        fits = 0 if agrees is None else (1 if agrees else -1)
        return self.metadata.complete, fits, version is not None, version or self.metadata.version


def service_load(location: Location) -> tuple[list[PluginDescriptor], list[Diagnostic]]:
    """The plugins that the manifests of a location declare, and what is wrong with them.

    Those of a distribution that needs another Python have an obstacle.
    """
    findings: list[Diagnostic] = []
    try:
        directories = location.metadata_directories()
        findings += top_level_notes(location)
    except OSError as error:
        return [], [_unreadable(location, location.path, error)]
    found: list[_Distribution] = []
    without: list[Path] = []
    for directory in directories:
        try:
            found += _read_distribution(location, directory, findings)
        except FileNotFoundError:
            without.append(directory)
    findings += _emptied(location, directories, without)
    plugins: list[PluginDescriptor] = []
    for kept in _one_of_each(location, found, findings):
        findings += _judged(location, kept)
        plugins += _descriptors(location, kept)
    return plugins, findings


def _descriptors(location: Location, kept: _Distribution) -> Iterator[PluginDescriptor]:
    name, version, obstacle = kept.metadata.name, kept.metadata.version, kept.metadata.obstacle
    for entry in kept.entries:
        yield PluginDescriptor(
            _TYPES[entry.group],
            entry.module,
            entry.qualname,
            entry.name,
            name,
            version,
            location,
            obstacle,
        )


def _read_distribution(
    location: Location, directory: Path, findings: list[Diagnostic]
) -> Sequence[_Distribution]:
    """The distribution of a metadata directory, if it has plugins. Hot path.

    Raises:
        FileNotFoundError: if it has no manifest.
    """
    try:
        data = read_regular(f"{directory}/{_MANIFEST}", _MANIFEST_LIMIT + 1)
        if len(data) > _MANIFEST_LIMIT:
            raise TooLargeError(None, f"larger than {_MANIFEST_LIMIT} bytes")  # as the system's
    except FileNotFoundError:
        raise
    except OSError as error:
        findings.append(_unreadable(location, directory / _MANIFEST, error))
        return ()
    entries: Sequence[ManifestEntry] = ()
    if _OURS.search(data):
        entries, problems = examine_manifest(data, _TYPES)
    else:
        problems = foreign_problems(data, _TYPES)
    findings += [_finding(location, directory, problem) for problem in problems]
    return (_Distribution(directory, entries, read_metadata(directory)),) if entries else ()


def _emptied(
    location: Location, directories: Sequence[Path], without: Sequence[Path]
) -> Iterator[Diagnostic]:
    """Notes on directories without metadata; what an upgrade left beside its successor is none."""
    emptied = [path for path in without if not _has_any(path)]
    if emptied:
        projects = [_project(path.name.partition("-")[0]) for path in directories]
        for path in emptied:
            if projects.count(_project(path.name.partition("-")[0])) == 1:
                yield empty_note(location, path)


def _has_any(directory: Path) -> bool:
    """Whether a directory has a file that tells of a distribution. Hot path: one look as a rule."""
    return any(os.path.lexists(f"{directory}/{name}") for name in ("METADATA", "PKG-INFO"))


def _one_of_each(
    location: Location, found: Iterable[_Distribution], findings: list[Diagnostic]
) -> list[_Distribution]:
    """One directory for each project; an upgrade in place may leave the old one behind."""
    kept: dict[str, _Distribution] = {}
    for candidate in found:
        key = _project(candidate.metadata.name)
        other = kept.setdefault(key, candidate)
        if other is not candidate:
            better, worse = sorted((other, candidate), key=lambda d: d.rank, reverse=True)
            kept[key] = better
            findings.append(_duplicate(location, better, worse))
    return list(kept.values())


def _project(name: str) -> str:
    return _SEPARATORS.sub("-", name).lower()


def _judged(location: Location, kept: _Distribution) -> Iterator[Diagnostic]:
    """What is to be said of a distribution whose plugins count."""
    where, directory, found = str(location.origin), kept.directory.name, kept.metadata
    if not found.complete:
        message = "has no METADATA; name and version are those of the directory"
        yield Diagnostic(Level.NOTE, "no-metadata", where, message, directory)
    if found.version != UNDEFINED and not has_version(found.version):
        message = f"version {found.version!r} is none of PEP 440, so every other one comes first"
        hint = "give the project a version such as 1.0"
        yield Diagnostic(Level.WARNING, "version-invalid", where, message, directory, hint=hint)
    if found.obstacle:
        yield unfit(location, directory, found)
    yield from distribution_notes(location, kept.directory)


def unfit(location: Location, directory: str, found: Metadata) -> Diagnostic:
    """What is to be said of a distribution that needs another Python."""
    return Diagnostic(
        Level.ERROR,
        "requires-python",
        str(location.origin),
        f"{found.name} {found.version} {found.obstacle}; its plugins are left out",
        directory,
        hint="install a release for this Python, or run the worker on one that fits",
    )


def _duplicate(location: Location, better: _Distribution, worse: _Distribution) -> Diagnostic:
    return Diagnostic(
        Level.WARNING,
        "dist-duplicate",
        str(location.origin),
        f"ignored, because {better.directory.name} is of the same project",
        worse.directory.name,
        hint=f"remove {worse.directory.name}, which an upgrade has left behind",
    )


def _finding(location: Location, directory: Path, problem: ManifestProblem) -> Diagnostic:
    return Diagnostic(
        Level.NOTE if problem.note else Level.WARNING,
        problem.code,
        str(location.origin),
        problem.message,
        f"{directory.name}/{_MANIFEST}",
        problem.line,
        _HINTS.get(problem.code, ""),
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
    hint = "install the package again" if file else "let the worker's user read it"
    return Diagnostic(Level.ERROR, code, str(location.origin), message, file, hint=hint)
