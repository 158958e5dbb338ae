"""Plugin locations and the names of their parts."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_METADATA_SUFFIXES = (".dist-info", ".egg-info")
_METADATA_IN_EGG = "egg-info"
_SET_ASIDE = "~"
_VIEWS_OF_SYSTEM = ("/proc/", "/sys/")

FollowSymlinks: TypeAlias = Literal["any", "inside"]
"""Which links on a plugin path are followed: all, or those that stay in their directory."""


class LocationKind(Enum):
    """The structure of a location."""

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
_SUFFIX = 4  # characters of each of them


@dataclass(frozen=True, slots=True)
class Location:
    """One directory whose plugins share their dependencies.

    Attributes:
        path: the directory for the import path; for an archive, a private copy.
        kind: the structure of the location.
        artifact: the file or directory that the operator installed, if not `path` itself.
    """

    path: Path
    kind: LocationKind = field(default=LocationKind.TARGET_DIR, compare=False)
    artifact: Path | None = field(default=None, compare=False)

    @property
    def origin(self) -> Path:
        """The file or directory on the plugin path, as named in reports."""
        return self.artifact or self.path

    @property
    def name(self) -> str:
        """The last part of its path."""
        return self.origin.name

    @property
    def is_usable(self) -> bool:
        """Whether there is anything to import."""
        return self.kind not in {LocationKind.EMPTY, LocationKind.UNREADABLE}

    def metadata_directories(self) -> Sequence[Path]:
        """The distributions' metadata directories at the top level, sorted by name.

        Raises:
            OSError: if the location cannot be listed.
        """
        with os.scandir(self.path) as entries:
            names = [e.name for e in entries if names_metadata(e.name) and _is_directory(e)]
        return [self.path / name for name in sorted(names)]


def is_view_of_system(path: str | Path) -> bool:
    """Whether it is part of ``/proc`` or ``/sys``, which lead everywhere and contain no plugins."""
    try:
        return f"{os.path.realpath(path)}/".startswith(_VIEWS_OF_SYSTEM)
    except ValueError:  # an invalid path
        return False


def names_metadata(name: str) -> bool:
    """Whether a name is that of distribution metadata, in any case."""
    lowered = name.lower()
    if lowered.endswith(_METADATA_SUFFIXES):
        return lowered[0] != _SET_ASIDE
    return lowered == _METADATA_IN_EGG


def is_set_aside(name: str) -> bool:
    """Whether a name is that of metadata which pip set aside and, interrupted, did not remove."""
    return name[0] == _SET_ASIDE and name.lower().endswith(_METADATA_SUFFIXES)


def _is_directory(entry: os.DirEntry[str] | Path) -> bool:
    """Whether it is a directory; false if the system denies access."""
    try:
        return entry.is_dir()
    except OSError:
        return False


def is_archive(path: Path) -> bool:
    """Whether a file's name is that of an archive that may contain plugins."""
    return names_archive(path.name) and path.is_file()


def names_archive(name: str) -> bool:
    """Whether a name has the suffix of an archive, in any case. Hot path: many names."""
    return name[-_SUFFIX:].lower() in ARCHIVE_KINDS and len(name) > _SUFFIX
