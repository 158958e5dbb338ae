"""Plugin locations: what the elements of a ``plugin.path`` stand for."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

from plugwright.errors import DiscoveryError
from plugwright.plugins._diagnostic import Diagnostic, Level

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["FollowSymlinks", "Location", "LocationKind", "find_locations", "locations_on"]

_METADATA_SUFFIXES = (".dist-info", ".egg-info")
_METADATA_IN_EGG = "egg-info"

FollowSymlinks: TypeAlias = Literal["any", "inside"]
"""Which links on a plugin path are followed: all, or those that stay in their directory."""


class LocationKind(Enum):
    """What a location is made of."""

    TARGET_DIR = "directory of distributions"
    VENV = "virtual environment"
    WHEEL_DIR = "directory of archives"
    WHEEL = "wheel"
    ZIP = "zip archive"
    PYZ = "zip application"
    EGG = "egg"
    MODULE_DIR = "directory of modules"
    MODULE = "module"
    EMPTY = "empty"
    UNREADABLE = "unreadable"


ARCHIVE_KINDS = {
    ".whl": LocationKind.WHEEL,
    ".zip": LocationKind.ZIP,
    ".pyz": LocationKind.PYZ,
    ".egg": LocationKind.EGG,
}


@dataclass(frozen=True, slots=True)
class Location:
    """One directory whose plugins share their dependencies.

    Attributes:
        path: the directory that goes on the import path; of an archive, a private copy.
        kind: what the location is made of.
        artifact: what the operator put there, where that is not `path` itself.
    """

    path: Path
    kind: LocationKind = field(default=LocationKind.TARGET_DIR, compare=False)
    artifact: Path | None = field(default=None, compare=False)

    @property
    def origin(self) -> Path:
        """The file or directory on the plugin path, which is what reports name."""
        return self.artifact or self.path

    @property
    def name(self) -> str:
        """How people call it: the last part of its path."""
        return self.origin.name

    @property
    def is_usable(self) -> bool:
        """Whether there is something to import from."""
        return self.kind not in {LocationKind.EMPTY, LocationKind.UNREADABLE}

    def metadata_directories(self) -> list[Path]:
        """The distributions' metadata directories at the top level, sorted by name.

        Raises:
            OSError: if the location cannot be listed.
        """
        with os.scandir(self.path) as entries:
            names = [e.name for e in entries if names_metadata(e.name) and _is_directory(e)]
        return [self.path / name for name in sorted(names)]


def names_metadata(name: str) -> bool:
    """Whether a name is that of a distribution's metadata, in any case."""
    lowered = name.lower()
    return lowered.endswith(_METADATA_SUFFIXES) or lowered == _METADATA_IN_EGG


def _is_directory(entry: os.DirEntry[str] | Path) -> bool:
    """Whether it is a directory; something that the system refuses to tell is none."""
    try:
        return entry.is_dir()
    except OSError:
        return False


def is_archive(path: Path) -> bool:
    """Whether a file is named like an archive that may hold plugins."""
    return names_archive(path.name) and path.is_file()


def names_archive(name: str) -> bool:
    """Whether a name ends like that of an archive, in any case."""
    return os.path.splitext(name)[1].lower() in ARCHIVE_KINDS  # noqa: PTH122  # many names


def locations_on(elements: Iterable[str | Path]) -> list[Location]:
    """The locations that the elements of a ``plugin.path`` stand for, in order.

    Raises:
        DiscoveryError: if an element is empty, does not exist or cannot be a location.
    """
    return find_locations(elements, fail_fast=True)[0]


def find_locations(
    elements: Iterable[str | Path],
    *,
    fail_fast: bool = False,
    follow_symlinks: FollowSymlinks = "any",
) -> tuple[list[Location], list[Diagnostic]]:
    """The locations that the elements of a ``plugin.path`` stand for, and what is wrong with them.

    An element that holds metadata or a package itself is one location, as is an archive; otherwise
    each of its visible directories, archives and modules is one. A location counts once, however
    it is reached.

    Args:
        elements: directories and archives.
        fail_fast: whether a missing element is an error, as in Kafka's tool, or is left out with a
            diagnostic, as in Kafka's worker (``PluginUtils.pluginLocations``).
        follow_symlinks: the setting ``plugin.path.follow.symlinks``: links to ``any`` place count,
            as in Kafka, or only those that stay ``inside`` the element that holds them.

    Raises:
        DiscoveryError: if an element is an empty string, or is missing and ``fail_fast`` is set.
    """
    from plugwright.plugins._classifying import classify  # noqa: PLC0415  # it imports this module

    findings: list[Diagnostic] = []
    found: dict[tuple[int, int] | Path, Location] = {}
    for element in elements:
        _refuse_empty(element)
        try:
            children = _expand(Path(element), findings)
        except DiscoveryError as error:
            if fail_fast:
                raise
            findings.append(_ignored(element, error))
            continue
        for child in children:
            if follow_symlinks == "inside" and _leaves(child, Path(element)):
                findings.append(_outside(child))
            elif (key := _identity(child)) not in found:
                found[key] = classify(child, findings)
    return list(found.values()), findings


def _leaves(child: Path, element: Path) -> bool:
    """Whether a link, at its end, is somewhere else than in the element that holds it."""
    if not child.is_symlink():
        return False
    try:
        return not child.resolve().is_relative_to(element.resolve())
    except (OSError, RuntimeError):  # a link to itself, which is reported when it is read
        return False


def _outside(child: Path) -> Diagnostic:
    return Diagnostic(
        Level.ERROR,
        "link-outside",
        str(child),
        "is a link that leaves its directory of the plugin path, so it is ignored",
        hint="put the plugin itself there, or set plugin.path.follow.symlinks=any",
    )


def _refuse_empty(element: str | Path) -> None:
    if not str(element):
        raise DiscoveryError(
            "a plugin location is an empty string",
            code="discovery.no-such-location",
            hint="write . for the current directory",
            facts={"location": ""},
        )


def _ignored(element: str | Path, error: DiscoveryError) -> Diagnostic:
    message = f"could not get listing for plugin path, ignoring it: {error}"
    return Diagnostic(Level.ERROR, "location-missing", str(element), message, hint=error.hint)


def _identity(path: Path) -> tuple[int, int] | Path:
    """The same for every way to one file; a dangling link is itself."""
    try:
        status = path.stat()
    except OSError:
        return path
    return status.st_dev, status.st_ino


def _expand(element: Path, findings: list[Diagnostic]) -> list[Path]:
    try:
        if is_archive(element):
            return [element]
        if not element.is_dir():
            raise _no_location(
                element, "is not a directory" if element.exists() else "does not exist"
            )
    except OSError as error:
        raise _no_location(element, f"cannot be read: {error.strerror}") from error
    try:
        return _children(element, findings)
    except OSError:
        return [element]


def _no_location(element: Path, reason: str) -> DiscoveryError:
    return DiscoveryError(
        f"plugin location {element} {reason}",
        code="discovery.no-such-location",
        hint="name a directory that holds a plugin, one of such directories, or an archive",
        facts={"location": str(element)},
    )


def _children(element: Path, findings: list[Diagnostic]) -> list[Path]:
    """The locations that a directory holds, or the directory itself if it is one."""
    # Names first: a directory that pip filled may have thousands of them.
    names = sorted(os.listdir(element))  # noqa: PTH208
    if any(names_metadata(name) or name == "__init__.py" for name in names):
        findings.append(_not_a_container(element))
        return [element]
    if (element / "pyvenv.cfg").is_file():
        return [element]
    visible = [child for name in names if _may_be_location(child := element / name)]
    return visible if any(_stands_alone(child) for child in visible) else [element]


def _not_a_container(element: Path) -> Diagnostic:
    return Diagnostic(
        Level.WARNING,
        "location-not-container",
        str(element),
        "holds distributions or is a package itself; all its plugins share their dependencies",
        hint="put each plugin into a directory of its own and name the parent directory",
    )


def _may_be_location(child: Path) -> bool:
    name = child.name.lower()
    if name.startswith((".", "__pycache__")) or name.endswith(".data") or ".tmp-" in name:
        return False
    try:
        return child.is_dir() or child.is_symlink() or is_archive(child) or _is_module(child)
    except OSError:  # reported when it is looked into, which hides no neighbour
        return True


def _is_module(path: Path) -> bool:
    return path.suffix == ".py" and path.stem.isidentifier() and path.is_file()


def _stands_alone(child: Path) -> bool:
    """Whether a child is a location rather than a package of its parent."""
    return not os.path.lexists(child / "__init__.py")
