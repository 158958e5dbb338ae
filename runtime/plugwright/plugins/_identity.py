"""Aliases and copies: the classes that a name may refer to."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from plugwright.plugins._choosing import choose, place_of
from plugwright.plugins._diagnostic import Diagnostic, DiagnosticLevel, printable
from plugwright.plugins._requirement import VersionRequirement

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from plugwright.plugins._descriptor import PluginDescriptor

_PATH = "plugin.path"
_SHOWN = 5


class Aliases:
    """The short names of plugins: simple name, pruned name and entry point name.

    The table covers plugins of all types, as in Kafka (``PluginUtils.computeAliases``).
    """

    def __init__(self, plugins: Iterable[PluginDescriptor]) -> None:
        self._classes: set[str] = set()
        self._first: dict[str, str] = {}
        self._clashes: dict[str, set[str]] = {}
        for plugin in plugins:
            name = plugin.class_name
            self._classes.add(name)
            aliases = plugin.aliases
            if plugin.entry_name != name:
                aliases = (*aliases, plugin.entry_name)
            for alias in aliases:
                other = self._first.setdefault(alias, name)
                if other != name:
                    self._clashes.setdefault(alias, {other}).add(name)

    def classes(self, alias: str) -> Sequence[str]:
        """The classes of an alias, sorted; a usable alias has exactly one."""
        if alias in self._clashes:
            return sorted(self._clashes[alias])
        return [self._first[alias]] if alias in self._first else []

    def ambiguous(self) -> list[Diagnostic]:
        """One diagnostic for each alias of several classes, which cannot be used.

        A full class name always wins, so it is not an alias of another plugin.
        """
        return [
            _ambiguous(alias, self.classes(alias))
            for alias in sorted(self._clashes.keys() - self._classes)
        ]


def _ambiguous(alias: str, classes: Sequence[str]) -> Diagnostic:
    more = f" and {len(classes) - _SHOWN} more" if len(classes) > _SHOWN else ""
    message = f"the alias {alias} could mean {', '.join(classes[:_SHOWN])}{more}, so it means none"
    hint = "use the full class name"
    return Diagnostic(DiagnosticLevel.NOTE, "alias-ambiguous", _PATH, printable(message), hint=hint)


def copies(
    plugins: Sequence[PluginDescriptor], builtin: Sequence[PluginDescriptor] = ()
) -> list[Diagnostic]:
    """One warning for each class with several copies, naming the copy in use."""
    groups: defaultdict[tuple[str, str], list[PluginDescriptor]] = defaultdict(list)
    for plugin in (*plugins, *builtin):
        groups[plugin.type.name, plugin.class_name].append(plugin)
    found = []
    for (kind, name), group in groups.items():
        places = {place_of(plugin) for plugin in group}
        if len(places) > 1:
            used = choose(group, VersionRequirement(), None)
            others = ", ".join(sorted(places - {place_of(used)}))
            message = f"{kind} {name} {used.version} is used from here and not from {others}"
            hint = "remove the copies that are not needed"
            where = place_of(used)
            found.append(
                Diagnostic(
                    DiagnosticLevel.WARNING,
                    "duplicate-plugin",
                    where,
                    printable(message),
                    hint=hint,
                )
            )
    return found
