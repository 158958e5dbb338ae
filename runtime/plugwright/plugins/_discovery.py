"""Discovery in the modes of KIP-898, and what each says of plugins without manifests."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from plugwright.errors import DiscoveryError
from plugwright.plugins._diagnostic import Diagnostic, Level, printable
from plugwright.plugins._location import LocationKind, find_locations
from plugwright.plugins._location_scan import scan_location
from plugwright.plugins._mode import DiscoveryMode
from plugwright.plugins._scan import SCANNED_TYPES
from plugwright.plugins._service_load import service_load
from plugwright.plugins._versions import version_rank

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from plugwright.plugins._confirming import ConfirmLimits
    from plugwright.plugins._descriptor import PluginDescriptor
    from plugwright.plugins._location import Location

__all__ = ["USABLE_KINDS", "Discovered", "discover"]

_LOGGER = logging.getLogger("plugwright.plugins")
_PATH = "plugin.path"

USABLE_KINDS = frozenset(LocationKind) - {LocationKind.EMPTY, LocationKind.UNREADABLE}
"""Locations that there is something to import from."""


@dataclass(slots=True)
class Discovered:
    """Locations, their plugins, and what is wrong with them."""

    locations: Sequence[Location] = ()
    plugins: list[PluginDescriptor] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    lacking: list[PluginDescriptor] = field(default_factory=list)
    stale: list[PluginDescriptor] = field(default_factory=list)


def discover(
    plugin_path: Iterable[str | Path],
    mode: DiscoveryMode,
    *,
    fail_fast: bool = False,
    limits: ConfirmLimits | None = None,
) -> Discovered:
    """Discover the plugins of a plugin path; see `Plugins.discover`."""
    result = Discovered()
    result.locations, findings = find_locations(plugin_path, fail_fast=fail_fast)
    result.diagnostics += findings
    for location in result.locations:
        if location.kind in USABLE_KINDS:
            _look_into(location, mode, limits, result)
    if mode.is_hybrid:
        _report(mode, result)
    result.diagnostics += _duplicates(result.plugins)
    return result


def _look_into(
    location: Location, mode: DiscoveryMode, limits: ConfirmLimits | None, result: Discovered
) -> None:
    _LOGGER.info("Loading plugin from: %s", printable(str(location.origin)))
    declared, findings = service_load(location)
    result.diagnostics += findings
    if not mode.scans:
        result.plugins += declared
        return
    scanned = scan_location(location, declared if mode.is_hybrid else [], limits)
    result.diagnostics += scanned.diagnostics
    if mode.is_hybrid:
        result.plugins += [*declared, *scanned.lacking]
        result.lacking += scanned.lacking
        result.stale += scanned.stale
    else:
        result.plugins += [p for p in declared if p.type not in SCANNED_TYPES]
        result.plugins += scanned.plugins


def _report(mode: DiscoveryMode, result: Discovered) -> None:
    """Say which plugins `service_load` would not see (Kafka's report of the hybrid modes).

    Raises:
        DiscoveryError: in mode ``hybrid_fail``, if there are any.
    """
    result.diagnostics += [_stale(plugin) for plugin in result.stale]
    if not (result.lacking or result.stale):
        message = (
            "All plugins have ServiceLoader manifests, "
            "consider reconfiguring plugin.discovery=service_load"
        )
        # Kafka warns; a warning that nothing is wrong would teach people to ignore warnings.
        _LOGGER.info(message)
        result.diagnostics.append(Diagnostic(Level.NOTE, "manifests-complete", _PATH, message))
        return
    if mode is DiscoveryMode.HYBRID_FAIL:
        raise _refusal(result)
    if result.lacking:
        message = _missing_manifests(result.lacking)
        end = "To silence this warning, set plugin.discovery=only_scan in the worker config."
        _LOGGER.warning("%s %s", message, end)
        result.diagnostics.append(
            Diagnostic(Level.WARNING, "manifest-missing", _PATH, message, hint=end)
        )


def _row(plugin: PluginDescriptor) -> str:
    place = plugin.location.origin if plugin.location else "built in"
    cells = (str(place), plugin.class_name, plugin.type.name, plugin.version)
    return "\t".join(printable(cell) for cell in cells)


def _missing_manifests(plugins: Sequence[PluginDescriptor]) -> str:
    rows = "\n".join(sorted(_row(plugin) for plugin in plugins))
    return (
        "One or more plugins are missing ServiceLoader manifests may not be usable with "
        f"plugin.discovery=service_load: [\n{rows}\n]\n"
        "Declare each as an entry point in the group of its base class, which service_load "
        "mode reads without running any plugin."
    )


def _stale_text(plugin: PluginDescriptor) -> str:
    return (
        f"the manifest of {printable(plugin.distribution)} declares "
        f"{printable(plugin.class_name)} as {plugin.type.name}, which is not there or is none"
    )


def _stale(plugin: PluginDescriptor) -> Diagnostic:
    return Diagnostic(
        Level.WARNING,
        "target-missing",
        str(plugin.location.origin if plugin.location else ""),
        _stale_text(plugin),
        hint="correct the entry point, or mend the class",
    )


def _refusal(result: Discovered) -> DiscoveryError:
    parts = [_missing_manifests(result.lacking)] if result.lacking else []
    parts += [_stale_text(plugin) for plugin in result.stale]
    text = "\n".join(parts)
    return DiscoveryError(
        f"{text} To silence this error, set plugin.discovery=hybrid_warn in the worker config.",
        code="discovery.missing-manifest" if result.lacking else "discovery.stale-manifest",
        hint="declare the plugins in their packages' entry points, then install those again",
        facts={
            "missing": [_row(plugin) for plugin in result.lacking],
            "stale": [_row(plugin) for plugin in result.stale],
        },
    )


def _duplicates(plugins: Sequence[PluginDescriptor]) -> list[Diagnostic]:
    """One warning for each class that several locations have, naming the copy in use."""
    groups: dict[tuple[str, str], list[PluginDescriptor]] = {}
    for plugin in plugins:
        groups.setdefault((plugin.type.name, plugin.class_name), []).append(plugin)
    found = []
    for (kind, name), copies in groups.items():
        places = {str(p.location.origin) for p in copies if p.location}
        if len(places) > 1:
            used = max(copies, key=lambda p: version_rank(p.version))
            where = str(used.location.origin if used.location else "")
            others = ", ".join(sorted(places - {where}))
            message = f"{kind} {name} {used.version} is used from here and not from {others}"
            hint = "remove the copies that are not meant"
            found.append(
                Diagnostic(Level.WARNING, "duplicate-plugin", where, printable(message), hint=hint)
            )
    return found
