"""Checks the plugin path: manifests, and problems of locations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright.plugins import DiagnosticLevel, DiscoveryMode, Plugins
from plugwright_toolkit.checkup._finding import Condition, EnvironmentFinding

if TYPE_CHECKING:
    from collections.abc import Sequence

_NAME = "plugin path"
_CONDITIONS = {DiagnosticLevel.WARNING: Condition.WARN, DiagnosticLevel.ERROR: Condition.FAIL}


def plugin_path(elements: Sequence[str]) -> Sequence[EnvironmentFinding]:
    """The plugins that a worker with manifests alone would find; nothing is imported."""
    found = Plugins.discover(elements, DiscoveryMode.SERVICE_LOAD)
    problems = [
        EnvironmentFinding(
            _NAME, _CONDITIONS[each.level], str(each), each.hint or "correct that file"
        )
        for each in found.diagnostics
        if each.level is not DiagnosticLevel.NOTE
    ]
    if problems:
        return problems
    locations, plugins = len(found.locations), len(found.descriptors)
    text = f"locations: {locations}, plugins with manifests: {plugins}"
    return [EnvironmentFinding(_NAME, Condition.OK, text)]
