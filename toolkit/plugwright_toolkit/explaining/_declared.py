"""The links about metadata: readable files, and an entry in the right group."""

from __future__ import annotations

import shlex
from difflib import get_close_matches
from typing import TYPE_CHECKING

from plugwright.plugins import CONFIG_PROVIDER, PLUGIN_TYPES

if TYPE_CHECKING:
    from plugwright.plugins import Diagnostic
    from plugwright_toolkit.explaining._link import Explanation
    from plugwright_toolkit.explaining._target import Target

_GROUPS = tuple(kind.group for kind in PLUGIN_TYPES)
_UNREAD = {"ep-unreadable", "ep-not-regular", "ep-too-large", "ep-encoding"}
_DROPPED = {"ep-syntax", "ep-encoding"}
_NEAR = 0.6


def explain_metadata(explanation: Explanation, target: Target) -> None:
    """Whether the location has distributions, and their manifests can be read."""
    unread = next((each for each in target.findings if each.code in _UNREAD), None)
    if unread is not None and target.declaration is None:
        hint = f"write {unread.file} anew in UTF-8: install the package again"
        explanation.broken("metadata", unread.message, hint)
        return
    names = [directory.name for directory in target.location.metadata_directories()]
    explanation.ok("metadata", ", ".join(names) or "none, so nothing can be declared")


def explain_entry_point(explanation: Explanation, target: Target) -> None:
    """Whether a manifest declares the class, in the group of its base class."""
    declared, mention = target.declaration, target.mention
    if declared is not None:
        value = f"{declared.entry_name} = {declared.module}:{declared.qualname}"
        explanation.ok("entry point", f"{value} in [{declared.type.group}]")
    elif _is_provider(target):
        entry = f"{target.qualname} = {target.module}:{target.qualname}"
        hint = f"declare it: {entry} in [{CONFIG_PROVIDER.group}], and install again"
        found = "no manifest declares it, and config providers are found by manifests alone"
        explanation.broken("entry point", found, hint, fatal=True)
    elif mention is not None and mention.entry.group not in _GROUPS:
        _unknown_group(explanation, target)
    elif mention is not None and target.row is not None:
        group = target.row.plugin.type.group
        place = f"line {mention.entry.line} of {mention.file}"
        found = f"{place} declares it in [{mention.entry.group}]; it is for [{group}]"
        explanation.broken("entry point", found, f"move the entry to [{group}], and install again")
    elif (dropped := _dropped_line(target)) is not None:
        place = f"line {dropped.line} of {dropped.file}"
        hint = f"write {place} as 'name = module:Class'"
        explanation.broken("entry point", f"{place} is ignored: {dropped.message}", hint)
    elif (near := _near_entry(target)) is not None:
        explanation.broken("entry point", *near)
    else:
        explanation.broken("entry point", "no manifest declares it", _declare(target))


def _is_provider(target: Target) -> bool:
    """Whether the text of a class that no scan finds says that it is a config provider."""
    bases = "".join(each.bases for each in target.traces.definitions)
    return target.row is None and CONFIG_PROVIDER.base in bases


def _unknown_group(explanation: Explanation, target: Target) -> None:
    mention = target.mention
    if mention is None:
        return
    group = mention.entry.group
    place = f"line {mention.entry.line} of {mention.file}"
    kind = target.row.plugin.type if target.row else None
    near = kind.group if kind else next(iter(get_close_matches(group, _GROUPS, 1, _NEAR)), "")
    found = f"{place} declares it in [{group}], which nothing reads"
    hint = f"rename the group to [{near}], and install again" if near else _declare(target)
    explanation.broken("entry point", found, hint)


def _dropped_line(target: Target) -> Diagnostic | None:
    """A line that could not be parsed and mentions the class."""
    return next(
        (
            each
            for each in target.findings
            if each.code in _DROPPED and target.qualname.rpartition(".")[2] in each.message
        ),
        None,
    )


def _near_entry(target: Target) -> tuple[str, str] | None:
    """An entry of the location that names no class, and resembles this one."""
    stale = {
        f"{row.manifest.module}:{row.manifest.qualname}": row.manifest
        for row in target.others
        if row.manifest is not None and row.reason in {"name-missing", "module-missing"}
    }
    wanted = f"{target.module}:{target.qualname}"
    near = get_close_matches(wanted, stale, 1, _NEAR)
    if not near:
        return None
    entry = stale[near[0]]
    found = f"{entry.entry_name} = {near[0]} names what is not there"
    return found, f"correct the entry: {entry.entry_name} = {wanted}"


def _declare(target: Target) -> str:
    """How to create a manifest."""
    place = shlex.quote(str(target.location.origin))
    return f"run: connect-plugin-path sync-manifests --plugin-location {place}"
