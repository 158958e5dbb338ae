"""Lists the distributions and importable names of a location."""

from __future__ import annotations

import hashlib
import os
import re
import sys
from dataclasses import dataclass
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from typing import TYPE_CHECKING

from plugwright.plugins._location import names_metadata
from plugwright.plugins._metadata import read_metadata
from plugwright.plugins._sources import around, identity

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from plugwright.plugins._location import Location

_SEPARATORS = re.compile(r"[-_.]+")
_SUFFIXES = (".py", *EXTENSION_SUFFIXES)
_DEPTH_LIMIT = 8


@dataclass(frozen=True, slots=True)
class Contents:
    """The contents of one location, read without importing anything.

    Names of the standard library and of the runtime are omitted: every process takes those from
    the host, even if a location has copies.

    Attributes:
        distributions: versions by normalized name.
        modules: file or directory of every importable name; those in a namespace package are
            dotted.
    """

    distributions: Mapping[str, str]
    modules: Mapping[str, Path]


def contents(location: Location) -> Contents:
    """Read a location, omitting what cannot be read."""
    hidden = {*sys.stdlib_module_names, "plugwright"}
    modules = {
        name: path
        for name, path in _modules(location.path, "", around(location.path))
        if name.partition(".")[0] not in hidden
    }
    return Contents(dict(_distributions(location.path)), modules)


def _distributions(root: Path) -> Iterator[tuple[str, str]]:
    for entry in _entries(root):
        if names_metadata(entry.name) and entry.is_dir():
            found = read_metadata(entry.path)
            normalized = _SEPARATORS.sub("-", found.name).lower()
            if normalized != "plugwright":
                yield normalized, found.version


def _modules(
    directory: Path, prefix: str, seen: Collection[tuple[int, int]]
) -> Iterator[tuple[str, Path]]:
    if (own := identity(directory)) in seen:
        return
    seen = {*seen, own}
    for entry in _entries(directory):
        path = Path(entry.path)
        if entry.is_dir():
            if entry.name.isidentifier() and entry.name != "__pycache__":
                yield from _packages(path, f"{prefix}{entry.name}", seen)
        elif suffix := next((s for s in _SUFFIXES if entry.name.endswith(s)), None):
            stem = entry.name.removesuffix(suffix).partition(".")[0]
            if stem.isidentifier():
                yield f"{prefix}{stem}", path


def _packages(
    path: Path, name: str, seen: Collection[tuple[int, int]]
) -> Iterator[tuple[str, Path]]:
    """A package, or the members of a namespace package (PEP 420), which two locations may share."""
    if any((path / f"__init__{suffix}").is_file() for suffix in _SUFFIXES):
        yield name, path
    elif name.count(".") < _DEPTH_LIMIT:
        yield from _modules(path, f"{name}.", seen)


def _entries(directory: Path) -> list[os.DirEntry[str]]:
    try:
        return sorted(os.scandir(directory), key=lambda entry: entry.name)
    except OSError:
        return []


def same_files(one: Path, other: Path) -> bool:
    """Whether two modules or packages are identical, ignoring compiled files."""
    if one.resolve() == other.resolve():
        return True
    first, second = dict(_files(one)), dict(_files(other))
    if {name: size for name, (_, size) in first.items()} != {
        name: size for name, (_, size) in second.items()
    }:
        return False
    return all(_digest(path) == _digest(second[name][0]) for name, (path, _) in first.items())


def _files(root: Path) -> Iterator[tuple[str, tuple[Path, int]]]:
    if root.is_file():
        yield root.name, (root, root.stat().st_size)
        return
    for folder, directories, files in os.walk(root):
        directories[:] = [name for name in directories if name != "__pycache__"]
        for file in files:
            path = Path(folder, file)
            if path.is_file():
                yield path.relative_to(root).as_posix(), (path, path.stat().st_size)


def _digest(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").digest()
    except OSError:
        return os.urandom(16)  # equal to no other digest
