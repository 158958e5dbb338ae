"""Resolves the elements of a ``plugin.path`` to locations."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from plugwright.errors import DiscoveryError
from plugwright.plugins._classifying import classify
from plugwright.plugins._diagnostic import Diagnostic, DiagnosticLevel
from plugwright.plugins._expanding import Expanded, expand, is_module
from plugwright.plugins._location import is_archive, is_view_of_system

if TYPE_CHECKING:
    from collections.abc import Iterable

    from plugwright.plugins._location import FollowSymlinks, Location


def locations_on(elements: Iterable[str | Path]) -> list[Location]:
    """The locations of the elements of a ``plugin.path``, in order.

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
    """The locations of the elements of a ``plugin.path``, with diagnostics.

    An element that holds distributions or a package of plugins itself is one location, as is an
    archive; otherwise each of its visible directories, archives and modules is one. Contents
    decide, not names; if both are possible, the locations inside win, with a
    diagnostic. A location counts once, however it is reached.

    Args:
        elements: directories and archives.
        fail_fast: whether a missing element is an error, as in Kafka's tool, or is skipped with a
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
            if _leads_back(child, Path(element)):
                findings.append(_circular(child))
            elif follow_symlinks == "inside" and _leaves(child, Path(element)):
                findings.append(_outside(child))
            elif not (known := found.get(key := _identity(child))) or not known.is_usable:
                # Of several names for one wheel only one may be that of a wheel.
                found[key] = classify(child, findings, names)
    return list(found.values()), findings


def location_at(path: str | Path) -> tuple[Location, list[Diagnostic]]:
    """A path as one location, even if it could be a directory of locations.

    Args:
        path: a directory, of which one with nothing but archives is a directory of archives; an
            archive; or a module.

    Raises:
        DiscoveryError: if there is no such thing.
    """
    place = Path(path)
    _refuse_empty(path)
    try:
        if not (place.is_dir() or is_archive(place) or is_module(place)):
            reason = "is not a directory, archive or module" if place.exists() else "does not exist"
            raise _no_location(place, reason)
    except OSError as error:
        raise _no_location(place, f"cannot be read: {error.strerror}") from error
    findings: list[Diagnostic] = []
    return classify(place, findings), findings


def _leaves(child: Path, element: Path) -> bool:
    """Whether a link's target lies outside of the element that contains it."""
    # A link to itself has no target and stays inside; it is reported when it is read.
    return os.path.islink(child) and not _real(child).is_relative_to(_real(element))  # noqa: PTH114


def _leads_back(child: Path, element: Path) -> bool:
    """Whether a link leads to the element that contains it, or to one of its parents."""
    if child == element or not os.path.islink(child):  # noqa: PTH114
        return False
    return _real(element).is_relative_to(_real(child))


def _real(path: Path) -> Path:
    # Like `os.path.islink`, and unlike the methods of paths, it tolerates circular links.
    return Path(os.path.realpath(path))


def _circular(child: Path) -> Diagnostic:
    return Diagnostic(
        DiagnosticLevel.WARNING,
        "link-to-parent",
        str(child),
        "is a link to the directory that holds it, or to one around that, so it is ignored",
        hint="remove the link",
    )


def _outside(child: Path) -> Diagnostic:
    return Diagnostic(
        DiagnosticLevel.ERROR,
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
    return Diagnostic(
        DiagnosticLevel.ERROR, "location-missing", str(element), message, hint=error.hint
    )


def _identity(path: Path) -> tuple[int, int] | Path:
    """A key that is equal for all paths to one file; a dangling link is itself."""
    try:
        status = path.stat()
    except OSError:
        return path
    return status.st_dev, status.st_ino


def _expand(element: Path, findings: list[Diagnostic]) -> Expanded:
    """The locations of an element, and its entries if it is a location itself."""
    try:
        if is_archive(element) or is_view_of_system(element):
            return [element], None
        if not element.is_dir():
            raise _no_location(
                element, "is not a directory" if element.exists() else "does not exist"
            )
    except OSError as error:
        raise _no_location(element, f"cannot be read: {error.strerror}") from error
    try:
        return expand(element, findings)
    except OSError:
        return [element], None


def _no_location(element: Path, reason: str) -> DiscoveryError:
    return DiscoveryError(
        f"plugin location {element} {reason}",
        code="discovery.no-such-location",
        hint="name a directory that holds a plugin, one of such directories, or an archive",
        facts={"location": str(element)},
    )
