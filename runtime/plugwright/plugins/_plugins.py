"""The plugin registry: finds plugins by name and loads their classes."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Self

from plugwright.errors import DiscoveryError
from plugwright.plugins._builtin import BUILTIN
from plugwright.plugins._choosing import choose, nothing_found
from plugwright.plugins._identity import Aliases, copies
from plugwright.plugins._mode import DiscoveryMode
from plugwright.plugins._plugin_path import find_locations
from plugwright.plugins._requirement import VersionRequirement
from plugwright.plugins._service_load import service_load
from plugwright.plugins._types import SINK, SOURCE
from plugwright.plugins.java_names import JAVA_NAMES

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from plugwright.plugins._descriptor import PluginDescriptor
    from plugwright.plugins._diagnostic import Diagnostic
    from plugwright.plugins._location import FollowSymlinks, Location
    from plugwright.plugins._types import PluginType
    from plugwright.plugins.confirming import ConfirmLimits

_LOGGER = logging.getLogger("plugwright.plugins")
_CONNECTORS = frozenset({SOURCE, SINK})


class Plugins:
    """Everything that was discovered on one plugin path.

    Attributes:
        locations: the scanned locations, in order.
        descriptors: the plugins found there, in order; those of the runtime are in
            `builtin`.
        diagnostics: problems of the locations, then ambiguous aliases; loading a
            plugin may add to them.
    """

    def __init__(
        self,
        locations: Sequence[Location],
        descriptors: Sequence[PluginDescriptor],
        diagnostics: Sequence[Diagnostic],
    ) -> None:
        self.locations = locations
        self.descriptors = descriptors
        self._usable = [p for p in (*descriptors, *BUILTIN) if not p.obstacle]
        self._aliases = Aliases(self._usable)
        self.diagnostics = [*diagnostics, *self._aliases.ambiguous()]

    @classmethod
    def service_load(
        cls, plugin_path: Iterable[str | Path], *, follow_symlinks: FollowSymlinks = "any"
    ) -> Self:
        """Discover by manifests alone: no plugin module is imported (KIP-898).

        Args:
            plugin_path: the elements of ``plugin.path``.
            follow_symlinks: whether links to ``any`` place count, or only those that stay
                ``inside`` the element that holds them.

        Raises:
            DiscoveryError: if an element of the path does not exist or is not a directory.
        """
        locations, findings = find_locations(
            plugin_path, fail_fast=True, follow_symlinks=follow_symlinks
        )
        # A caller that names the location itself is right here.
        diagnostics = [d for d in findings if d.code != "location-not-container"]
        descriptors: list[PluginDescriptor] = []
        for location in locations:
            if location.is_usable:
                plugins, problems = service_load(location)
                descriptors += plugins
                diagnostics += problems
        return cls(locations, descriptors, diagnostics)

    @classmethod
    def discover(
        cls,
        plugin_path: Iterable[str | Path],
        mode: DiscoveryMode | str = DiscoveryMode.HYBRID_WARN,
        *,
        fail_fast: bool = False,
        follow_symlinks: FollowSymlinks = "any",
        limits: ConfirmLimits | None = None,
    ) -> Self:
        """Discover in the mode of the worker's ``plugin.discovery`` (KIP-898).

        No plugin runs in this process: scanning modes parse the modules and import plugin
        candidates in child processes.

        Args:
            plugin_path: the elements of ``plugin.path``.
            mode: a mode or its name in any case.
            fail_fast: whether a missing element is an error instead of a diagnostic.
            follow_symlinks: as in `service_load`.
            limits: limits on the import of one module.

        Raises:
            ConfigError: if there is no such mode.
            DiscoveryError: in mode ``hybrid_fail``, if a plugin lacks a manifest or a manifest its
                plugin, listing them; or if an element is an empty string, or is missing and
                ``fail_fast`` is set.
        """
        from plugwright.plugins._completing import completed  # noqa: PLC0415  # scans are heavy
        from plugwright.plugins._discovery import discover  # noqa: PLC0415

        chosen = mode if isinstance(mode, DiscoveryMode) else DiscoveryMode.parse(mode)
        found = discover(
            plugin_path,
            chosen,
            fail_fast=fail_fast,
            follow_symlinks=follow_symlinks,
            limits=limits,
        )
        plugins, findings = completed(found.plugins) if chosen.scans else (found.plugins, [])
        # The registry also knows the runtime's own copies.
        diagnostics = [d for d in found.diagnostics if d.code != "duplicate-plugin"]
        diagnostics += [d for d in findings if d not in diagnostics]
        diagnostics += copies([p for p in plugins if not p.obstacle], BUILTIN)
        return cls(found.locations, plugins, diagnostics)

    @property
    def builtin(self) -> Sequence[PluginDescriptor]:
        """The plugins of the runtime."""
        return BUILTIN

    def find(
        self,
        name: str,
        *kinds: PluginType,
        version: str | VersionRequirement | None = None,
        prefer: Location | None = None,
    ) -> PluginDescriptor:
        """The plugin that a configuration means by a class name, a Java class name or an alias.

        A full class name precedes aliases; an alias of several classes is ambiguous, but
        with ``Connector`` appended it may still name a connector, as in Kafka. Of
        several copies of one class the highest version is used, releases before
        pre-releases; of equal ones the runtime's own, then the first on the plugin path.

        Args:
            name: as in a configuration.
            kinds: the allowed plugin types.
            version: the required version (KIP-891); ``latest`` selects the highest of all.
            prefer: the location whose copy is used if no version is requested: the
                connector's own for its converters and transformations.

        Raises:
            ConfigError: if the version requirement is invalid.
            NotFoundError: if there is none of these types, with near matches, or none of a matching
                version, listing those that exist.
            DiscoveryError: if an alias is ambiguous.
        """
        wanted = (
            version
            if isinstance(version, VersionRequirement)
            else VersionRequirement.parse(version)
        )
        return choose(self._matches(JAVA_NAMES.get(name, name), kinds), wanted, prefer)

    def load(self, plugin: PluginDescriptor) -> type:
        """The class of a plugin; imports its module.

        If its code declares another version than its distribution has, a warning is logged and
        added to the diagnostics, once.

        Raises:
            DiscoveryError: if it cannot be loaded, with the reason.
        """
        from plugwright.plugins._loading import load_class, version_mismatch  # noqa: PLC0415

        found = load_class(plugin)
        finding = version_mismatch(plugin)
        if finding is not None and finding not in self.diagnostics:
            self.diagnostics.append(finding)
            _LOGGER.warning("%s", finding)
        return found

    def _matches(self, name: str, kinds: Sequence[PluginType]) -> list[PluginDescriptor]:
        """All copies of the one class that a name refers to."""
        candidates = [p for p in self._usable if p.type in kinds]
        if exact := [p for p in candidates if p.class_name == name]:
            return exact
        classes = self._aliases.classes(name)
        if len(classes) == 1 and (found := [p for p in candidates if p.class_name in classes]):
            return found
        found = _connectors(name, candidates) if _CONNECTORS & set(kinds) else []
        found = found or [p for p in candidates if p.is_exported_as(name)]
        named = {p.class_name for p in found} or (set(classes) if len(classes) > 1 else set())
        if len(named) > 1:
            raise _ambiguous(name, named)
        if not found:
            raise nothing_found(name, kinds, self)
        return found


def _connectors(name: str, plugins: Sequence[PluginDescriptor]) -> list[PluginDescriptor]:
    """Connectors with that simple name, or with ``Connector`` appended, despite other plugins."""
    names = {name, f"{name}Connector"}
    return [p for p in plugins if p.type in _CONNECTORS and p.aliases[0] in names]


def _ambiguous(name: str, classes: Iterable[str]) -> DiscoveryError:
    return DiscoveryError(
        f"{name} could mean {', '.join(sorted(classes))}",
        code="plugin.ambiguous",
        hint="use the full class name",
        facts={"name": name},
    )
