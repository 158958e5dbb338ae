"""Chooses among the copies of a plugin, and explains why none is found."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from plugwright.errors import NotFoundError
from plugwright.plugins._diagnostic import printable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plugwright.plugins._descriptor import PluginDescriptor
    from plugwright.plugins._location import Location
    from plugwright.plugins._plugins import Plugins
    from plugwright.plugins._requirement import VersionRequirement
    from plugwright.plugins._types import PluginType


def choose(
    plugins: Sequence[PluginDescriptor],
    wanted: VersionRequirement,
    prefer: Location | None,
) -> PluginDescriptor:
    """Choose the copy of a class; see `Plugins.find`.

    Of equal versions the runtime's copy wins, as in Kafka's ``PluginDescTest``, then the first.

    Raises:
        NotFoundError: if no copy has a matching version, listing those that exist.
    """
    if len(plugins) == 1 and not wanted.asks:
        return plugins[0]
    fitting = [p for p in plugins if wanted.allows(p.version)]
    if not fitting:
        raise _no_such_version(plugins, wanted)
    if not wanted.asks and prefer is not None:
        fitting = [p for p in fitting if p.location == prefer] or fitting
    return max(fitting, key=lambda p: (wanted.rank(p.version), p.location is None))


def nothing_found(name: str, kinds: Sequence[PluginType], plugins: Plugins) -> NotFoundError:
    """The error for a name without a usable plugin: the likeliest reason, and a remedy."""
    kind = " or ".join(k.name for k in kinds)
    for plugin in plugins.descriptors:
        if plugin.obstacle and plugin.type in kinds and plugin.answers_to(name):
            return _unusable(name, kind, plugin)
    from difflib import get_close_matches  # noqa: PLC0415  # for this error only

    candidates = [p for p in (*plugins.descriptors, *plugins.builtin) if p.type in kinds]
    known = sorted({alias for p in candidates for alias in (p.class_name, *p.aliases)})
    near = get_close_matches(name, known, n=3)
    places = ", ".join(str(location.path) for location in plugins.locations) or "no location"
    hint = _misspelt_group(name, plugins) or (
        f"near: {', '.join(near)}" if near else "list what there is: plugwright plugins"
    )
    return NotFoundError(
        f"no {kind} plugin is called {name}; looked in {places}",
        code="plugin.not-found",
        hint=hint,
        facts={"name": name, "near": near},
    )


def _unusable(name: str, kind: str, plugin: PluginDescriptor) -> NotFoundError:
    return NotFoundError(
        f"no {kind} plugin called {name} can be used: {plugin.class_name} {plugin.version} in "
        f"{place_of(plugin)} {plugin.obstacle}",
        code="plugin.requires-python",
        hint="install a release for this Python, or run the worker on one that fits",
        facts={"name": name, "version": plugin.version, "location": place_of(plugin)},
    )


def _misspelt_group(name: str, plugins: Plugins) -> str:
    """The diagnostic about an unknown group that contains this name, if there is one."""
    named = re.compile(rf"[:.]\s*{re.escape(name.rpartition('.')[2])}\w*(?=[,\s])")
    for finding in plugins.diagnostics:
        if finding.code == "ep-unknown-group" and named.search(finding.message):
            return str(finding)
    return ""


def _no_such_version(
    plugins: Sequence[PluginDescriptor], wanted: VersionRequirement
) -> NotFoundError:
    """The error of Kafka's ``VersionedPluginLoadingException``, with each copy's location."""
    name = plugins[0].class_name
    there = sorted({(p.version, place_of(p)): None for p in plugins})
    available = ", ".join(f"{version} ({place})" for version, place in there)
    return NotFoundError(
        f"Plugin {name} not found that matches the version range {wanted}, "
        f"available versions: [{printable(available)}]",
        code="plugin.no-such-version",
        hint="request an available version, or install the required one",
        facts={
            "name": name,
            "requirement": str(wanted),
            "available": [version for version, _ in there],
        },
    )


def place_of(plugin: PluginDescriptor) -> str:
    """The location of a copy, for messages."""
    return str(plugin.location.origin) if plugin.location else "the runtime"
