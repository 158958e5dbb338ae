"""The output of ``plugin-path list``: Kafka's columns and totals, and what a mode would lose."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING

from plugwright.plugins import ABSENT_REASONS, LocationKind, declared_version, stale_entry
from plugwright_toolkit.output import printable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from plugwright.plugins import Diagnostic, Survey, SurveyedPlugin

__all__ = [
    "COLUMNS",
    "HEADINGS",
    "ListingRow",
    "losses",
    "rows_of",
    "stale_entries",
    "totals",
    "unloadable",
]

COLUMNS = (
    "pluginName",
    "firstAlias",
    "secondAlias",
    "pluginVersion",
    "pluginType",
    "isLoadable",
    "hasManifest",
    "pluginLocation",
)
"""The columns of Kafka's ``connect-plugin-path list``, in its order (KIP-898)."""

HEADINGS = ("plugin", "alias", "version", "type", "loadable", "manifest", "location")
"""The columns for a terminal."""

_NONE = "N/A"
_UNDEFINED = "undefined"
_TOLD = ABSENT_REASONS | {"name-taken", "editable"}
_WORDS = {True: "true", False: "false", None: "unknown"}


@dataclass(frozen=True, slots=True)
class ListingRow:
    """One class as one kind of plugin in one location."""

    found: SurveyedPlugin

    @property
    def declared(self) -> bool:
        """Whether a manifest names it."""
        return self.found.manifest is not None

    @property
    def name(self) -> str:
        """The class; of several dotted names for it, the one in the manifest."""
        return (self.found.manifest or self.found.plugin).class_name

    @property
    def place(self) -> str:
        """The location as given on the command line."""
        location = self.found.plugin.location
        return str(location.origin) if location else ""

    @property
    def cells(self) -> tuple[str, ...]:
        """A cell for each of `COLUMNS`; Kafka has no aliases for unloadable classes."""
        plugin, loadable = self.found.plugin, self.found.loadable
        if loadable is False:
            first, second, version = _NONE, _NONE, _UNDEFINED
        else:
            first, second = (*plugin.aliases, _NONE)[:2]
            version = plugin.version
        kind, has = plugin.type.name, _WORDS[self.declared]
        return self.name, first, second, version, kind, _WORDS[loadable], has, self.place

    @property
    def readable(self) -> tuple[str, ...]:
        """A cell for each of `HEADINGS`."""
        plugin, words = self.found.plugin, {True: "yes", False: "no", None: "unknown"}
        alias = min(plugin.aliases, key=len)
        loadable, declared = words[self.found.loadable], words[self.declared]
        return self.name, alias, plugin.version, plugin.type.name, loadable, declared, self.place

    @property
    def document(self) -> dict[str, object]:
        """Everything that is known, for JSON."""
        plugin, manifest = self.found.plugin, self.found.manifest
        return {
            "aliases": list(plugin.aliases),
            "declaredVersion": declared_version(plugin),
            "definedAs": plugin.class_name,
            "distribution": plugin.distribution,
            "entryName": manifest.entry_name if manifest else None,
            "hasManifest": self.declared,
            "isLoadable": self.found.loadable,
            "pluginLocation": self.place,
            "pluginName": self.name,
            "pluginType": plugin.type.name,
            "pluginVersion": plugin.version,
            "reason": self.found.reason,
        }


def rows_of(survey: Survey, *, imports: bool = True) -> list[ListingRow]:
    """The rows of a location, as in Kafka: declared and loadable plugins.

    Args:
        survey: of the location.
        imports: whether the survey imported modules; if not, loadability is unknown,
            and every plugin is listed.
    """
    rows = map(ListingRow, survey.plugins)
    return [row for row in rows if row.declared or row.found.loadable or not imports]


def totals(rows: Sequence[ListingRow]) -> dict[str, int]:
    """The numbers of plugins, of loadable ones, and of those loadable in every mode."""
    loadable = [row for row in rows if row.found.loadable]
    compatible = [row for row in loadable if row.declared]
    return {"plugins": len(rows), "loadable": len(loadable), "compatible": len(compatible)}


def stale_entries(rows: Sequence[ListingRow]) -> list[Diagnostic]:
    """The reason why a declared class is not a plugin, other than its import."""
    found = [row.found for row in rows if row.declared and row.found.loadable is False]
    return [stale_entry(each) for each in found if each.reason in _TOLD]


def losses(rows: Sequence[ListingRow], mode: str) -> list[str]:
    """The plugins that a worker would lose in a mode that relies on manifests, with remedies.

    Those are plugins that no manifest declares, and declared ones that cannot be loaded.
    """
    lost = [row for row in rows if not row.declared or row.found.loadable is False]
    if not lost:
        return []
    heading = f"{_counted(len(lost), 'plugin')} would be lost with plugin.discovery={mode}:"
    return [heading, *(_loss(row, _why(row)) for row in lost), *_remedies(lost)]


def _why(row: ListingRow) -> str:
    return f"cannot be loaded ({row.found.reason})" if row.declared else "no manifest declares it"


def unloadable(surveys: Sequence[Survey]) -> list[str]:
    """The plugins that cannot be loaded, or are not known to be, with remedies.

    Includes undeclared classes whose source identifies them as plugins, and locations
    that cannot be read.
    """
    rows = [
        ListingRow(each) for found in surveys for each in found.plugins if each.loadable is not True
    ]
    unread = [s.location for s in surveys if s.location.kind is LocationKind.UNREADABLE]
    if not (rows or unread):
        return []
    lines = [f"{_counted(len(rows), 'plugin')} cannot be loaded:"] if rows else []
    lines += [_loss(row, f"cannot be loaded ({row.found.reason})") for row in rows]
    if unread:
        lines.append(f"{_counted(len(unread), 'location')} cannot be read:")
        lines += [f"  {printable(str(location.origin))}" for location in unread]
    return [*lines, *(_explain(row) for row in rows[:1])]


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _loss(row: ListingRow, reason: str) -> str:
    plugin = row.found.plugin
    text = f"{plugin.type.name} {row.name} {plugin.version} in {row.place}: {reason}"
    return f"  {printable(text)}"


def _remedies(lost: Sequence[ListingRow]) -> Iterator[str]:
    """The remedies for missing manifests, and for broken declarations."""
    if bare := dict.fromkeys(row.place for row in lost if not row.declared):
        options = " ".join(f"--plugin-location {shlex.quote(place)}" for place in bare)
        yield f"  → {printable(f'connect-plugin-path sync-manifests {options}')}"
    if broken := next((row for row in lost if row.declared), None):
        yield _explain(broken)


def _explain(row: ListingRow) -> str:
    option = f"--plugin-location {shlex.quote(row.place)}"
    return f"  → {printable(f'plugwright explain {row.name} {option}')}"
