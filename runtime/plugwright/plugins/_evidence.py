"""Decides from its contents whether a directory is a plugin location."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from plugwright.plugins._location import names_archive, names_metadata
from plugwright.plugins._metadata import read_header
from plugwright.plugins.reading import read_regular

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

_LIMIT = 1 << 16
_SOURCE_LIMIT = 4 << 20
_RECORD_LIMIT = 64 << 20
_MARK = b"plugwright"
_MANIFEST = "entry_points.txt"


def distributions_in(directory: str | Path, names: Iterable[str]) -> Iterator[str]:
    """The names in a directory under which the metadata of a distribution can be read.

    Args:
        directory: the directory.
        names: its entries.
    """
    return (n for n in names if names_metadata(n) and _is_distribution(f"{directory}/{n}"))


def _is_distribution(path: str) -> bool:
    """Whether there is metadata with a name, or else a manifest."""
    if any(line.lower().startswith("name:") for line in read_header(path)):
        return True
    try:
        return bool(read_regular(f"{path}/{_MANIFEST}", 1))
    except NotADirectoryError:
        return _is_egg_info_file(path)
    except OSError:
        return False


def _is_egg_info_file(path: str) -> bool:
    """Whether a file, as old installers wrote it, describes a distribution."""
    try:
        lines = read_regular(path, _LIMIT).splitlines()
    except OSError:
        return False
    return any(line.lower().startswith(b"name:") for line in lines)


def environment_packages(path: Path) -> Path | None:
    """The packages for this Python, if a directory is an environment with such packages.

    Either a file says that it is a virtual environment, or distributions lie where an environment
    has them, as in those of conda and below an installation prefix.
    """
    packages = path / "lib" / _THIS / "site-packages"
    if sys.platform == "win32":
        packages = path / "Lib" / "site-packages"
    return packages if packages.is_dir() and _is_environment(path, packages) else None


_THIS = f"python{sys.version_info.major}.{sys.version_info.minor}"
_ENVIRONMENT = "pyvenv.cfg"
_LIBRARIES = "lib"


def foreign_environment(path: Path) -> str:
    """The Python of an environment without packages for this one; empty if not such."""
    found = sorted(path.glob("lib/python*/site-packages"))
    others = [each.parent.name for each in found if _is_environment(path, each)]
    return others[0] if others and _THIS not in others else ""


def may_be_environment(names: Collection[str]) -> bool:
    """Whether a directory with these entries is worth examining. Hot path."""
    return _ENVIRONMENT in names or _LIBRARIES in names


def _is_environment(path: Path, packages: Path) -> bool:
    if (path / _ENVIRONMENT).is_file():
        return True
    try:
        names, installed = os.listdir(path), os.listdir(packages)  # noqa: PTH208  # as below
    except OSError:
        return False
    if any(names_metadata(n) or n.endswith(".py") or is_package(path / n) for n in names):
        return False
    return any(True for _ in distributions_in(packages, installed))


def is_location_itself(path: str | Path) -> bool:
    """Whether a directory's top level identifies it as a location: by distributions or archives.

    A directory with only modules may as well be a package of its parent.
    """
    try:
        names = [name for name in os.listdir(path) if name[0] != "."]  # noqa: PTH208  # many
    except OSError:
        return False
    if any(True for _ in distributions_in(path, names)):
        return True
    if may_be_environment(names) and environment_packages(Path(path)) is not None:
        return True
    archives = [name for name in names if names_archive(name)]
    return bool(archives) and len(archives) == len(names)


def stands_alone(path: str | Path) -> bool:
    """Whether a directory is a location and not a package of its parent."""
    return not is_package(path) and is_location_itself(path)


def is_package(path: str | Path) -> bool:
    """Whether a directory is a regular package, judged by names."""
    return os.path.lexists(f"{path}/__init__.py")


def holds_plugins(path: Path) -> bool:
    """Whether a module, package or directory of modules mentions the runtime, as plugins do."""
    from plugwright.plugins._sources import modules_below  # noqa: PLC0415  # if in doubt only

    if path.is_file():
        return _mentions(path)
    files = (path / "__init__.py", *(source.path for source in modules_below(path)))
    return any(map(_mentions, files))


def _mentions(file: Path) -> bool:
    try:
        return _MARK in read_regular(file, _SOURCE_LIMIT)
    except OSError:
        return False


def owned_names(directory: Path, distributions: Iterable[str]) -> Collection[str] | None:
    """The directories that distributions installed; ``None`` if one does not list them."""
    from plugwright.plugins._record import record_rows  # noqa: PLC0415  # if in doubt only

    owned: set[str] = set()
    for name in distributions:
        try:
            record = read_regular(directory / name / "RECORD", _RECORD_LIMIT)
        except OSError:
            return None
        owned.update(row.path.partition("/")[0] for row in record_rows(record))
    return owned
