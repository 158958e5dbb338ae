"""The plugin path: what its manifests say, and what is wrong with its locations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright.plugins import DiscoveryMode, Level, Plugins
from plugwright_toolkit.checkup._finding import Condition, Finding

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["plugin_path"]

_NAME = "plugin path"
_CONDITIONS = {Level.WARNING: Condition.WARN, Level.ERROR: Condition.FAIL}


def plugin_path(elements: Sequence[str]) -> Sequence[Finding]:
    """What a worker that reads manifests alone would find; nothing is imported."""
    found = Plugins.discover(elements, DiscoveryMode.SERVICE_LOAD)
    problems = [
        Finding(_NAME, _CONDITIONS[each.level], str(each), each.hint or "correct that file")
        for each in found.diagnostics
        if each.level is not Level.NOTE
    ]
    if problems:
        return problems
    locations, plugins = len(found.locations), len(found.descriptors)
    text = f"locations: {locations}, plugins with manifests: {plugins}"
    return [Finding(_NAME, Condition.OK, text)]
