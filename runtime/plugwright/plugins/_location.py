"""Plugin locations: the directories of a ``plugin.path`` that plugins are loaded from."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from plugwright.errors import DiscoveryError

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["Location", "locations_on"]

_METADATA_SUFFIXES = (".dist-info", ".egg-info")


@dataclass(frozen=True, slots=True)
class Location:
    """One directory whose plugins share their dependencies.

    Attributes:
        path: the directory, which is also what goes on the import path.
    """

    path: Path

    @property
    def name(self) -> str:
        """How people call it: the last part of the path."""
        return self.path.name

    def metadata_directories(self) -> list[Path]:
        """The distributions' metadata directories at the top level, sorted by name."""
        return sorted(p for p in self.path.iterdir() if _is_metadata(p))


def _is_metadata(path: Path) -> bool:
    return path.name.lower().endswith(_METADATA_SUFFIXES) and path.is_dir()


def locations_on(elements: Iterable[str | Path]) -> list[Location]:
    """The locations that the elements of a ``plugin.path`` stand for, in order.

    An element that holds metadata or a package itself is one location; otherwise each of its
    visible directories is one.

    Raises:
        DiscoveryError: if an element does not exist or is no directory.
    """
    found: dict[Path, Location] = {}
    for element in elements:
        if not str(element):
            raise DiscoveryError(
                "a plugin location is an empty string",
                code="discovery.no-such-location",
                hint="write . for the current directory",
                facts={"location": ""},
            )
        for location in _expand(Path(element)):
            found.setdefault(location.path.resolve(), location)
    return list(found.values())


def _expand(element: Path) -> list[Location]:
    if not element.is_dir():
        reason = "is not a directory" if element.exists() else "does not exist"
        raise DiscoveryError(
            f"plugin location {element} {reason}",
            code="discovery.no-such-location",
            hint="name a directory that holds a plugin, or one of such directories",
            facts={"location": str(element)},
        )
    children = sorted(element.iterdir())
    if any(_is_metadata(child) or child.name == "__init__.py" for child in children):
        return [Location(element)]
    containers = [
        Location(c) for c in children if c.is_dir() and not c.name.startswith((".", "__"))
    ]
    return containers if any(_holds_plugins(c) for c in containers) else [Location(element)]


def _holds_plugins(location: Location) -> bool:
    """Whether a child directory is a location rather than a package of its parent."""
    return not (location.path / "__init__.py").exists()
