"""Decides which plugins hybrid_fail rejects, and how to fix them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright.plugins._diagnostic import printable
from plugwright.plugins._location import ARCHIVE_KINDS, LocationKind
from plugwright.plugins._surveyed import ABSENT_REASONS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from plugwright.plugins._descriptor import PluginDescriptor
    from plugwright.plugins._surveyed import SurveyedPlugin

_SHOWN = 3


def is_refused(row: SurveyedPlugin) -> bool:
    """Whether a worker with ``plugin.discovery=hybrid_fail`` rejects a plugin.

    Plugins that need another Python are skipped in every mode, with a diagnostic of their own, and
    plugins of the worker itself are only declared.
    """
    if row.manifest is None:
        return row.loadable is True
    return row.loadable is False and row.plugin.type.scanned and row.reason != "requires-python"


def is_removable(row: SurveyedPlugin) -> bool:
    """Whether a manifest entry has been proven to name no plugin, here or elsewhere."""
    return row.manifest is not None and row.loadable is False and row.reason in ABSENT_REASONS


def remedies(lacking: Sequence[PluginDescriptor], stale: Sequence[SurveyedPlugin]) -> str:
    """The remedies for plugins without a manifest, and for entries without a plugin."""
    return "; ".join(_remedies(lacking, stale))


def _remedies(
    lacking: Sequence[PluginDescriptor], stale: Sequence[SurveyedPlugin]
) -> Iterator[str]:
    single = [each.class_name for each in lacking if _is_single(each)]
    built = [each.class_name for each in lacking if _is_application(each)]
    broken = [row.plugin.class_name for row in stale if not is_removable(row)]
    if len(lacking) > len(single) + len(built):
        yield (
            "write the manifests with connect-plugin-path sync-manifests, or declare the plugins "
            "as entry points in their packages"
        )
    elif len(stale) > len(broken):
        yield (
            "remove the stale entries with connect-plugin-path sync-manifests, with "
            "--edit-unrecorded if their distribution has no RECORD, and with --force-managed if a "
            "package manager such as conda owns it"
        )
    if single:
        yield f"make a package of {_named(single)}: a single module cannot carry a manifest"
    if built:
        yield (
            f"build {_named(built)} again from distributions that have a manifest: "
            "a PEX or shiv application cannot be given one"
        )
    if broken:
        yield (
            f"install what {_named(broken)} misses, or have its author fix it: it is declared "
            "but cannot be imported, and sync-manifests does not remove such an entry"
        )


def _is_single(plugin: PluginDescriptor) -> bool:
    return plugin.location is not None and plugin.location.kind is LocationKind.MODULE


def _is_application(plugin: PluginDescriptor) -> bool:
    """Whether a plugin comes from an archive that sync-manifests cannot change."""
    location = plugin.location
    if location is None or location.kind not in ARCHIVE_KINDS.values():
        return False
    root = location.path
    return (root / "PEX-INFO").is_file() or (
        root.name == "site-packages" and (root.parent / "environment.json").is_file()
    )


def _named(names: Sequence[str]) -> str:
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return printable(", ".join(sorted(names)[:_SHOWN])) + more
