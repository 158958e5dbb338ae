"""Reads the metadata of a location's distribution from core metadata or pyproject.toml."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from email.parser import HeaderParser
from typing import TYPE_CHECKING, Any

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from plugwright.plugins import Location, PluginDescriptor

_API = "plugwright>=0.1,<1"


@dataclass(frozen=True, slots=True)
class LegacyMetadata:
    """The metadata that the new project takes over.

    Attributes:
        license: an SPDX expression, or an empty string.
        readme: its text, or an empty string.
    """

    name: str
    version: str
    description: str
    requires_python: str
    license: str
    dependencies: Sequence[str]
    readme: str
    licence_texts: Sequence[Path]


def read_metadata(location: Location, plugin: PluginDescriptor, name: str | None) -> LegacyMetadata:
    """The metadata of a plugin's distribution; missing values have defaults."""
    stated = {**_of_pyproject(location.path), **_of_core_metadata(location, plugin.distribution)}
    readme = location.path / "README.md"
    known = name or stated.get("name") or plugin.module.partition(".")[0]
    return LegacyMetadata(
        name=str(known),
        version=str(stated.get("version") or "0.1.0"),
        description=str(stated.get("description") or f"Plugins of {known}"),
        requires_python=str(stated.get("requires-python") or ">=3.11"),
        license=str(stated.get("license") or ""),
        dependencies=_with_api(stated.get("dependencies", [])),
        readme=readme.read_text("utf-8", errors="replace") if readme.is_file() else "",
        licence_texts=_licences(location),
    )


def _licences(location: Location) -> list[Path]:
    """The licence files in the location, or in the metadata as in a wheel."""
    homes = [location.path, *(d / "licenses" for d in location.metadata_directories())]
    found = ([p for p in sorted(home.glob("LICEN[CS]E*")) if p.is_file()] for home in homes)
    return next(filter(None, found), [])


def _of_core_metadata(location: Location, distribution: str) -> Mapping[str, Any]:
    for directory in location.metadata_directories():
        file = directory / "METADATA"
        if not file.is_file():
            continue
        message = HeaderParser().parsestr(file.read_text("utf-8", errors="replace"))
        if canonicalize_name(message["Name"] or "") == canonicalize_name(distribution):
            found = {
                "name": message["Name"],
                "version": message["Version"],
                "description": message["Summary"],
                "requires-python": message["Requires-Python"],
                "license": message["License-Expression"],
                "dependencies": list(filter(_always, message.get_all("Requires-Dist", []))),
            }
            return {key: value for key, value in found.items() if value}
    return {}


def _of_pyproject(directory: Path) -> Mapping[str, Any]:
    try:
        found = tomllib.loads((directory / "pyproject.toml").read_text("utf-8"))["project"]
    except (OSError, ValueError, LookupError):  # missing or invalid
        return {}
    plain = {key: value for key, value in found.items() if isinstance(value, str)}
    return {**plain, "dependencies": [d for d in found.get("dependencies", []) if _always(d)]}


def _always(requirement: str) -> bool:
    """Whether a requirement holds without any extra."""
    try:
        marker = Requirement(requirement).marker
    except InvalidRequirement:
        return False
    return marker is None or marker.evaluate({"extra": ""})


def _with_api(dependencies: Iterable[str]) -> list[str]:
    """The dependencies, with plugwright added if it is missing."""
    found = list(dependencies)
    if any(canonicalize_name(Requirement(each).name) == "plugwright" for each in found):
        return found
    return [_API, *found]
