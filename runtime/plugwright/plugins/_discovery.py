"""Discovers plugins in the modes of KIP-898, and reports plugins without manifests."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from plugwright.errors import DiscoveryError
from plugwright.plugins._diagnostic import Diagnostic, DiagnosticLevel, printable
from plugwright.plugins._plugin_path import find_locations
from plugwright.plugins._remedy import is_refused, remedies
from plugwright.plugins._service_load import service_load
from plugwright.plugins._survey import look
from plugwright.plugins._surveyed import stale_entry
from plugwright.plugins.location_log import log_location

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from plugwright.plugins._descriptor import PluginDescriptor
    from plugwright.plugins._location import FollowSymlinks, Location
    from plugwright.plugins._mode import DiscoveryMode
    from plugwright.plugins._survey import Survey
    from plugwright.plugins._surveyed import SurveyedPlugin
    from plugwright.plugins.confirming import ConfirmLimits

_PATH = "plugin.path"


@dataclass(slots=True)
class Discovered:
    """Locations, their plugins and diagnostics."""

    locations: Sequence[Location] = ()
    plugins: list[PluginDescriptor] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    lacking: list[PluginDescriptor] = field(default_factory=list)
    stale: list[SurveyedPlugin] = field(default_factory=list)


def discover(
    plugin_path: Iterable[str | Path],
    mode: DiscoveryMode,
    *,
    fail_fast: bool = False,
    follow_symlinks: FollowSymlinks = "any",
    limits: ConfirmLimits | None = None,
) -> Discovered:
    """Discover the plugins of a plugin path; see `Plugins.discover`."""
    result = Discovered()
    result.locations, findings = find_locations(
        plugin_path, fail_fast=fail_fast, follow_symlinks=follow_symlinks
    )
    result.diagnostics += findings
    usable = [location for location in result.locations if location.is_usable]
    if mode.scans:
        for declared, found in look(usable, manifests=mode.is_hybrid, limits=limits):
            _add_survey(declared, found, mode, result)
    else:
        for location in usable:
            _add_manifests(location, result)
    if mode.is_hybrid:
        _report(mode, result)
    return result


def _add_manifests(location: Location, result: Discovered) -> None:
    started = time.monotonic()
    declared, findings = service_load(location)
    result.plugins += declared
    result.diagnostics += findings
    log_location(location, len(declared), time.monotonic() - started)


def _add_survey(
    declared: Sequence[PluginDescriptor], found: Survey, mode: DiscoveryMode, result: Discovered
) -> None:
    loadable = [row for row in found.plugins if row.loadable]
    # Kept in the registry, so that looking one up can report why it is unavailable.
    unfit = [row.plugin for row in found.plugins if row.plugin.obstacle and row.manifest is None]
    if mode.is_hybrid:
        refused = [row for row in found.plugins if is_refused(row)]
        lacking = [row.plugin for row in refused if row.manifest is None]
        result.plugins += [*declared, *lacking, *unfit]
        result.lacking += lacking
        result.stale += [row for row in refused if row.manifest is not None]
    else:
        result.plugins += [p for p in declared if not p.type.scanned]
        result.plugins += [*(row.plugin for row in loadable), *unfit]
    result.diagnostics += found.diagnostics


def _report(mode: DiscoveryMode, result: Discovered) -> None:
    """Report the plugins that `service_load` would miss, like Kafka's hybrid modes.

    Raises:
        DiscoveryError: in mode ``hybrid_fail``, if there are any.
    """
    result.diagnostics += [stale_entry(row) for row in result.stale]
    if not (result.lacking or result.stale):
        message = (
            "All plugins have ServiceLoader manifests, "
            "consider reconfiguring plugin.discovery=service_load"
        )
        # Kafka logs this as a warning; a warning without a problem would devalue warnings.
        result.diagnostics.append(
            Diagnostic(DiagnosticLevel.NOTE, "manifests-complete", _PATH, message)
        )
        return
    if mode.refuses:
        raise _refusal(result)
    if result.lacking:
        message = _missing_manifests(result.lacking)
        end = "To silence this warning, set plugin.discovery=only_scan in the worker config."
        result.diagnostics.append(
            Diagnostic(DiagnosticLevel.WARNING, "manifest-missing", _PATH, message, hint=end)
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


def _refusal(result: Discovered) -> DiscoveryError:
    parts = [_missing_manifests(result.lacking)] if result.lacking else []
    parts += [stale_entry(row).message for row in result.stale]
    text = "\n".join(parts)
    return DiscoveryError(
        f"{text} To silence this error, set plugin.discovery=hybrid_warn in the worker config.",
        code="discovery.missing-manifest" if result.lacking else "discovery.stale-manifest",
        hint=remedies(result.lacking, result.stale),
        facts={
            "missing": [_row(plugin) for plugin in result.lacking],
            "stale": [_row(row.manifest or row.plugin) for row in result.stale],
        },
    )
