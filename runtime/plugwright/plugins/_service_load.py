"""Discovery by manifests alone (mode ``service_load`` of KIP-898): no plugin code runs."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from plugwright.plugins._descriptor import PluginDescriptor
from plugwright.plugins._diagnostic import Diagnostic, Level
from plugwright.plugins._manifest import read_manifest
from plugwright.plugins._types import PLUGIN_TYPES

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from plugwright.plugins._location import Location

__all__ = ["service_load"]

_MANIFEST_LIMIT = 1 << 20
_METADATA_LIMIT = 64 * 1024
_TYPES = {kind.group: kind for kind in PLUGIN_TYPES}


def service_load(location: Location) -> tuple[list[PluginDescriptor], list[Diagnostic]]:
    """The plugins that the manifests of a location declare, and what is wrong with them."""
    plugins: list[PluginDescriptor] = []
    findings: list[Diagnostic] = []
    try:
        directories = location.metadata_directories()
    except OSError as error:
        return [], [_unreadable(location, location.path, error)]
    for directory in directories:
        for item in _read_distribution(location, directory):
            (plugins if isinstance(item, PluginDescriptor) else findings).append(item)  # type: ignore[arg-type]  # sorted by kind
    return plugins, findings


def _read_distribution(
    location: Location, directory: Path
) -> Iterator[PluginDescriptor | Diagnostic]:
    manifest = directory / "entry_points.txt"
    try:
        data = _read(manifest, _MANIFEST_LIMIT)
        entries, problems = read_manifest(data, _TYPES)
        name, version = _identity(directory) if entries else ("", "")
    except FileNotFoundError:
        return
    except OSError as error:
        yield _unreadable(location, manifest, error)
        return
    for problem in problems:
        yield Diagnostic(
            Level.WARNING,
            problem.code,
            str(location.path),
            problem.message,
            f"{directory.name}/entry_points.txt",
            problem.line,
        )
    for e in entries:
        yield PluginDescriptor(
            _TYPES[e.group], e.module, e.qualname, e.name, name, version, location
        )


def _read(path: Path, limit: int) -> bytes:
    # Non-blocking, so that a named pipe in the place of a manifest cannot hang the scan.
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(descriptor, "rb") as file:
        data = file.read(limit + 1)
    if len(data) > limit:
        raise OSError(None, f"larger than {limit} bytes", str(path))
    return data


def _identity(directory: Path) -> tuple[str, str]:
    """Name and version from METADATA, or from the directory's name where that is missing."""
    found: dict[str, str] = {}
    for file in ("METADATA", "PKG-INFO"):
        try:
            head = (directory / file).open("rb").read(_METADATA_LIMIT)
        except OSError:
            continue
        for line in head.decode(errors="replace").split("\n\n", 1)[0].splitlines():
            key, _, value = line.partition(":")
            found.setdefault(key.lower(), value.strip())
    stem = directory.name.rpartition(".")[0]
    name, _, version = stem.partition("-")
    return found.get("name", name), found.get("version", version or "undefined")


def _unreadable(location: Location, path: Path, error: OSError) -> Diagnostic:
    return Diagnostic(
        Level.ERROR,
        "ep-unreadable",
        str(location.path),
        f"cannot read {path.name}: {error.strerror}",
        path.name,
    )
