"""What the elements of a ``plugin.path`` stand for: one location each, or a directory of them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from plugwright.errors import DiscoveryError
from plugwright.plugins._classifying import classify
from plugwright.plugins._diagnostic import Diagnostic, Level
from plugwright.plugins._location import is_archive, names_metadata

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from plugwright.plugins._location import FollowSymlinks, Location

__all__ = ["find_locations", "location_at", "locations_on"]


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
    findings: list[Diagnostic] = []
    found: dict[tuple[int, int] | Path, Location] = {}
    for element in elements:
        _refuse_empty(element)
        try:
            children, names = _expand(Path(element), findings)
        except DiscoveryError as error:
            if fail_fast:
                raise
            findings.append(_ignored(element, error))
            continue
        for child in children:
            if follow_symlinks == "inside" and _leaves(child, Path(element)):
                findings.append(_outside(child))
            elif (key := _identity(child)) not in found:
                found[key] = classify(child, findings, names)
    return list(found.values()), findings


def location_at(path: str | Path) -> tuple[Location, list[Diagnostic]]:
    """A path as one location, even where it could be a directory of locations.

    Args:
        path: a directory, of which one with nothing but archives is a directory of archives; an
            archive; or a module.

    Raises:
        DiscoveryError: if there is no such thing.
    """
    place = Path(path)
    _refuse_empty(path)
    try:
        if not (place.is_dir() or is_archive(place) or _is_module(place)):
            reason = "is no directory, archive or module" if place.exists() else "does not exist"
            raise _no_location(place, reason)
    except OSError as error:
        raise _no_location(place, f"cannot be read: {error.strerror}") from error
    findings: list[Diagnostic] = []
    return classify(place, findings), findings


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


def _expand(
    element: Path, findings: list[Diagnostic]
) -> tuple[Sequence[Path], Sequence[str] | None]:
    """The locations of an element; and what it holds if it is a location itself."""
    try:
        if is_archive(element):
            return [element], None
        if not element.is_dir():
            raise _no_location(
                element, "is not a directory" if element.exists() else "does not exist"
            )
    except OSError as error:
        raise _no_location(element, f"cannot be read: {error.strerror}") from error
    try:
        return _children(element, findings)
    except OSError:
        return [element], None


def _no_location(element: Path, reason: str) -> DiscoveryError:
    return DiscoveryError(
        f"plugin location {element} {reason}",
        code="discovery.no-such-location",
        hint="name a directory that holds a plugin, one of such directories, or an archive",
        facts={"location": str(element)},
    )


def _children(
    element: Path, findings: list[Diagnostic]
) -> tuple[Sequence[Path], Sequence[str] | None]:
    """The locations that a directory holds, or the directory itself if it is one, and its names."""
    # Names first: a directory that pip filled may have thousands of them.
    names = os.listdir(element)  # noqa: PTH208
    if any(names_metadata(name) or name == "__init__.py" for name in names):
        findings.append(_not_a_container(element))
        return [element], names
    if (element / "pyvenv.cfg").is_file():
        return [element], names
    visible = [child for name in sorted(names) if _may_be_location(child := element / name)]
    if any(_stands_alone(child) for child in visible):
        return visible, None
    return [element], names


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
