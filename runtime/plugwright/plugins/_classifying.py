"""Determines the kind of a location, and makes it importable."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from plugwright.errors import SetupError
from plugwright.plugins._diagnostic import Diagnostic, DiagnosticLevel
from plugwright.plugins._evidence import (
    distributions_in,
    environment_packages,
    foreign_environment,
    may_be_environment,
    stands_alone,
)
from plugwright.plugins._location import (
    ARCHIVE_KINDS,
    Location,
    LocationKind,
    is_archive,
    is_view_of_system,
    names_archive,
    names_metadata,
)
from plugwright.plugins._location_notes import sidecar_notes

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path


_MODULE_SUFFIXES = frozenset((".py", ".pyc", ".so"))
_PEX_PACKAGES = ".deps"


def classify(
    path: Path, findings: list[Diagnostic], names: Iterable[str] | None = None
) -> Location:
    """Determine the location of a file or directory; problems are added to the findings.

    Args:
        path: the file or directory.
        findings: receives the problems.
        names: the directory's entries, if already listed.
    """
    if is_view_of_system(path):
        findings.append(_error(path, "location-unreadable", "shows processes or devices, no files"))
        return Location(path, LocationKind.UNREADABLE)
    try:
        if names is None and is_archive(path):
            return _archive(path, findings)
        if names is None and path.is_file():
            return _module(path)
        return _directory(path, findings, os.listdir(path) if names is None else names)  # noqa: PTH208
    except (OSError, SetupError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        findings.append(_error(path, "location-unreadable", f"cannot be read: {reason}"))
    return Location(path, LocationKind.UNREADABLE)


def _module(path: Path) -> Location:
    from plugwright.plugins._unpacking import link_module  # noqa: PLC0415  # for modules only

    return Location(link_module(path), LocationKind.MODULE, path)


def _unpacked(path: Path, archives: Sequence[Path], findings: list[Diagnostic]) -> Path | None:
    """The directory with the contents of archives, or ``None`` if they must not be unpacked."""
    from plugwright.plugins._archive import ArchiveError  # noqa: PLC0415  # for archives only
    from plugwright.plugins._unpacking import unpack  # noqa: PLC0415

    for archive in archives:
        findings += sidecar_notes(archive)
    try:
        return unpack(archives)
    except ArchiveError as error:
        findings.append(_error(path, error.code, str(error)))
        return None


def _error(path: Path, code: str, message: str) -> Diagnostic:
    hint = "put a sound copy there, or take it off the plugin path"
    return Diagnostic(DiagnosticLevel.ERROR, code, str(path), message, hint=hint)


def _directory(path: Path, findings: list[Diagnostic], listed: Iterable[str]) -> Location:
    """Hot path: usually does not inspect the entries."""
    names = [name for name in listed if name[0] != "."]
    if may_be_environment(names) and (environment := _environment(path, findings)) is not None:
        return environment
    files = sorted(filter(names_archive, names))
    archives = [file for name in files if is_archive(file := path / name)]
    if not archives and any(map(names_metadata, names)):
        return Location(path, LocationKind.TARGET_DIR)
    metadata = any(True for _ in distributions_in(path, names))
    code = any(
        name.endswith(".py")
        or ((path / name).is_dir() and name != "__pycache__" and not names_metadata(name))
        for name in names
    )
    if archives and not metadata and not code:
        return _archives(path, archives, findings)
    if archives:
        findings.append(_archives_ignored(path, archives))
        return Location(path, LocationKind.TARGET_DIR)
    if code and any(stands_alone(path / name) for name in names):
        findings.append(_container(path))
    return Location(path, LocationKind.MODULE_DIR if code else LocationKind.EMPTY)


def _container(path: Path) -> Diagnostic:
    return Diagnostic(
        DiagnosticLevel.WARNING,
        "location-is-container",
        str(path),
        "holds locations, which are not looked into when it is taken as one location itself",
        hint=f"use --plugin-path {path}",
    )


def _archives_ignored(path: Path, archives: Sequence[Path]) -> Diagnostic:
    names = ", ".join(archive.name for archive in archives)
    return Diagnostic(
        DiagnosticLevel.WARNING,
        "archives-ignored",
        str(path),
        f"has code beside archives; ignored: {names}",
        hint="install the archives there, or give them a directory of their own",
    )


def _environment(path: Path, findings: list[Diagnostic]) -> Location | None:
    """An environment, of which only the packages for this Python are importable."""
    if (packages := environment_packages(path)) is not None:
        return Location(packages, LocationKind.VENV, path)
    if other := foreign_environment(path):
        expected = f"python{sys.version_info.major}.{sys.version_info.minor}"
        message = f"is an environment for {other}, without packages for {expected}"
        findings.append(_error(path, "requires-python", message))
        return Location(path, LocationKind.UNREADABLE)
    return None


def _archive(path: Path, findings: list[Diagnostic]) -> Location:
    if not _fits(path, path, findings):
        return Location(path, LocationKind.UNREADABLE)
    root = _unpacked(path, [path], findings)
    if root is None:
        return Location(path, LocationKind.UNREADABLE)
    if any(root.glob(f"{_PEX_PACKAGES}/*")):
        findings.append(_pex(path))
    # Shiv keeps its packages in a directory of that name, next to its own metadata.
    inner = root / "site-packages"
    if inner.is_dir() and (root / "environment.json").is_file():
        root = inner
    if not any(map(_is_importable, root.iterdir())):
        findings.append(_nothing_importable(path))
    return Location(root, ARCHIVE_KINDS[path.suffix.lower()], path)


def _is_importable(entry: Path) -> bool:
    """Whether an entry may be a package or a module; directories of versions are none."""
    name = entry.name.partition(".")[0]
    return name.isidentifier() and (entry.is_dir() or entry.suffix in _MODULE_SUFFIXES)


def _nothing_importable(path: Path) -> Diagnostic:
    return Diagnostic(
        DiagnosticLevel.WARNING,
        "archive-without-packages",
        str(path),
        "has no package or module at its top, so it cannot have plugins",
        hint="if it is a source archive, build a wheel of it; else put packages at its top",
    )


def _pex(path: Path) -> Diagnostic:
    return Diagnostic(
        DiagnosticLevel.WARNING,
        "archive-pex",
        str(path),
        "is a PEX application, whose distributions only its own start makes importable, so they "
        "are not looked into",
        hint="put the distributions that it was built from there",
    )


def _archives(path: Path, archives: Sequence[Path], findings: list[Diagnostic]) -> Location:
    """A directory of archives, which share an import path like installed packages."""
    usable = [archive for archive in archives if _fits(path, archive, findings)]
    projects: dict[str, Path] = {}
    for archive in usable:
        other = projects.setdefault(_project(archive), archive)
        if other is not archive:
            message = f"holds two versions of one project: {other.name} and {archive.name}"
            findings.append(_error(path, "dist-duplicate", message))
            return Location(path, LocationKind.UNREADABLE)
    if not usable:
        return Location(path, LocationKind.EMPTY)
    root = _unpacked(path, usable, findings)
    if root is None:
        return Location(path, LocationKind.UNREADABLE)
    return Location(root, LocationKind.WHEEL_DIR, path)


def _project(archive: Path) -> str:
    from packaging.utils import canonicalize_name  # noqa: PLC0415  # for archives only

    is_wheel = archive.suffix.lower() == ".whl"
    return canonicalize_name(archive.name.partition("-")[0]) if is_wheel else archive.name


def _fits(location: Path, archive: Path, findings: list[Diagnostic]) -> bool:
    """Whether this Python can use an archive; a wheel's name shows it."""
    if archive.suffix.lower() != ".whl":
        return True
    from packaging.tags import sys_tags  # noqa: PLC0415  # for wheels only
    from packaging.utils import InvalidWheelFilename, parse_wheel_filename  # noqa: PLC0415

    try:
        tags = parse_wheel_filename(f"{archive.stem}.whl")[3]
    except InvalidWheelFilename as error:
        findings.append(_error(location, "wheel-name", str(error)))
        return False
    if tags.isdisjoint(sys_tags()):
        message = f"{archive.name} is for another Python or platform"
        findings.append(_error(location, "tag-unsupported", message))
        return False
    return True
