"""Checks the chain for one name, from the plugin path to the discovery modes."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

from plugwright.errors import DiscoveryError, NotFoundError
from plugwright.plugins import (
    JAVA_NAMES,
    PLUGIN_TYPES,
    DiscoveryMode,
    Plugins,
    survey,
)
from plugwright_toolkit.explaining._chosen import (
    explain_alias,
    explain_copies,
    explain_modes,
    explain_version,
)
from plugwright_toolkit.explaining._declared import explain_entry_point, explain_metadata
from plugwright_toolkit.explaining._link import Explanation
from plugwright_toolkit.explaining._loaded import explain_code
from plugwright_toolkit.explaining._target import Target, find_target
from plugwright_toolkit.explaining._traces import traces_in

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plugwright.plugins import Diagnostic, Location, PluginDescriptor, PluginType
    from plugwright_toolkit.explaining._target import Target

_NEAR = 0.7


def explain(
    name: str,
    locations: Sequence[Location],
    findings: Sequence[Diagnostic] = (),
    mode: DiscoveryMode = DiscoveryMode.HYBRID_WARN,
    version: str | None = None,
) -> Explanation:
    """Explain why a worker finds or does not find the plugin that a name refers to.

    Modules of the locations that mention it are imported in separate processes.

    Args:
        name: a class name, a Java class name, an alias or the name of an entry point.
        locations: the locations to search.
        findings: diagnostics about the locations.
        mode: the worker's discovery mode.
        version: the version requirement (KIP-891); by default any.

    Raises:
        ConfigError: if the version requirement is invalid.
    """
    explanation = Explanation(name, mode)
    asked = JAVA_NAMES.get(name, name).replace(":", ".")
    usable = [each for each in locations if each.is_usable]
    traces = [each for each in (traces_in(location, asked) for location in usable) if each]
    builtin = _builtin(asked)
    if traces:
        surveys = survey([each.location for each in traces])
        _explain_target(explanation, find_target(asked, traces, surveys, version))
    elif builtin is not None:
        _explain_builtin(explanation, builtin)
    else:
        _explain_nothing(explanation, locations, findings, _nearest(asked, usable))
    return explanation


def _builtin(name: str) -> PluginDescriptor | None:
    """The built-in plugin that a name refers to."""
    try:
        return Plugins([], [], []).find(name, *PLUGIN_TYPES)
    except (DiscoveryError, NotFoundError):
        return None


def _explain_builtin(explanation: Explanation, plugin: PluginDescriptor) -> None:
    for link in ("plugin path", "location", "metadata", "entry point", "module", "import", "class"):
        explanation.ok(link, "it comes with the runtime")
    explanation.ok("version", plugin.version)
    explanation.ok("copies", "no location has another")
    explanation.ok("alias", f"{explanation.name} means {plugin.class_name}")
    explanation.plugin = plugin.class_name
    explanation.modes = tuple(DiscoveryMode)
    explanation.ok("modes", "all")
    explanation.advice = _usage(plugin.type, explanation.name)


def _usage(kind: PluginType | None, name: str) -> str:
    return f"use it: {kind.setting if kind else 'connector.class'}={name}"


def _nearest(name: str, locations: Sequence[Location]) -> str:
    """The plugin that a misspelt name may refer to, by a name of the same form."""
    rows = [row.plugin for each in survey(locations, imports=False) for row in each.plugins]
    rows += Plugins([], [], []).builtin
    names = {n for row in rows for n in (row.class_name, row.entry_name, *row.aliases)}
    return next(iter(get_close_matches(name, sorted(names), 1, _NEAR)), "")


def _explain_nothing(
    explanation: Explanation,
    locations: Sequence[Location],
    findings: Sequence[Diagnostic],
    near: str,
) -> None:
    """Explain a name that no location mentions: a misspelling, or a missing location."""
    missing = [each for each in findings if each.code == "location-missing"]
    unreadable = {str(each.origin) for each in locations if not each.is_usable}
    broken = [each for each in findings if each.location in unreadable]
    if near:
        explanation.ok("plugin path", _count(locations))
        explanation.ok("location", "each can be read" if not broken else "not all can be read")
        hint = f"is {near} meant? write that name"
        explanation.broken("metadata", f"no location mentions {explanation.name}", hint, fatal=True)
    elif missing:
        hint = f"correct the plugin path: {missing[0].location}"
        explanation.broken("plugin path", missing[0].message, hint, fatal=True)
    elif not locations:
        hint = "put the package's directory on the plugin path"
        explanation.broken("plugin path", "it holds no location", hint, fatal=True)
    elif broken:
        explanation.ok("plugin path", _count(locations))
        explanation.broken("location", f"{broken[0]}", broken[0].hint, fatal=True)
    else:
        explanation.ok("plugin path", _count(locations))
        explanation.ok("location", "each can be read")
        hint = "install its package into a location of the plugin path"
        explanation.broken("metadata", f"no location mentions {explanation.name}", hint, fatal=True)


def _count(locations: Sequence[Location]) -> str:
    return f"{len(locations)} location{'' if len(locations) == 1 else 's'}"


def _explain_target(explanation: Explanation, target: Target) -> None:
    explanation.plugin = target.class_name
    explanation.ok("plugin path", f"{target.location.origin} exists")
    explanation.ok("location", f"it is a {target.location.kind.value}")
    for step in (
        explain_metadata,
        explain_entry_point,
        explain_code,
        explain_version,
        explain_copies,
        explain_alias,
        explain_modes,
    ):
        step(explanation, target)
        if explanation.stopped:
            return
    explanation.advice = _usage(
        target.row.plugin.type if target.row else None, explanation.name.replace(":", ".")
    )
