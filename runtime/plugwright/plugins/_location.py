"""Plugin locations: what plugins lie in, and how its parts are named."""

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
_VIEWS_OF_SYSTEM = ("/proc/", "/sys/")

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
_SUFFIX = 4  # characters of each of them


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

    def metadata_directories(self) -> Sequence[Path]:
        """The distributions' metadata directories at the top level, sorted by name.

        Raises:
            OSError: if the location cannot be listed.
        """
        with os.scandir(self.path) as entries:
            names = [e.name for e in entries if names_metadata(e.name) and _is_directory(e)]
        return [self.path / name for name in sorted(names)]


def is_view_of_system(path: str | Path) -> bool:
    """Whether it is a part of ``/proc`` or ``/sys``, which lead everywhere and hold no plugin."""
    try:
        return f"{os.path.realpath(path)}/".startswith(_VIEWS_OF_SYSTEM)
    except ValueError:  # what can be no path
        return False


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
    """Whether a name ends like that of an archive, in any case. Hot path: many names."""
    return name[-_SUFFIX:].lower() in ARCHIVE_KINDS and len(name) > _SUFFIX
