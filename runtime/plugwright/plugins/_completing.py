"""Completes scanned plugins with the metadata of their location."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from plugwright.plugins._declared_version import module_version
from plugwright.plugins._metadata import read_metadata
from plugwright.plugins._service_load import unfit
from plugwright.plugins._versions import UNDEFINED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plugwright.plugins._descriptor import PluginDescriptor
    from plugwright.plugins._diagnostic import Diagnostic
    from plugwright.plugins._location import Location


def completed(
    plugins: Sequence[PluginDescriptor],
) -> tuple[list[PluginDescriptor], list[Diagnostic]]:
    """The plugins, with an obstacle where their distribution needs another Python.

    A plugin without a distribution has the literal ``__version__`` of its top package.
    """
    views: dict[Location, _View] = {}
    result: list[PluginDescriptor] = []
    for plugin in plugins:
        if plugin.location is None:
            result.append(plugin)
        else:
            view = views.setdefault(plugin.location, _View(plugin.location))
            result.append(view.completed(plugin))
    return result, [finding for view in views.values() for finding in view.findings]


class _View:
    """The distributions of one location, read when a plugin is first asked for."""

    def __init__(self, location: Location) -> None:
        self._location = location
        self._unfit: dict[tuple[str, str], tuple[str, Diagnostic]] | None = None
        self.findings: list[Diagnostic] = []

    def completed(self, plugin: PluginDescriptor) -> PluginDescriptor:
        if plugin.version == UNDEFINED:
            version = module_version(self._location.path, plugin.module)
            return replace(plugin, version=version or UNDEFINED)
        obstacle, finding = self._read().get((plugin.distribution, plugin.version), ("", None))
        if finding is None:
            return plugin
        if finding not in self.findings:
            self.findings.append(finding)
        return replace(plugin, obstacle=obstacle)

    def _read(self) -> dict[tuple[str, str], tuple[str, Diagnostic]]:
        if self._unfit is None:
            self._unfit = {}
            try:
                directories = self._location.metadata_directories()
            except OSError:  # which has been reported when the manifests were looked for
                directories = []
            for directory in directories:
                found = read_metadata(directory)
                if obstacle := found.obstacle:
                    finding = unfit(self._location, directory.name, found)
                    self._unfit[found.name, found.version] = obstacle, finding
        return self._unfit
