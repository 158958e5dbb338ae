"""Finds the source files of modules in a location and in the host, without importing them."""

from __future__ import annotations

import os
import sys
import sysconfig
from dataclasses import dataclass
from fnmatch import fnmatchcase
from importlib.machinery import BYTECODE_SUFFIXES, EXTENSION_SUFFIXES
from pathlib import Path
from typing import TYPE_CHECKING

import plugwright
from plugwright.plugins._evidence import stands_alone
from plugwright.plugins._location import is_view_of_system

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


_COMPILED = (*EXTENSION_SUFFIXES, *BYTECODE_SUFFIXES)
_LIBRARIES = (".pyd", ".so")


@dataclass(frozen=True, slots=True)
class Source:
    """One module's file; one of compiled code counts if there is no other (PEP 3147)."""

    module: str
    path: Path
    is_package: bool = False
    compiled: bool = False


def host_roots() -> Sequence[Path]:
    """The directories of the runtime and of packages installed with it."""
    own = Path(plugwright.__file__).parent.parent
    return [own, *(Path(sysconfig.get_path(name)) for name in ("purelib", "platlib"))]


def modules_below(root: Path, exclude: Sequence[str] = ()) -> Iterator[Source]:
    """Every module of a location, sorted; packages without ``__init__`` count (PEP 420).

    Modules that Python would take from the standard library or the runtime are omitted, and
    those that match a pattern.
    """
    seen = around(root)
    hidden = {*sys.stdlib_module_names, "plugwright"}
    for source in _walk_all(root, seen):
        if source.module.partition(".")[0] not in hidden:
            file = source.path.relative_to(root).as_posix() if exclude else ""
            if not is_excluded(source.module, file, exclude):
                yield source


def is_excluded(module: str, file: str, patterns: Sequence[str]) -> bool:
    """Whether a pattern matches a module or a parent package, or a file or its directory."""
    if not patterns:
        return False
    names = [".".join(parts) for parts in _beginnings(module.split("."))]
    names += ["/".join(parts) for parts in _beginnings(file.split("/"))]
    return any(fnmatchcase(name, pattern) for pattern in patterns for name in names if name)


def _beginnings(parts: Sequence[str]) -> Iterator[Sequence[str]]:
    return (parts[:length] for length in range(1, len(parts) + 1))


def around(root: Path) -> set[tuple[int, int]]:
    """The identities of the parents of a location: a link to one leads to other locations."""
    return {identity(parent) for parent in Path(os.path.realpath(root)).parents}


def identity(directory: Path) -> tuple[int, int]:
    """A key that is equal for all paths to one directory."""
    try:
        status = directory.stat()
    except OSError:
        return -1, -1
    return status.st_dev, status.st_ino


def _walk_all(root: Path, seen: set[tuple[int, int]]) -> Iterator[Source]:
    """Links to directories come last, so that a package keeps its own name."""
    left = [(root, "")]
    while left:
        links: list[tuple[Path, str]] = []
        for directory, prefix in left:
            yield from _walk(directory, prefix, seen, links)
        left = links


def _walk(
    directory: Path, prefix: str, seen: set[tuple[int, int]], links: list[tuple[Path, str]]
) -> Iterator[Source]:
    try:
        entries = sorted(os.scandir(directory), key=lambda entry: entry.name)
    except OSError:
        return
    if (own := identity(directory)) in seen:
        return
    seen.add(own)
    for entry in entries:
        path = Path(entry.path)
        if _is_directory(entry):
            # A top-level directory with distributions is a location, not a package.
            if not prefix and stands_alone(path):
                continue
            if entry.is_symlink() and is_view_of_system(path):
                continue
            if not entry.name.isidentifier() or entry.name == "__pycache__":
                continue
            if entry.is_symlink():
                links.append((path, f"{prefix}{entry.name}."))
            else:
                yield from _walk(path, f"{prefix}{entry.name}.", seen, links)
        elif (source := _source(path, prefix)) is not None:
            yield source


def _is_directory(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False


def _source(path: Path, prefix: str) -> Source | None:
    stem, compiled = path.stem, False
    if path.suffix != ".py":
        suffix = next((s for s in _COMPILED if path.name.endswith(s)), None)
        if suffix is None or (suffix in BYTECODE_SUFFIXES and path.with_suffix(".py").exists()):
            return None
        stem, compiled = path.name.removesuffix(suffix), True
    if stem == "__init__":
        module = prefix.removesuffix(".")
        return Source(module, path, is_package=True, compiled=compiled) if module else None
    return Source(f"{prefix}{stem}", path, compiled=compiled) if stem.isidentifier() else None


def find_source(roots: Sequence[Path], module: str) -> Source | None:
    """The file of a module in the first root that has it."""
    for root in roots:
        path = root.joinpath(*module.split("."))
        if (file := path / "__init__.py").is_file():
            return Source(module, file, is_package=True)
        if (file := path.with_name(f"{path.name}.py")).is_file():
            return Source(module, file)
        for suffix in _COMPILED:
            if (file := path / f"__init__{suffix}").is_file():
                return Source(module, file, is_package=True, compiled=True)
            if (file := path.with_name(path.name + suffix)).is_file():
                return Source(module, file, compiled=True)
    return None


def names_module(text: str) -> bool:
    """Whether a text, which a plugin may have made up, is the dotted name of a module."""
    return all(part.isidentifier() for part in text.split("."))


def has_other_build(root: Path, module: str) -> bool:
    """Whether a module of a location is compiled, but for another Python or platform."""
    if not names_module(module):
        return False
    path = root.joinpath(*module.split("."))
    others = (*path.parent.glob(f"{path.name}.*"), *path.glob("__init__.*"))
    return any(each.suffix in _LIBRARIES for each in others)
