"""The registry: which plugins there are, which one a name means, and its class."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

from plugwright.errors import DiscoveryError, NotFoundError
from plugwright.plugins._builtin import BUILTIN
from plugwright.plugins._discovery import USABLE_KINDS, discover
from plugwright.plugins._java_names import JAVA_NAMES
from plugwright.plugins._loading import load_class
from plugwright.plugins._location import find_locations
from plugwright.plugins._mode import DiscoveryMode
from plugwright.plugins._service_load import service_load
from plugwright.plugins._versions import version_rank

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from plugwright.plugins._confirming import ConfirmLimits
    from plugwright.plugins._descriptor import PluginDescriptor
    from plugwright.plugins._diagnostic import Diagnostic
    from plugwright.plugins._location import Location
    from plugwright.plugins._types import PluginType

__all__ = ["Plugins"]


class Plugins:
    """Everything that was discovered on one plugin path.

    Attributes:
        locations: the locations that were looked at, in order.
        descriptors: the plugins found there, in order; not those that come with the runtime,
            which are `builtin`.
        diagnostics: what is wrong with the locations.
    """

    def __init__(
        self,
        locations: Sequence[Location],
        descriptors: Sequence[PluginDescriptor],
        diagnostics: Sequence[Diagnostic],
    ) -> None:
        self.locations = locations
        self.descriptors = descriptors
        self.diagnostics = diagnostics

    @classmethod
    def service_load(cls, plugin_path: Iterable[str | Path]) -> Plugins:
        """Discover by manifests alone: no plugin module is imported (KIP-898).

        Raises:
            DiscoveryError: if an element of the path does not exist or is no directory.
        """
        locations, findings = find_locations(plugin_path, fail_fast=True)
        # A caller who names the location itself makes no mistake here.
        diagnostics = [d for d in findings if d.code != "location-not-container"]
        found = [service_load(location) for location in locations if location.kind in USABLE_KINDS]
        return cls(
            locations,
            [plugin for plugins, _ in found for plugin in plugins],
            diagnostics + [d for _, findings in found for d in findings],
        )

    @classmethod
    def discover(
        cls,
        plugin_path: Iterable[str | Path],
        mode: DiscoveryMode | str = DiscoveryMode.HYBRID_WARN,
        *,
        fail_fast: bool = False,
        limits: ConfirmLimits | None = None,
    ) -> Plugins:
        """Discover as the worker's ``plugin.discovery`` says (KIP-898).

        No plugin runs in this process: modes that scan read the modules' text and import in child
        processes what looks like a plugin.

        Args:
            plugin_path: the elements of ``plugin.path``.
            mode: a mode or its name in any case.
            fail_fast: whether a missing element is an error instead of a diagnostic.
            limits: what the import of one module may cost.

        Raises:
            ConfigError: if there is no such mode.
            DiscoveryError: in mode ``hybrid_fail``, if a plugin lacks a manifest or a manifest its
                plugin, listing them; or if an element is an empty string, or is missing and
                ``fail_fast`` is set.
        """
        chosen = mode if isinstance(mode, DiscoveryMode) else DiscoveryMode.parse(mode)
        found = discover(plugin_path, chosen, fail_fast=fail_fast, limits=limits)
        return cls(found.locations, found.plugins, found.diagnostics)

    @property
    def builtin(self) -> Sequence[PluginDescriptor]:
        """The plugins that come with the runtime."""
        return BUILTIN

    def find(self, name: str, *kinds: PluginType) -> PluginDescriptor:
        """The plugin that a configuration means by a class name, a Java class name or an alias.

        Of several copies of one class the highest version counts, before it any that is no
        pre-release; of equal ones the runtime's own, then the first on the plugin path.

        Raises:
            NotFoundError: if there is none of these kinds, with near matches.
            DiscoveryError: if an alias means several classes.
        """
        candidates = [p for p in (*self.descriptors, *BUILTIN) if p.type in kinds]
        name = JAVA_NAMES.get(name, name)
        exact = [p for p in candidates if p.class_name == name]
        matches = exact or [p for p in candidates if p.answers_to(name)]
        matches = matches or [p for p in candidates if p.is_exported_as(name)]
        if not matches:
            raise self._not_found(name, kinds, candidates)
        if len({p.class_name for p in matches}) > 1:
            names = ", ".join(sorted({p.class_name for p in matches}))
            raise DiscoveryError(
                f"{name} could mean {names}",
                code="plugin.ambiguous",
                hint="use the full class name",
                facts={"name": name},
            )
        if len(matches) == 1:
            return matches[0]
        return max(matches, key=lambda p: (version_rank(p.version), p.location is None))

    def load(self, plugin: PluginDescriptor) -> type:
        """The class of a plugin; imports its module.

        Raises:
            DiscoveryError: if it cannot be loaded, with the reason.
        """
        return load_class(plugin)

    def _not_found(
        self, name: str, kinds: Sequence[PluginType], candidates: Sequence[PluginDescriptor]
    ) -> NotFoundError:
        known = sorted({alias for p in candidates for alias in (p.class_name, *p.aliases)})
        near = get_close_matches(name, known, n=3)
        kind = " or ".join(k.name for k in kinds)
        places = ", ".join(str(location.path) for location in self.locations) or "no location"
        return NotFoundError(
            f"no {kind} plugin is called {name}; looked in {places}",
            code="plugin.not-found",
            hint=f"near: {', '.join(near)}" if near else "list what there is: plugwright plugins",
            facts={"name": name, "near": near},
        )
