"""What the manifests of a location lack, and what they name in vain, told from its survey."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from plugwright.plugins import ABSENT_REASONS, PLUGIN_TYPES
from plugwright_toolkit.manifests._editing import Line
from plugwright_toolkit.manifests._values import Action, Change

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from plugwright.plugins import PluginDescriptor, Survey

__all__ = ["Wanted", "changes_of", "wanted_of"]

_TYPES = {kind.group: kind.name for kind in PLUGIN_TYPES}


@dataclass(frozen=True, slots=True)
class Wanted:
    """Lines that a location shall have, and lines that it shall not have."""

    add: Sequence[Line]
    remove: Sequence[Line]


def wanted_of(survey: Survey, *, keep_not_found: bool) -> Wanted:
    """Compare code and manifests, each kind of a class for itself.

    A line goes only if there is evidence that its class is no plugin: a missing module or name,
    an abstract class, another base. One that could not be imported here stays.
    """
    add = [_line(row.plugin) for row in survey.plugins if row.loadable and row.manifest is None]
    remove = [
        _line(row.manifest)
        for row in survey.plugins
        if row.manifest is not None
        and row.loadable is False
        and row.reason in ABSENT_REASONS
        and not keep_not_found
    ]
    return Wanted(sorted(set(add)), sorted(set(remove)))


def _line(plugin: PluginDescriptor) -> Line:
    return Line(plugin.type.group, plugin.module, plugin.qualname)


def changes_of(add: Collection[Line], remove: Collection[Line]) -> tuple[Change, ...]:
    """The lines as a report shows them."""
    added = (Change(Action.ADD, _TYPES[line.group], line) for line in add)
    removed = (Change(Action.REMOVE, _TYPES[line.group], line) for line in remove)
    return (*sorted(added, key=_order), *sorted(removed, key=_order))


def _order(change: Change) -> tuple[str, str]:
    return change.class_name, change.type
