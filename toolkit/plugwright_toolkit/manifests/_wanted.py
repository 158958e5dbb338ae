"""Derives what the manifests of a location lack, and what they name in vain, from its survey."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from plugwright.plugins import PLUGIN_TYPES, Diagnostic, DiagnosticLevel, is_refused, is_removable
from plugwright_toolkit.manifests._values import Action, ManifestChange
from plugwright_toolkit.manifests.editing import ManifestLine
from plugwright_toolkit.output import printable

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from plugwright.plugins import PluginDescriptor, Survey, SurveyedPlugin

_TYPES = {kind.group: kind.name for kind in PLUGIN_TYPES}


@dataclass(frozen=True, slots=True)
class Wanted:
    """Lines that a location shall have, and lines that it shall not have.

    Attributes:
        kept: what to say of lines that stay although they lead to no plugin here.
    """

    add: Sequence[ManifestLine]
    remove: Sequence[ManifestLine]
    kept: Sequence[Diagnostic] = ()


def wanted_of(survey: Survey, *, keep_not_found: bool) -> Wanted:
    """Compare code and manifests, each kind of a class for itself.

    A line goes only if there is evidence that its class is no plugin: a missing module or name,
    an abstract class, another base. One that could not be imported here stays.
    """
    add = [_line(row.plugin) for row in survey.plugins if row.loadable and row.manifest is None]
    stale = [row for row in survey.plugins if row.manifest is not None and row.loadable is False]
    gone = [row for row in stale if is_removable(row) and not keep_not_found]
    remove = {_line(row.manifest) for row in gone if row.manifest is not None}
    kept = [row for row in stale if row not in gone and is_refused(row)]
    return Wanted(sorted(set(add)), sorted(remove), [_kept(row) for row in kept])


def _kept(row: SurveyedPlugin) -> Diagnostic:
    """What is said of an entry that stays although it cannot be loaded here."""
    place = row.plugin.location
    return Diagnostic(
        DiagnosticLevel.WARNING,
        "sync.unloadable",
        str(place.origin if place else ""),
        f"the entry for {printable(row.plugin.class_name)} stays, though it cannot be loaded here "
        f"({row.reason}), so a worker with plugin.discovery=hybrid_fail does not start",
        hint="see why with connect-plugin-path list --strict; only its author, or who installs "
        "what it misses, can mend that",
    )


def _line(plugin: PluginDescriptor) -> ManifestLine:
    return ManifestLine(plugin.type.group, plugin.module, plugin.qualname)


def changes_of(
    add: Collection[ManifestLine], remove: Collection[ManifestLine]
) -> tuple[ManifestChange, ...]:
    """The lines as a report shows them."""
    added = (ManifestChange(Action.ADD, _TYPES[line.group], line) for line in add)
    removed = (ManifestChange(Action.REMOVE, _TYPES[line.group], line) for line in remove)
    return (*sorted(added, key=_order), *sorted(removed, key=_order))


def _order(change: ManifestChange) -> tuple[str, str]:
    return change.class_name, change.type
