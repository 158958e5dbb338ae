"""What hybrid_fail refuses, and who can mend it: ``sync-manifests``, or the author alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright.plugins._diagnostic import printable
from plugwright.plugins._location import LocationKind
from plugwright.plugins._surveyed import ABSENT_REASONS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from plugwright.plugins._descriptor import PluginDescriptor
    from plugwright.plugins._surveyed import SurveyedPlugin

_SHOWN = 3


def is_refused(row: SurveyedPlugin) -> bool:
    """Whether a worker with ``plugin.discovery=hybrid_fail`` does not start because of a plugin.

    What needs another Python is left out in every mode, with a diagnostic of its own, and what
    serves the worker itself is declared only.
    """
    if row.manifest is None:
        return row.loadable is True
    return row.loadable is False and row.plugin.type.scanned and row.reason != "requires-python"


def is_removable(row: SurveyedPlugin) -> bool:
    """Whether there is proof that an entry of a manifest leads to no plugin, here or elsewhere."""
    return row.manifest is not None and row.loadable is False and row.reason in ABSENT_REASONS


def remedies(lacking: Sequence[PluginDescriptor], stale: Sequence[SurveyedPlugin]) -> str:
    """What to do about plugins without a manifest, and about entries that lead to no plugin."""
    return "; ".join(_remedies(lacking, stale))


def _remedies(
    lacking: Sequence[PluginDescriptor], stale: Sequence[SurveyedPlugin]
) -> Iterator[str]:
    single = [each.class_name for each in lacking if _is_single(each)]
    broken = [row.plugin.class_name for row in stale if not is_removable(row)]
    if len(lacking) > len(single):
        yield (
            "write the manifests with connect-plugin-path sync-manifests, or declare the plugins "
            "as entry points in their packages"
        )
    elif len(stale) > len(broken):
        yield "take out the entries that lead nowhere with connect-plugin-path sync-manifests"
    if single:
        yield f"make a package of {_named(single)}: a single module cannot carry a manifest"
    if broken:
        yield (
            f"install what {_named(broken)} misses, or have its author mend it: it is declared "
            "and cannot be imported, and sync-manifests leaves such an entry alone"
        )


def _is_single(plugin: PluginDescriptor) -> bool:
    return plugin.location is not None and plugin.location.kind is LocationKind.MODULE


def _named(names: Sequence[str]) -> str:
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return printable(", ".join(sorted(names)[:_SHOWN])) + more
