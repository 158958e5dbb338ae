"""The links about copies and names: versions, copies, aliases, and discovery modes."""

from __future__ import annotations

import platform
from contextlib import suppress
from email import message_from_bytes
from typing import TYPE_CHECKING

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.utils import canonicalize_name

from plugwright.plugins import DiscoveryMode

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plugwright.plugins import PluginDescriptor
    from plugwright_toolkit.explaining._link import Explanation
    from plugwright_toolkit.explaining._target import Target

_METADATA_LIMIT = 1 << 16


def explain_version(explanation: Explanation, target: Target) -> None:
    """Whether it is a requested version, and suits this Python."""
    if target.refusal is not None and target.refusal.code == "plugin.no-such-version":
        explanation.broken("version", str(target.refusal), target.refusal.hint, fatal=True)
        return
    plugin = target.row.plugin if target.row else None
    version = plugin.version if plugin else "undefined"
    if obstacle := _obstacle(target, plugin.distribution if plugin else ""):
        hint = "install a release for this Python, or run the worker on one that fits"
        explanation.broken("version", f"{version} {obstacle}", hint, fatal=True)
    else:
        explanation.ok("version", version)


def _obstacle(target: Target, distribution: str) -> str:
    """Why this Python cannot run the distribution, declared or not; empty if it can."""
    if target.declaration is not None:
        return target.declaration.obstacle
    running = platform.python_version()
    for directory in target.location.metadata_directories():
        # An invalid requirement is ignored.
        with suppress(OSError, InvalidSpecifier):
            with (directory / "METADATA").open("rb") as file:
                header = message_from_bytes(file.read(_METADATA_LIMIT))
            wanted = SpecifierSet(str(header["Requires-Python"] or ""))
            same = canonicalize_name(str(header["Name"])) == canonicalize_name(distribution)
            if same and not wanted.contains(running, prereleases=True):
                return f"requires Python {wanted}, and this is {running}"
    return ""


def explain_copies(explanation: Explanation, target: Target) -> None:
    """Whether this copy is the one that a worker uses."""
    host = next((d for d in target.findings if _is_shadow(d.code, d.message, target)), None)
    copies = ", ".join(sorted(f"{each.version} in {_place(each)}" for each in target.copies))
    if host is not None:
        hint = "remove it from the worker's own environment, or from the location"
        explanation.broken("copies", host.message, hint, fatal=target.row is None)
    elif target.used is not None and target.used.location is None:
        explanation.broken("copies", "the runtime's own copy is used", "rename the class")
    else:
        explanation.ok("copies", f"used before {copies}" if copies else "there is no other")


def _is_shadow(code: str, message: str, target: Target) -> bool:
    return code == "host-copy" and message.startswith(f"{target.module} is shadowed")


def _place(plugin: PluginDescriptor) -> str:
    return str(plugin.location.origin) if plugin.location else "the runtime"


def explain_alias(explanation: Explanation, target: Target) -> None:
    """Whether the name refers only to this class."""
    if target.refusal is not None and target.refusal.code == "plugin.ambiguous":
        hint = f"use the full class name: {target.class_name}"
        explanation.broken("alias", str(target.refusal), hint, fatal=True)
    else:
        explanation.ok("alias", f"{explanation.name} means {target.class_name} alone")


def explain_modes(explanation: Explanation, target: Target) -> None:
    """The modes in which a worker can use it."""
    explanation.modes = _modes(target)
    seen = ", ".join(mode.value for mode in explanation.modes)
    others = ", ".join(mode.value for mode in DiscoveryMode if mode not in explanation.modes)
    if not others:
        explanation.ok("modes", "all")
        return
    found = f"usable in {seen or 'none'}; not in {others}"
    if explanation.mode in explanation.modes:
        explanation.ok("modes", found)
    else:
        hint = explanation.action or f"set plugin.discovery={DiscoveryMode.HYBRID_WARN.value}"
        explanation.broken("modes", f"{found}, and the worker uses {explanation.mode.value}", hint)


def _modes(target: Target) -> Sequence[DiscoveryMode]:
    """Modes that rely on manifests need one (KIP-898)."""
    row = target.row
    if row is None or row.loadable is not True:
        return ()
    if row.manifest is not None:
        return tuple(DiscoveryMode)
    return tuple(mode for mode in DiscoveryMode if not mode.requires_manifests)
