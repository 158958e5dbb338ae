"""Decides whether a directory on a plugin path is one location or contains several."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from plugwright.plugins._diagnostic import Diagnostic, DiagnosticLevel
from plugwright.plugins._evidence import (
    distributions_in,
    environment_packages,
    foreign_environment,
    holds_plugins,
    is_location_itself,
    is_package,
    may_be_environment,
    owned_names,
)
from plugwright.plugins._location import (
    is_archive,
    is_set_aside,
    names_archive,
    names_metadata,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

Expanded = tuple["Sequence[Path]", "Sequence[str] | None"]
"""The locations, and the directory's entries if it is the only location itself."""

_SHOWN = 3
_HINTS = frozenset({"__init__.py", "pyvenv.cfg"})
_NO_LOCATION = (".data", ".dist-info", ".egg-info", ".libs", ".py", ".so")
_MOVE = "put each plugin into a directory of its own and name the parent directory"


def expand(element: Path, findings: list[Diagnostic]) -> Expanded:
    """The locations in a directory, or the directory itself if it is one.

    If both are possible, the contained ones win, and a finding reports what is ignored.

    Raises:
        OSError: if it cannot be listed.
    """
    # Names first: a directory filled by pip may have thousands of them.
    names = os.listdir(element)  # noqa: PTH208
    if not any(map(_is_hint, names)) and not _is_environment(element, names):
        return _plain(element, names)
    own = _Own(element, names)
    if own.is_filled:
        if inner := own.locations():
            findings.append(own.left_out(inner))
            return inner, None
        if own.distribution or own.is_package:
            findings.append(_not_a_container(element))
        return [element], names
    visible = _visible(element, names)
    if any(_is_evident(child) for child in visible):
        findings += own.strays()
        return visible, None
    if "__init__.py" in names:
        findings.append(_not_a_container(element))
    return [element], names


def _is_environment(element: Path, names: Sequence[str]) -> bool:
    if not may_be_environment(names):
        return False
    return bool(environment_packages(element) or foreign_environment(element))


def _is_hint(name: str) -> bool:
    return names_metadata(name) or name in _HINTS


def _plain(element: Path, names: Sequence[str]) -> Expanded:
    """For a directory without signs of a location: its children, unless they are packages."""
    visible = _visible(element, names)
    packages = [child for child in visible if is_package(child)]
    if len(packages) == len(visible):
        evident = [child for child in packages if is_location_itself(child)]
        return (visible, None) if evident else ([element], names)
    others = [child for child in visible if child not in packages]
    if packages and not any(map(_is_evident, others)) and any(map(holds_plugins, packages)):
        return [element], names
    return visible, None


class _Own:
    """The signs that a directory is a location itself."""

    def __init__(self, element: Path, names: Sequence[str]) -> None:
        self._element = element
        self._names = names
        self.distribution = next(distributions_in(element, names), "")
        self.is_package = "__init__.py" in names and any(
            holds_plugins(element / name) for name in names if name.endswith(".py")
        )
        self._is_environment = _is_environment(element, names)

    @property
    def _hints(self) -> Sequence[str]:
        return sorted(filter(_is_hint, self._names))

    @property
    def is_filled(self) -> bool:
        """Whether it is certainly a location, apart from other contents."""
        return bool(self.distribution) or self.is_package or self._is_environment

    def locations(self) -> Sequence[Path]:
        """Its entries that are locations in their own right, not parts of its distributions."""
        found, bare = [], []
        for name in self._names:
            # Hot path: there may be thousands, mostly metadata and packages.
            if name.endswith(_NO_LOCATION) or is_package(path := f"{self._element}/{name}"):
                continue
            child = Path(path)
            if not _may_be_location(child):
                continue
            if names_archive(name):
                found += [] if self._has_installed(name) else [child]
            elif is_location_itself(path):
                found.append(child)
            elif self.distribution or self._is_environment:
                bare.append(child)
        # Anything with plugins that no distribution installed is a location of its own.
        owned = self._owned() if bare else None
        if owned is not None:
            found += [c for c in bare if c.name not in owned and holds_plugins(c)]
        return sorted(found)

    def _owned(self) -> Collection[str] | None:
        return owned_names(self._element, distributions_in(self._element, self._hints))

    def _has_installed(self, archive: str) -> bool:
        """Whether an archive has the name of a distribution that was installed from it."""
        own = archive.partition("-")[0].lower()
        return any(name.partition("-")[0].lower() == own for name in self._hints)

    def left_out(self, inner: Sequence[Path]) -> Diagnostic:
        """The finding about distributions next to locations."""
        what = ", ".join(sorted(distributions_in(self._element, self._hints))[:_SHOWN])
        what = what or ("a package" if self.is_package else "an environment")
        return Diagnostic(
            DiagnosticLevel.WARNING,
            "location-mixed",
            str(self._element),
            f"holds {_named(inner)} beside {what}; only the former are looked into",
            hint=_MOVE,
        )

    def strays(self) -> list[Diagnostic]:
        """The findings about names that resemble parts of a location but contain nothing."""
        return [
            Diagnostic(
                DiagnosticLevel.WARNING,
                "location-stray",
                str(self._element),
                "belongs to no distribution, package or environment, so it is ignored",
                name,
                hint="remove it",
            )
            for name in self._hints
        ]


def _named(inner: Sequence[Path]) -> str:
    names = ", ".join(child.name for child in inner[:_SHOWN])
    more = f" and {len(inner) - _SHOWN} more" if len(inner) > _SHOWN else ""
    return f"the {'location' if len(inner) == 1 else 'locations'} {names}{more}"


def _not_a_container(element: Path) -> Diagnostic:
    return Diagnostic(
        DiagnosticLevel.WARNING,
        "location-not-container",
        str(element),
        "holds distributions or is a package itself; all its plugins share their dependencies",
        hint=_MOVE,
    )


def _is_evident(child: Path) -> bool:
    """Whether a child is evidently a location: by metadata, as an archive, or by plugins."""
    try:
        if child.is_file():
            return is_archive(child) or holds_plugins(child)
        return is_location_itself(child) or (not is_package(child) and holds_plugins(child))
    except OSError:
        return False


def _visible(element: Path, names: Sequence[str]) -> Sequence[Path]:
    usual = (name for name in sorted(names) if not names_metadata(name) and name != "__init__.py")
    return [child for name in usual if _may_be_location(child := element / name)]


def _may_be_location(child: Path) -> bool:
    name = child.name.lower()
    if name.startswith((".", "__pycache__")) or name.endswith(".data") or ".tmp-" in name:
        return False
    if is_set_aside(name):
        return False
    try:
        return child.is_dir() or child.is_symlink() or is_archive(child) or is_module(child)
    except OSError:  # reported when it is classified, so that its siblings remain usable
        return True


def is_module(path: Path) -> bool:
    """Whether it is a file that can be imported by its name."""
    return path.suffix == ".py" and path.stem.isidentifier() and path.is_file()
